"""Tests of `embspace.stream.tables`: the rows are those that the stage has of the vectors."""

from pathlib import Path

import numpy as np
import pytest

from embspace.geometry.inference.half_samples import estimate_over_texts
from embspace.geometry.measures.spectral_measures import top_variance_share
from embspace.geometry.pairs.moments import moments_of
from embspace.stream.moments import central_moments
from embspace.stream.reading import Loaded
from embspace.stream.shard import embed_shard, pilot_of
from embspace.stream.store import save_shard, shard_path
from embspace.stream.sums import RunningSums
from embspace.stream.tables import (
    cloud_rows,
    is_one_vector,
    layer_rows,
    over_batches,
    profile_table,
    sample_of,
    totals,
)
from tests.stream.trees import INTERVALS, reading_of, shard_of


def test_measures_and_intervals_are_those_of_the_vectors() -> None:
    x = np.random.default_rng(0).normal(size=(240, 6)) * np.arange(1, 7) + 2
    parts = []
    for block in np.split(x, 8):
        running = RunningSums(np.full(6, 2.0), np.zeros(6))
        running.add(block)
        parts.append(running.so_far)
    whole, rows = cloud_rows(parts, 8, INTERVALS, np.random.default_rng(5))
    expected = estimate_over_texts(
        x, np.repeat(np.arange(8), 30), n_half_samples=10, rng=np.random.default_rng(5)
    )
    assert whole.moments.n == 240 and len(rows) > 10
    for _, row in rows:
        estimate = expected[row["measure"]]
        for column in ("value", "low", "high", "of_half", "n", "n_texts"):
            cell, wanted = row[column], getattr(estimate, column)
            assert cell == pytest.approx(wanted, rel=1e-9, abs=1e-12, nan_ok=True), (
                row["measure"],
                column,
            )


def test_one_vector_has_no_spread() -> None:
    x = np.ones((40, 3)) + 1e-8 * np.random.default_rng(0).normal(size=(40, 3))
    running = RunningSums(np.zeros(3), np.zeros(3))
    running.add(x)
    assert is_one_vector(running.so_far.moments)
    rows = {
        row["measure"]: row
        for _, row in cloud_rows([running.so_far], 1, INTERVALS, np.random.default_rng(0))[1]
    }
    assert np.isnan(rows["top_variance_share"]["value"])
    assert rows["mean_cosine"]["value"] == pytest.approx(1, abs=1e-12)


def test_small_shards_are_joined_to_batches() -> None:
    x = np.random.default_rng(0).normal(size=(100, 4))
    moments = [central_moments(moments_of(part)) for part in np.split(x, 10)]
    row = over_batches([np.zeros(1)] * 10, moments, 40)
    expected = [top_variance_share(part) for part in (x[:40], x[40:])]
    assert row["n_batches"] == 2
    assert row["mean_over_batches_in_order"] == pytest.approx(np.mean(expected))


def test_tables_of_shards(tiny_tree: Path, tiny_loaded: Loaded, tmp_path: Path) -> None:
    path, reading = tiny_tree / "texts/a.jsonl", reading_of(tiny_tree)
    paths = []
    for first in range(0, 60, 10):
        shard = shard_of(path, first, 10)
        pilot = pilot_of(shard_of(path, 0, 10), reading, tiny_loaded)
        assert pilot is not None
        paths.append(shard_path(tmp_path, shard.key))
        save_shard(embed_shard(shard, reading, tiny_loaded, pilot), paths[-1])
    rows = layer_rows("texts", paths, 1, reading.spaces, INTERVALS)
    table = profile_table(rows["spectrum"])
    assert table[["space", "change"]].drop_duplicates().to_numpy().tolist() == [
        ["token", "as_is"],
        ["token", "ordinary_tokens"],
        ["cls", "as_is"],
        ["mean", "as_is"],
        ["mean", "ordinary_tokens"],
    ]
    assert set(table["n_texts"]) == {60}
    assert {row["quantity"] for row in rows["distributions"]} == {"norm", "cosine_to_pilot_mean"}
    sample = sample_of(paths, 1, "mean")
    names = [document.split("/")[1] for document in sample.documents]
    assert names == sorted(names) and len({*names}) == len(sample.vectors) > 10
    assert totals(paths)["texts"] == 60 and totals(paths)["quarantined"] == 0
