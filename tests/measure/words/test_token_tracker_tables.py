"""`tables_of`: values are those of the statistics, and homonyms may lack."""

import numpy as np
import pytest

from embspace.measure.words.token_tracker_statistics import contrast, movement_shares
from embspace.measure.words.token_tracker_tables import COLUMNS, SHARES, Halves, tables_of
from embspace.measure.words.token_tracker_tracks import Tracks
from tests.measure.words.test_token_tracker_statistics import DRIFTING, LAYERS, N_UNITS, tracks

EVERY = np.ones(4 * N_UNITS, dtype=bool)
STILL = tracks(np.zeros((LAYERS, 4 * N_UNITS)))


def tables(random: Tracks = STILL) -> dict[str, object]:
    halves = Halves(20, 0.9, np.random.default_rng(0))
    return dict(tables_of((DRIFTING, None), (random, None), halves, n_listed=15, apart=0.75))


def test_values_are_those_of_the_statistics():
    found = tables_of(
        (DRIFTING, None),
        (STILL, None),
        Halves(20, 0.9, np.random.default_rng(0)),
        n_listed=15,
        apart=0.75,
    )
    table = found["contrasts"]
    expected = contrast(DRIFTING, "none", ("content", "function"), EVERY)
    assert np.allclose(table["value"], expected.ravel())
    assert np.allclose(table["random_weights_value"].to_numpy().reshape(-1, 4)[:, 0], 0.5)
    moved = found["movement"]
    shares = np.concatenate(
        [movement_shares(DRIFTING, each, EVERY).ravel() for each in ("content", "function")]
    )
    assert np.allclose(moved["value"], shares, equal_nan=True)
    summary = found["summary"].set_index("statistic")
    assert summary.loc["content_rank_larger_at_last", "value"] == 1
    # All texts are alike, so that all halves are.
    assert summary.loc["content_rank_larger_at_last", "low"] == pytest.approx(1)
    assert summary.loc["excursion_of_function_words", "random_weights_value"] == 0
    assert (summary["n_units"] == N_UNITS).all() and (summary["n_tokens"] == 48).all()


def test_without_homonyms_only_running_texts_have_rows():
    found = tables()
    assert set(found) == set(COLUMNS)
    assert set(found["contrasts"]["contrast"]) == {"content_function"}  # type: ignore[index]


def test_intervals_end_where_what_is_measured_ends():
    # One text of the six is far off: halves with it and without it deviate by more than is left.
    rank = np.zeros((LAYERS, 4 * N_UNITS))
    rank[1:, :4] = 400
    odd = tracks(rank)
    for name, table in tables_of(
        (odd, None),
        (STILL, None),
        Halves(200, 0.9, np.random.default_rng(0)),
        n_listed=15,
        apart=0.75,
    ).items():
        named = table.set_index("statistic" if name == "summary" else "quantity")
        shares = named.loc[named.index.intersection(SHARES), ["value", "low", "high"]].dropna()
        assert shares.to_numpy().min(initial=0) >= 0 and shares.to_numpy().max(initial=1) <= 1
        ranks = named.loc[named.index.intersection(["log_rank"]), ["value", "low"]]
        assert (ranks.to_numpy() >= 0).all()
    layer = named_row(odd, "excursion_layer")
    assert 1 <= layer["low"] <= layer["value"] <= layer["high"] <= LAYERS - 1


def named_row(of: Tracks, statistic: str) -> dict[str, float]:
    halves = Halves(200, 0.9, np.random.default_rng(0))
    table = tables_of((of, None), (STILL, None), halves, n_listed=15, apart=0.75)["summary"]
    return dict(table.set_index("statistic").loc[statistic])
