"""Tests of `embspace.stream.corpus`."""

from dataclasses import replace
from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.stream.cluster import Cluster
from embspace.stream.corpus import PLACE, Options, stream_corpus
from tests.stream.trees import run_here

OPTIONS = Options(
    model="tiny",
    text_column="text",
    id_column=None,
    texts_per_shard=None,
    spaces=None,
    number_type="float32",
    sample=100,
    results=None,
    shards=None,
)


def test_what_does_not_fit_is_named(tiny_tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tiny_tree)
    wrong = [
        ("texts", {"spaces": ("tokens",)}, "--spaces: found 'tokens', allowed: token, cls, mean"),
        ("texts", {"number_type": "int8"}, "--number-type: found 'int8'"),
        ("nowhere", {}, "nowhere: no corpus of conf/corpus/, and no file or folder"),
    ]
    for place, changed, message in wrong:
        with pytest.raises(InputError, match=message):
            stream_corpus(place, replace(OPTIONS, **changed), Cluster(None, 1, 0), print)


@pytest.mark.slow
def test_a_corpus_of_conf_is_measured(tiny_tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tiny_tree)
    said: list[str] = []
    folder = stream_corpus("model_card", OPTIONS, Cluster(None, 1, 0), said.append)
    for family in ("direction", "spectrum", "intrinsic_dimension", "hubs"):
        assert (folder / f"{family}/profiles/tiny.csv").is_file()
    assert (folder.parent / PLACE).read_text(encoding="utf-8") == "model_card"
    again = list[str]()
    stream_corpus("model_card", OPTIONS, Cluster(None, 1, 0), again.append)
    n_shards = said[0].split(" in ")[1].split(" shard")[0]
    assert f"{n_shards} of them finished" in again[0]


@pytest.mark.parametrize("on_cluster", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_column_that_no_row_has_is_told_beside_those_that_there_are(
    on_cluster: bool, tiny_tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tiny_tree)
    if not on_cluster:
        monkeypatch.setattr("embspace.stream.run.run_all", run_here)
    Path("posts.jsonl").write_text('{"body": "A cat sat."}\n', encoding="utf-8")
    options = replace(OPTIONS, text_column="tetx")
    with pytest.raises(
        InputError, match=r"column 'tetx'; the first text is in a row .* has 'body'"
    ):
        stream_corpus("posts.jsonl", options, Cluster(None, 1, 0), print)


def test_tables_of_another_folder_of_the_same_name_are_not_written_over(
    tiny_tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tiny_tree)
    Path("letters").mkdir()
    Path("letters/a.txt").write_text("A cat sat.\nThe dog ran away.\n", encoding="utf-8")
    place = Path("data/streamed/letters", PLACE)
    place.parent.mkdir(parents=True)
    place.write_text("/elsewhere/letters", encoding="utf-8")
    with pytest.raises(InputError, match=r"the tables of /elsewhere/letters, not of letters;"):
        stream_corpus("letters", OPTIONS, Cluster(None, 1, 0), print)
    assert place.read_text(encoding="utf-8") == "/elsewhere/letters"
