"""Tests of `embspace.stream.units.chains`: chains are those of texts that are read at once."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.prepare.copies import copies_of, joined, runs_of
from embspace.stream.units.chains import resemblance, units_of_scans
from embspace.stream.units.scan import KEPT, scan_shard
from tests.stream.units.shards import shards_of, write_rows


def texts_with_copies(rng: np.random.Generator, n: int) -> list[str]:
    """Texts of few words, each some times, of which a word or none was exchanged."""
    bases = [rng.integers(200, size=rng.integers(4, 80)) for _ in range(n // 4)]
    texts = []
    for _ in range(n):
        numbers = bases[rng.integers(len(bases))].copy()
        changed = rng.integers(len(numbers), size=rng.integers(2))
        numbers[changed] = rng.integers(200, size=len(changed))
        texts.append(" ".join(f"w{number}" for number in numbers))
    return texts


def units_in(folder: Path, texts: list[str], size: int, similarity: float | None):
    write_rows(folder / "texts/a.jsonl", [{"text": text} for text in texts])
    shards = shards_of(folder / "texts", size)
    paths = [folder / f"{shard.number}.safetensors" for shard in shards]
    for shard, path in zip(shards, paths, strict=True):
        scan_shard(shard, similarity, path)
    return units_of_scans(paths, [shard.n for shard in shards], similarity)


@pytest.mark.parametrize("similarity", [None, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_copies_are_those_of_texts_read_at_once(
    tmp_path: Path, similarity: float | None, seed: int
) -> None:
    texts = texts_with_copies(np.random.default_rng(seed), 120)
    units = units_in(tmp_path, texts, 17, similarity)
    first = copies_of(texts, similarity)
    assert units.n_copies == int((first != np.arange(len(texts))).sum()) > 10
    by_first = joined([str(number) for number in range(len(texts))], first)
    assert len(set(zip(units.unit.tolist(), by_first, strict=True))) == len(set(by_first))
    assert len(set(units.unit.tolist())) == len(set(by_first))


def test_the_resemblance_of_long_texts_is_near_their_jaccard_index() -> None:
    words = [f"word{number}" for number in range(5000)]
    other = [*words[:4700], *(f"other{number}" for number in range(300))]
    likeness = resemblance(*(runs_of(" ".join(text))[:KEPT] for text in (words, other)))
    assert likeness == pytest.approx(4696 / (2 * 4996 - 4696), abs=4 * 0.019)


def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by one with each comparison of two texts."""
    calls: list[int] = []

    def counted(x: Any, y: Any) -> float:
        calls.append(1)
        return resemblance(x, y)

    monkeypatch.setattr("embspace.stream.units.chains.resemblance", counted)
    return calls


def test_near_copies_are_compared_until_they_are_one_chain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = compared(monkeypatch)
    start = " ".join(f"word{number}" for number in range(200))
    texts = [f"{start} other{number}" for number in range(60)]
    assert units_in(tmp_path, texts, 20, 0.9).n_copies == 59
    assert len(calls) == 59


def test_one_run_of_many_texts_is_no_square_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = compared(monkeypatch)
    rng = np.random.default_rng(0)
    start = "all of them begin with these words and then "
    texts = [start + " ".join(f"w{n}" for n in rng.integers(9999, size=5)) for _ in range(600)]
    assert units_in(tmp_path, texts, 100, 0.9).n_copies == 0
    assert 0 < len(calls) < 600 * 600 / 4
