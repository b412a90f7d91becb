import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.prepare.training_texts import COLUMNS, prepare_training_texts
from embspace.settings.corpus import Corpus, describe_corpus
from embspace.settings.run import Run
from tests.train.runs import CLASSIFIED, MASKED, small_run

Row = dict[str, Any]


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def corpus(rows: list[Row]) -> Corpus:
    """Texts of a file, each with an id and a text if it has none."""
    lines = [{"id": f"i{n}", "text": f"Text {n}."} | row for n, row in enumerate(rows)]
    Path("x.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    head = {"label": "x", "license": "CC0-1.0", "language": "English"}
    return describe_corpus("invented", {**head, "source": "builtin", "path": "x.jsonl"})


def run(label_column: str | None = "label", **given: Any) -> Run:
    phases = {"first": MASKED, **({"last": CLASSIFIED} if label_column else {})}
    return small_run(phases, label_column=label_column, **given)


def prepared(rows: list[Row], label_column: str | None = "label", **given: Any) -> pd.DataFrame:
    return prepare_training_texts("small", run(label_column, **given), corpus(rows))


def labeled(**numbers: int) -> list[Row]:
    return [{"label": label} for label, number in numbers.items() for _ in range(number)]


def test_a_row_is_a_text_as_it_came_in_the_order_of_the_file():
    rows = [{"label": "ba"[n % 2], "document": "defg"[n], "subject": "s"} for n in range(4)]
    table = prepared(rows)
    assert list(table) == COLUMNS
    assert table["id"].tolist() == ["i0", "i1", "i2", "i3"]
    assert table["text"].tolist() == ["Text 0.", "Text 1.", "Text 2.", "Text 3."]
    assert table["document"].tolist() == ["d", "e", "f", "g"]
    assert table["label"].tolist() == ["b", "a", "b", "a"]


def test_without_documents_each_text_is_its_own():
    table = prepared([{}, {}, {}], None)
    assert table["document"].tolist() == table["id"].tolist()


@pytest.mark.parametrize("split_seed", range(5))
def test_texts_of_a_document_are_never_parted(split_seed: int):
    rows = [{"label": "ab"[n % 2], "document": f"d{n % 10}"} for n in range(60)]
    table = prepared(rows, split_seed=split_seed)
    assert (table.groupby("document")["split"].nunique() == 1).all()
    held_out = table[table["split"] == "test"]
    assert held_out.groupby("label")["document"].nunique().to_dict() == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("test_share", "expected"),
    [
        (0.01, {"a": 1, "b": 1, "c": 1}),
        (0.2, {"a": 8, "b": 2, "c": 1}),
        (0.29, {"a": 12, "b": 3, "c": 1}),  # of 40, 11 and 2: 11.6, 3.19, 0.58
        (0.99, {"a": 39, "b": 10, "c": 1}),
    ],
)
def test_of_each_label_the_nearest_number_is_held_out_and_one_of_each_split_is_there(
    test_share: float, expected: dict[str, int]
):
    table = prepared(labeled(a=40, b=11, c=2), test_share=test_share)
    assert table[table["split"] == "test"]["label"].value_counts().to_dict() == expected
    assert set(table["split"]) == {"train", "test"}


@pytest.mark.parametrize("split_seed", range(8))
def test_each_label_is_in_both_splits_if_a_document_has_several(split_seed: int):
    rows = [{"label": label, "document": document} for document in "de" for label in "ab"]
    table = prepared(rows, test_share=0.4, split_seed=split_seed)
    assert (table.groupby("document")["split"].nunique() == 1).all()
    assert table.groupby("split")["label"].nunique().to_dict() == {"test": 2, "train": 2}


def test_the_split_follows_from_its_seed_and_is_random():
    rows = labeled(a=40, b=40)
    first, again, other = (
        prepared(rows, split_seed=split_seed)["split"].tolist() for split_seed in (3, 3, 4)
    )
    assert first == again
    assert first != other
    assert first != sorted(first)


def test_without_labels_texts_are_held_out_as_well():
    table = prepared(labeled(a=30, b=20), None, test_share=0.1)
    assert (table["label"] == "").all()
    assert table["split"].value_counts().to_dict() == {"train": 45, "test": 5}


def test_the_domain_can_be_what_is_classified():
    rows = [{"domain": "ab"[n % 2], "label": "x"} for n in range(10)]
    assert prepared(rows, "domain")["label"].tolist() == ["a", "b"] * 5


def test_labels_that_are_numbers_are_read_as_they_are_written():
    rows = [{"label": n % 2} for n in range(10)]
    assert prepared(rows)["label"].tolist() == ["0", "1"] * 5


def test_what_is_half_hidden_comes_through():
    rows = [{"label": "ab"[n % 2], "half_hidden": f"Half {n}."} for n in range(4)]
    assert prepared(rows)["half_hidden"].tolist() == ["Half 0.", "Half 1.", "Half 2.", "Half 3."]
    assert (prepared(labeled(a=2, b=2))["half_hidden"] == "").all()


def test_where_only_some_have_a_half_hidden_text_it_is_empty_for_the_others():
    rows = [{"label": "ab"[n % 2], **({"half_hidden": "Half."} if n else {})} for n in range(4)]
    assert prepared(rows)["half_hidden"].tolist() == ["", "Half.", "Half.", "Half."]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [{"domain": "x"}] * 4,
            "key 'label_column': found 'label', but the texts of invented have .*domain",
        ),
        (
            [*labeled(a=2, b=2), {"label": ""}, {"label": None}],
            "key 'label_column': 2 texts of invented have no label, the first i4$",
        ),
        (
            [*labeled(a=2, b=2), {}],
            "key 'label_column': 1 text of invented have no label, the first i4$",
        ),
        (labeled(a=4), "key 'label_column': all texts of invented are 'a'$"),
        (
            labeled(a=4, b=1),
            "key 'test_share': found 0.2, which leaves no text of label 'b' to test on;",
        ),
        (
            [{"label": "ab"[n % 2], "document": "ab"[n % 2]} for n in range(10)],
            "key 'test_share': found 0.2, which leaves no text of label 'a' to test on;",
        ),
    ],
)
def test_labels_that_cannot_be_learned_are_named(rows: list[Row], message: str):
    with pytest.raises(InputError, match=rf"^conf/train/small\.yaml: {message}"):
        prepared(rows)


def test_one_document_without_labels_cannot_be_parted():
    message = "found 0.2, which leaves no text to test on; invented needs two documents or more"
    with pytest.raises(InputError, match=rf"key 'test_share': {message}"):
        prepared([{"document": "d"}] * 3, None)


def test_texts_that_are_not_there_are_named_in_the_file_of_the_corpus():
    missing = corpus([{}])
    Path("x.jsonl").unlink()
    with pytest.raises(
        InputError, match=r"^conf/corpus/invented\.yaml: key 'path': x\.jsonl: not f"
    ):
        prepare_training_texts("small", run(), missing)


@pytest.mark.parametrize("split_seed", range(5))
def test_copies_are_never_parted(split_seed: int):
    rows = [{"label": "ab"[n % 2], "text": f"Text {n % 10}"} for n in range(60)]
    table = prepared(rows, split_seed=split_seed)
    assert (table.groupby("text")["split"].nunique() == 1).all()
    assert table["document"].nunique() == 10
