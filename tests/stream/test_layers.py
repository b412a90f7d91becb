"""Tests of `embspace.stream.layers`."""

import numpy as np

from embspace.models.windows import cut_windows
from embspace.stream.layers import LayerSums, Pilot, Rows
from embspace.stream.reading import Loaded
from embspace.stream.states import token_states

TEXTS = ["the cat sat on the mat in the rain", "a dog", "salt"]


def test_kinds_have_the_rows_that_clouds_have(tiny_loaded: Loaded) -> None:
    windows = cut_windows(TEXTS, tiny_loaded.tokenizer, 8, 2)
    states = token_states(tiny_loaded.module, windows, 64, None)
    rows = Rows.of(windows)
    repeated = np.concatenate([window.repeated for window in windows])
    special = np.concatenate([window.special for window in windows])
    sums = LayerSums(Pilot.of(states, windows).layer_means(1), ("token", "cls", "mean"), 4)
    pooled = sums.add(states[1], rows)
    sums_by_kind = sums.sums()
    assert sums_by_kind["token_ordinary"].moments.n == (~repeated & ~special).sum()
    assert sums_by_kind["token_other"].moments.n == (~repeated & special).sum()
    assert sums_by_kind["cls"].moments.n == sums_by_kind["mean"].moments.n == len(windows)
    assert np.allclose(sums_by_kind["mean"].moments.mean, pooled["mean"].mean(axis=0), rtol=1e-6)
    assert len(sums.shares()["token"]) == (~repeated).sum() // 4


def test_without_tokens_there_are_no_ordinary_means(tiny_loaded: Loaded) -> None:
    windows = cut_windows(TEXTS, tiny_loaded.tokenizer, 8)
    states = token_states(tiny_loaded.module, windows, 64, None)
    sums = LayerSums(Pilot.of(states, windows).layer_means(0), ("cls", "mean"), 4)
    sums.add(states[0], Rows.of(windows))
    assert set(sums.sums()) == {"cls", "mean"}
    # Before the first block, first tokens are one vector.
    assert np.abs(sums.sums()["cls"].moments.comoments).max() < 1e-10


def test_totals_of_windows_are_those_of_their_tokens(tiny_loaded: Loaded) -> None:
    windows = cut_windows(TEXTS, tiny_loaded.tokenizer, 8, 2)
    x = token_states(tiny_loaded.module, windows, 64, None)[1].astype(np.float64)
    rows = Rows.of(windows)
    every, ordinary = rows.totals(x)
    bounds = [*rows.starts, len(x)]
    for number, (first, end) in enumerate(zip(bounds, bounds[1:], strict=False)):
        own = x[first:end]
        assert np.allclose(every[number], own.sum(axis=0), rtol=1e-12)
        assert np.allclose(ordinary[number], own[rows.ordinary[first:end]].sum(axis=0), rtol=1e-12)
    assert rows.lengths.sum() == len(x) and rows.n_ordinary.sum() == rows.ordinary.sum()
