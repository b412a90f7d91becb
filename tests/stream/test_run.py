"""Tests of `embspace.stream.run`: whole runs, with workers and schedulers that are killed."""

import json
import os
import signal
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.stream.cluster import Cluster
from embspace.stream.corpus import Options, stream_corpus
from embspace.stream.plan import Shard
from embspace.stream.run import Progress, Request, measure_corpus, unique_shards, weights_version
from embspace.stream.sources import Source
from tests.stream.trees import (
    INTERVALS,
    corpus_command,
    dask_process,
    environment,
    free_port,
    numbers_of,
    reading_of,
    run_corpus,
    run_here,
    scheduler,
    streaming_tree,
    wait_for_shards,
    worker,
    write_texts,
)
from tests.tiny import WORDS

N_TEXTS, N_FEW = 2400, 50
POISON = {"id": "poison", "text": None}


def shard(key: str) -> Shard:
    return Shard(0, Source("a.txt", "text", None, ""), 0, 5, key)


def test_a_shard_that_is_there_twice_counts_once() -> None:
    assert [
        shard_result.key for shard_result in unique_shards([shard("a"), shard("b"), shard("a")])
    ] == ["a", "b"]


def test_progress_says_how_long_it_takes() -> None:
    said: list[str] = []
    times = iter([0.0, 10.0, 20.0])
    progress = Progress(100, said.append, clock=lambda: next(times))
    facts = {"texts": 50, "resumed": False, "tokens": 500, "pid": 1, "peak_mib": 7.0}
    progress.add({**facts, "seconds_reading": 9.0, "seconds_summing": 1.0})
    assert said == ["50 of 100 texts, 5 a second, 10 s left"]
    progress.end()
    assert "50 texts, 500 tokens in 20 s" in said[1] and "7 MiB" in said[1]


def test_a_slow_run_is_no_standstill() -> None:
    said: list[str] = []
    times = iter([0.0, 10.0, 60.0])
    progress = Progress(20, said.append, clock=lambda: next(times))
    facts = {"texts": 2, "resumed": False, "tokens": 90, "pid": 1, "peak_mib": 7.0}
    progress.add({**facts, "seconds_reading": 9.0, "seconds_summing": 1.0})
    assert said == ["2 of 20 texts, 0.2 a second, 90 s left"]
    progress.end()
    assert "0.033 texts, 1.5 tokens a second" in said[1]


def test_other_weights_have_another_version(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"1")
    before = weights_version([file])
    file.write_bytes(b"12")
    assert weights_version([file]) != before == before


@pytest.mark.parametrize("option", ["shards", "results"])
def test_a_file_in_the_place_of_a_folder_is_told_before_any_shard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setattr("embspace.stream.run.check_dask", lambda: None)
    monkeypatch.setattr("embspace.stream.run.plan_shards", lambda *given: [])
    (tmp_path / option).write_text("of a user")
    (tmp_path / "conf/model").mkdir(parents=True)
    (tmp_path / "conf/model/tiny.yaml").write_text("label: tiny\n")
    folders: dict[str, Any] = {name: tmp_path / name for name in ("shards", "results")}
    bounds = {"copy_similarity": 0.9, "largest_unknown_share": 0.2}
    request = Request(
        "c", [], reading_of(tmp_path), INTERVALS, None, root=tmp_path, **bounds, **folders
    )
    with pytest.raises(InputError, match=rf"{option}: cannot be made a folder: File exists"):
        measure_corpus(request, Cluster(None, 1, 0.0), print)


@pytest.fixture(scope="module")
def tree(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree, its texts, among them a poisonous one, and what an undisturbed run makes of them."""
    tree = poisoned_tree(root, tmp_path_factory.mktemp("tree"), N_TEXTS)
    run_corpus(root, tree, "texts", "--model", "tiny", "--texts-per-shard", 60, *into("plain"))
    return tree


def into(name: str) -> tuple[str, ...]:
    return ("--results", f"out/{name}", "--shards", f"shards/{name}", "--id-column", "id")


def poisoned_tree(root: Path, folder: Path, n_texts: int) -> Path:
    tree = streaming_tree(root, folder)
    path = write_texts(tree / "texts/a.jsonl", n_texts)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(POISON) + "\n")
    return tree


def test_poison_is_left_out_with_its_reason_by_shards_that_run_here(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = poisoned_tree(root, tmp_path, N_FEW)
    monkeypatch.chdir(tree)
    monkeypatch.setattr("embspace.stream.run.run_all", run_here)
    out, shards = (Path(folder, "plain") for folder in ("out", "shards"))
    options = Options("tiny", "text", "id", 20, ("token",), "float32", 100, out, shards)
    stream_corpus("texts", options, Cluster(None, 1, 0), print)
    assert_poison_is_left_out(tree, N_FEW, 3)


def streamed_here(
    tree: Path, monkeypatch: pytest.MonkeyPatch, run: Any = run_here, **given: Any
) -> list[str]:
    """Run the shards of a corpus in this process, without tables, and return what was said."""
    monkeypatch.chdir(tree)
    monkeypatch.setattr("embspace.stream.run.run_all", run)
    monkeypatch.setattr("embspace.stream.run._write_tables", lambda *given: None)
    out, shards = Path("out/plain"), Path("shards/plain")
    options = Options("tiny", "text", "id", 20, ("token",), "float32", 100, out, shards, **given)
    said: list[str] = []
    stream_corpus("texts", options, Cluster(None, 1, 0), said.append)
    return said


def test_a_flipped_byte_and_texts_of_equal_size_and_time_are_computed_anew(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = poisoned_tree(root, tmp_path, N_FEW)
    streamed_here(tree, monkeypatch)
    shards = [*(tree / "shards/plain/tiny").glob("[0-9a-f]*.safetensors")]
    content = shards[1].read_bytes()
    shards[1].write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert "3 shards, 2 of them finished" in streamed_here(tree, monkeypatch)[0]
    assert shards[1].read_bytes() == content
    said = streamed_here(tree, monkeypatch, check=True)
    assert said[0].startswith("0 finished shards of other texts")
    texts = tree / "texts/a.jsonl"
    before, old = texts.stat(), texts.read_text(encoding="utf-8")
    texts.write_text(old.replace('"id": "t3"', '"id": "u3"'), encoding="utf-8")
    os.utime(texts, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "3 of them finished" in streamed_here(tree, monkeypatch)[0]
    said = streamed_here(tree, monkeypatch, check=True)
    assert said[0] == "1 finished shard of other texts, computed anew"
    assert "3 shards, 2 of them finished" in said[1]


def test_a_source_that_changes_under_the_run_is_noticed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = poisoned_tree(root, tmp_path, N_FEW)

    def with_a_change(cluster: Cluster, calls: dict[str, Any], **given: Any) -> dict[str, str]:
        failed = run_here(cluster, calls, **given)
        write_texts(tree / "texts/a.jsonl", N_FEW, seed=1)
        return failed

    with pytest.raises(InputError, match=r"a\.jsonl: has changed while it was read"):
        streamed_here(tree, monkeypatch, with_a_change)


def test_copies_and_unknown_tokens_are_told(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = streaming_tree(root, tmp_path)
    texts = [" ".join(np.random.default_rng(n).choice(WORDS, size=9)) for n in range(12)]
    lines = [*texts, *(text.upper() for text in texts), "\u4e00 " * 3]
    rows = [{"id": f"t{n}", "text": text} for n, text in enumerate(lines)]
    (tree / "texts").mkdir()
    path = tree / "texts/a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    monkeypatch.chdir(tree)
    monkeypatch.setattr("embspace.stream.run.run_all", run_here)

    def lines_of(name: str) -> list[str]:
        said: list[str] = []
        folders = Path("out", name), Path("shards", name)
        options = Options("tiny", "text", "id", 20, ("cls",), "float32", 100, *folders)
        stream_corpus("texts", options, Cluster(None, 1, 0), said.append)
        return said

    said = "\n".join(lines_of("few"))
    assert "12 of 25 texts repeat another one" in said
    assert "% of the tokens are unknown to the tokenizer" in said
    counts = pd.read_csv("out/few/counts/tiny.csv").iloc[0]
    assert (counts["texts"], counts["documents"]) == (25, 13)
    assert counts["unknown_tokens"] > 0
    table = pd.read_csv("out/few/direction/profiles/tiny.csv")
    assert set(table["n_texts"]) == {13} and set(table["n"]) == {25}
    settings = tree / "conf/extract/hidden_states.yaml"
    before = settings.read_text(encoding="utf-8")
    changed = before.replace("largest_unknown_share: 0.2", "largest_unknown_share: 0.0")
    assert changed != before
    settings.write_text(changed, encoding="utf-8")
    assert "is not checkable, and is empty" in "\n".join(lines_of("few"))
    for family in ("direction/profiles", "hubs/profiles", "distributions"):
        assert pd.read_csv(f"out/few/{family}/tiny.csv").empty


@pytest.mark.slow
def test_poison_is_left_out_with_its_reason(tree: Path) -> None:
    assert_poison_is_left_out(tree, N_TEXTS, 41)


def assert_poison_is_left_out(tree: Path, n_texts: int, n_shards: int) -> None:
    quarantine = pd.read_csv(tree / "out/plain/quarantine/tiny.csv")
    assert quarantine["id"].tolist() == ["poison"]
    assert quarantine["reason"].tolist() == ["the text is no text: None"]
    counts = pd.read_csv(tree / "out/plain/counts/tiny.csv").iloc[0]
    assert (counts["texts"], counts["quarantined"], counts["shards"]) == (n_texts, 1, n_shards)


@pytest.mark.slow
def test_a_file_that_is_there_twice_is_read_once(root: Path, tree: Path) -> None:
    folder = tree / "linked"
    folder.mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        (folder / name).symlink_to(tree / "texts/a.jsonl")
    options = ("--model", "tiny", "--texts-per-shard", 60, "--results", "out/linked")
    options += ("--shards", "shards/plain", "--id-column", "id")
    said = run_corpus(root, tree, "linked", *options)
    assert "41 shards, 41 of them finished" in said
    linked, plain = (numbers_of(tree / f"out/{name}") for name in ("linked", "plain"))
    counts = "counts/tiny.csv"
    assert linked[counts].replace("linked", "texts") == plain[counts]


@pytest.mark.slow
def test_killed_workers_and_schedulers_change_nothing(root: Path, tree: Path) -> None:
    """Two workers; one is killed in mid-shard, then the scheduler with the other one."""
    port = free_port()
    folder = tree / "shards/killed/tiny"
    options = ("texts", "--model", "tiny", "--texts-per-shard", 60, *into("killed"))
    command = corpus_command(*options, "--scheduler", f"tcp://127.0.0.1:{port}")
    with ExitStack() as stack:
        first = stack.enter_context(dask_process(root, tree, *scheduler(root, tree, port)))
        workers = [stack.enter_context(dask_process(root, tree, *worker(port))) for _ in range(2)]
        run = subprocess.Popen(
            command, cwd=tree, env=environment(root), stderr=subprocess.PIPE, text=True
        )
        wait_for_shards(folder, 3)
        os.kill(workers[0].pid, signal.SIGKILL)
        after_worker = wait_for_shards(folder, 8)
        os.kill(first.pid, signal.SIGKILL)
        os.kill(workers[1].pid, signal.SIGKILL)
        first.wait()
        time.sleep(1)
        assert after_worker < 41, "the run was over before anything was killed"
        stack.enter_context(dask_process(root, tree, *scheduler(root, tree, port)))
        stack.enter_context(dask_process(root, tree, *worker(port)))
        said = run.communicate(timeout=300)[1]
    assert run.returncode == 0, said
    assert "the scheduler is lost" in said
    assert numbers_of(tree / "out/killed") == numbers_of(tree / "out/plain")
