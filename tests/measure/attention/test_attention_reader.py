from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.measure.attention.attention_reader import (
    first_windows,
    load_reader,
    padded,
    spread_texts,
)
from embspace.settings.model import describe_model
from tests.measure.attention.reading import TEXTS, tiny_reader, write_texts
from tests.tiny import tiny_description


def test_texts_are_spread_over_the_file(tmp_path: Path):
    path = write_texts(tmp_path / "x.jsonl", [f"text {number}" for number in range(9)])
    assert spread_texts(path, 3) == ["text 0", "text 4", "text 8"]
    assert len(spread_texts(path, 100)) == 9


def test_a_text_counts_by_its_beginning(tiny_folder: Path):
    reader = tiny_reader(tiny_folder)
    windows = first_windows(reader, TEXTS, 8, "conf/x.yaml")
    assert [len(window.ids) for window in windows] == [8] * len(TEXTS)
    with pytest.raises(InputError, match="conf/x.yaml: key 'most_tokens': found 2"):
        first_windows(reader, TEXTS, 2, "conf/x.yaml")


def test_rows_are_filled_up_on_the_right(tiny_folder: Path):
    ids, mask = padded(first_windows(tiny_reader(tiny_folder), ["a", "a cat"], 9, "x"), "cpu")
    assert ids.shape == mask.shape == (2, 4)
    assert mask.tolist() == [[1, 1, 1, 0], [1, 1, 1, 1]]


def test_vectors_read_nothing(tiny_folder: Path):
    described = {"label": "x", "license": "x", "language": "x", "source": "vectors", "path": "x"}
    assert load_reader("mine", describe_model("mine", described)) is None
    reader = load_reader("tiny", describe_model("tiny", tiny_description(tiny_folder)))
    assert reader is not None
    assert reader.module.config.num_hidden_layers == 2
