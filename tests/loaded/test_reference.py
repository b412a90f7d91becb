"""Reference corpora are computed once and kept, and anew where anything about them changes."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.queries.corpus_space import space_of
from embspace.errors import InputError
from embspace.files.rows import save_rows
from embspace.loaded import reference as reference_of
from embspace.loaded.model import load
from embspace.loaded.reference import corpus_texts, read_once, reference, text_lengths
from embspace.loaded.states import read_states
from tests.loaded.folders import TEXTS, tree
from tests.tiny import build_tiny_bert

__all__ = ["tree"]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EMBSPACE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def corpus(tree: Path) -> Path:
    """The file of the texts of the corpus `one`."""
    (tree / "conf/corpus").mkdir(exist_ok=True)
    (tree / "conf/corpus/one.yaml").write_text(
        "label: one\nlicense: CC0-1.0\nlanguage: en\nsource: builtin\npath: one.jsonl\n"
    )
    lines = [json.dumps({"id": f"t{n}", "text": text}) for n, text in enumerate(TEXTS)]
    (tree / "one.jsonl").write_text("\n".join(lines) + "\n")
    return tree / "one.jsonl"


def test_states_are_those_of_the_texts_the_second_time_too(tree: Path, corpus: Path, cache: Path):
    loaded = load("tiny", tree)
    expected = read_states(loaded, TEXTS, tree, {})
    for _ in range(2):
        made = reference(loaded, "one", tree)
        assert "token" not in made.states
        for name, tensor in made.states.items():
            assert np.array_equal(tensor, expected.tensors[name])
        assert made.windows["text"].tolist() == [
            f"t{int(text) - 1}" for text in expected.windows["text"]
        ]
    assert len([*cache.rglob("*.safetensors")]) == 1


def test_windows_say_which_characters_they_cover(tree: Path, corpus: Path):
    made = reference(load("tiny", tree), "one", tree)
    content = made.texts.set_index("id")["text"]
    long = made.windows[made.windows["text"] == "t3"]
    assert long["start"].iloc[0] == 0 and long["end"].max() == len(content["t3"].rstrip())
    assert (long["start"].to_numpy()[1:] < long["end"].to_numpy()[:-1]).all()  # they overlap


def test_it_is_not_read_again(tree: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch):
    loaded = load("tiny", tree)
    reference(loaded, "one", tree)
    monkeypatch.setattr(reference_of, "read_states", None)
    reference(loaded, "one", tree)
    corpus.write_text(corpus.read_text().replace("dog", "cat"))
    with pytest.raises(TypeError):  # what is None is called
        reference(loaded, "one", tree)


def test_one_model_under_two_names_is_read_once_and_another_in_its_place_anew(
    tree: Path, corpus: Path, cache: Path, tmp_path: Path
):
    reference(load("tiny", tree), "one", tree)
    copy = tmp_path / "mine"
    shutil.copytree(tree / "models/tiny", copy)
    conf = tree / "conf/model/tiny.yaml"
    again = conf.read_text().replace("models/tiny", str(copy)).replace("label: ", "label: my ")
    (tree / "conf/model/again.yaml").write_text(again)
    for name in ("again", str(copy)):
        reference(load(name, tree), "one", tree)
        assert len([*cache.rglob("*.safetensors")]) == 1
    build_tiny_bert(copy, seed=7)
    assert len([*cache.rglob("*.safetensors")]) == 1
    (tree / "conf/model/again.yaml").unlink()
    reference(load(str(copy), tree), "one", tree)
    assert len([*cache.rglob("*.safetensors")]) == 2


def test_what_says_how_texts_are_read_is_another_reading(tree: Path, corpus: Path, cache: Path):
    reference(load("tiny", tree), "one", tree)
    conf = tree / "conf/model/shorter.yaml"
    conf.write_text((tree / "conf/model/tiny.yaml").read_text() + "window: 12\n")
    reference(load("shorter", tree), "one", tree)
    assert len([*cache.rglob("*.safetensors")]) == 2


def test_a_cache_that_cannot_be_written_is_told_and_not_needed(
    tree: Path, corpus: Path, cache: Path, caplog: pytest.LogCaptureFixture
):
    cache.write_text("in the way")
    made = reference(load("tiny", tree), "one", tree)
    assert len(made.states["mean"][0]) == len(made.windows)
    assert "cannot be written" in caplog.text and "computed again next time" in caplog.text


@pytest.mark.parametrize("lost", ["*.tokens.parquet", "*.windows.parquet", "*.safetensors"])
@pytest.mark.parametrize("is_cut", [False, True])
def test_half_of_what_is_kept_is_not_taken_for_whole(
    tree: Path, corpus: Path, cache: Path, lost: str, is_cut: bool
):
    loaded = load("tiny", tree)
    expected = reference(loaded, "one", tree)
    file = next(cache.rglob(lost))
    content = file.read_bytes()
    file.unlink()
    if is_cut:
        file.write_bytes(content[: len(content) // 2])
    for _ in range(2):
        made = reference(loaded, "one", tree)
        assert np.array_equal(made.states["mean"], expected.states["mean"])


def test_other_code_reads_anew(
    tree: Path, corpus: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    loaded = load("tiny", tree)
    reference(loaded, "one", tree)
    monkeypatch.setattr(reference_of, "_code", lambda: "another")
    reference(loaded, "one", tree)
    assert len([*cache.rglob("*.safetensors")]) == 2


def test_texts_that_the_model_does_not_know_have_no_window_and_are_told(tree: Path, corpus: Path):
    corpus.write_text(json.dumps({"id": "a", "text": "\ua66e \ua66e"}) + "\n")
    loaded = load("tiny", tree)
    made = reference(loaded, "one", tree)
    assert made.windows.empty
    with pytest.raises(InputError, match="none of the 1 text is read: the tokenizer of 'tiny'"):
        space_of(loaded, made, -1, None)


def test_a_corpus_from_elsewhere_is_not_fetched(tree: Path, root: Path, corpus: Path):
    (tree / "conf/corpus/enwik8.yaml").write_bytes((root / "conf/corpus/enwik8.yaml").read_bytes())
    with pytest.raises(InputError, match="enwik8.yaml: its texts are elsewhere, and no question"):
        reference(load("tiny", tree), "enwik8", tree)


def test_an_unknown_corpus_is_told(tree: Path, corpus: Path):
    with pytest.raises(InputError, match="--corpus: found 'on'; did you mean 'one'"):
        reference(load("tiny", tree), "on", tree)


def test_a_file_is_read_as_its_columns_are_told(tree: Path, tmp_path: Path):
    file = tmp_path / "my.csv"
    file.write_text("said;mood\na cat;glad\na cat;glad\na dog;sad\n")
    reading = {"separator": ";", "text_column": "said", "group_column": "mood"}
    texts = corpus_texts(str(file), tree, None, reading)
    assert texts["subject"].tolist() == ["glad", "glad", "sad"]
    assert texts["document"].tolist() == ["1", "1", "3"]  # copies are one unit
    assert corpus_texts(str(file), tree, 1, reading)["text"].tolist() == ["a cat", "a cat"]
    with pytest.raises(InputError, match=r"^/.*my\.csv, line 2: no column 'text'"):
        corpus_texts(str(file), tree, None)
    with pytest.raises(InputError, match=r"^/.*gone\.csv: not found"):
        corpus_texts(str(tmp_path / "gone.csv"), tree, None)


def test_no_texts_have_no_states(tree: Path, cache: Path):
    made = read_once(load("tiny", tree), pd.DataFrame({"id": [], "text": []}, dtype=str), tree)
    assert made.windows.empty and made.tokens.empty and made.states["mean"].shape[1] == 0
    assert not cache.exists()


def test_a_full_disk_is_told_and_leaves_nothing_half(
    tree: Path,
    corpus: Path,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    made = reference(load("tiny", tree), "one", tree)
    assert len(made.states["mean"][0]) == len(made.windows)
    assert "No space left on device; it is computed again next time" in caplog.text
    assert not [file for file in cache.rglob("*") if file.is_file()]


@pytest.mark.parametrize("at", ["read_states", "save_rows"])
def test_an_interrupted_first_computation_is_done_again(
    tree: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch, at: str
):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    loaded = load("tiny", tree)
    with monkeypatch.context() as patch:
        patch.setattr(reference_of, at, interrupted)
        with pytest.raises(KeyboardInterrupt):
            reference(loaded, "one", tree)
    expected = read_states(loaded, TEXTS, tree, {}).tensors["mean"]
    for _ in range(2):
        assert np.array_equal(reference(loaded, "one", tree).states["mean"], expected)


def test_two_that_compute_at_once_do_not_disturb_each_other(
    tree: Path, corpus: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    loaded, save, others = load("tiny", tree), reference_of.save_rows, list[int]()

    def between(table: pd.DataFrame, path: str) -> None:
        if not others:  # another process does it all while this one is half through
            others.append(1)
            others.append(len(reference(loaded, "one", tree).windows))
        save(table, path)

    monkeypatch.setattr(reference_of, "save_rows", between)
    made = reference(loaded, "one", tree)
    assert others[1] == len(made.windows)
    assert len([*cache.rglob("*.parquet")]) == 2
    monkeypatch.setattr(reference_of, "read_states", None)
    assert np.array_equal(reference(loaded, "one", tree).states["mean"], made.states["mean"])


@pytest.mark.parametrize("name", ["posts", "sentences"])
def test_lengths_are_those_of_the_texts(root: Path, name: str):
    expected = corpus_texts(name, root, None)["text"].str.len()
    assert text_lengths(name, root).tolist() == expected.tolist()


def test_lengths_of_a_corpus_from_elsewhere_are_those_that_were_prepared(
    tmp_path: Path, root: Path
):
    (tmp_path / "conf/corpus").mkdir(parents=True)
    (tmp_path / "conf/corpus/far.yaml").write_bytes((root / "conf/corpus/enwik8.yaml").read_bytes())
    with pytest.raises(InputError, match="far.yaml: its texts are elsewhere"):
        text_lengths("far", tmp_path)
    prepared = tmp_path / "data/prepared/texts/far.parquet"
    prepared.parent.mkdir(parents=True)
    save_rows(pd.DataFrame({"text": TEXTS}), str(prepared))
    assert text_lengths("far", tmp_path).tolist() == [len(text) for text in TEXTS]
