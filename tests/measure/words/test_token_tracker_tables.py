"""`tables_of`: values are those of the statistics, and homonyms may lack."""

import numpy as np
import pandas as pd
import pytest

from embspace.measure.words.token_tracker_statistics import contrast, movement_shares
from embspace.measure.words.token_tracker_tables import (
    COSINES,
    FROM_ZERO,
    SHARES,
    Halves,
    _within_range,
    tables_of,
)
from embspace.measure.words.token_tracker_tables import (
    LAYERS as OF_LAYERS,
)
from embspace.measure.words.token_tracker_tracks import Tracks
from tests.measure.words.test_token_tracker_statistics import (
    DRIFTING,
    GROUP,
    LAYERS,
    N_UNITS,
    tracks,
)

EVERY = np.ones(4 * N_UNITS, dtype=bool)
STILL = tracks(np.zeros((LAYERS, 4 * N_UNITS)))


def tables(random: Tracks = STILL) -> dict[str, object]:
    halves = Halves(20, 0.9, np.random.default_rng(0))
    return dict(tables_of((DRIFTING, None), (random, None), halves, (), n_listed=15, apart=0.75))


def test_values_are_those_of_the_statistics():
    outcome = tables_of(
        (DRIFTING, None),
        (STILL, None),
        Halves(20, 0.9, np.random.default_rng(0)),
        (),
        n_listed=15,
        apart=0.75,
    )
    table = outcome["contrasts"]
    expected = contrast(DRIFTING, "none", ("content", "function"), EVERY)
    assert np.allclose(table["value"], expected.ravel())
    assert np.allclose(table["random_weights_value"].to_numpy().reshape(-1, 4)[:, 0], 0.5)
    moved = outcome["movement"]
    shares = np.concatenate(
        [movement_shares(DRIFTING, group, EVERY).ravel() for group in ("content", "function")]
    )
    assert np.allclose(moved["value"], shares, equal_nan=True)
    summary = outcome["summary"].set_index("statistic")
    assert summary.loc["content_rank_larger_at_last", "value"] == 1
    # All texts are alike, so that all halves are.
    assert summary.loc["content_rank_larger_at_last", "low"] == pytest.approx(1)
    assert summary.loc["excursion_of_function_words", "random_weights_value"] == 0
    assert (summary["n_units"] == N_UNITS).all() and (summary["n_tokens"] == 48).all()
    assert (outcome["together"]["n_units"] == N_UNITS).all()
    for name in ("layers", "movement"):
        assert (outcome[name]["n_units"] == N_UNITS).all()
        expected = [(group == GROUP).sum() for group in outcome[name]["group"]]
        assert outcome[name]["n_tokens"].tolist() == expected
    assert (table["n_tokens"] == np.isin(GROUP, ["content", "function"]).sum()).all()
    together = outcome["together"][["quantity", "layer"]].to_numpy().tolist()
    assert together[:2] == [["state_cosine", 0], ["state_cosine", 1]]


def test_without_homonyms_only_running_texts_have_rows():
    outcome = tables()
    assert set(outcome["contrasts"]["contrast"]) == {"content_function"}  # type: ignore[index]


def test_intervals_end_where_what_is_measured_ends():
    # The one text with a token that is not nearest has fewer of them than the others: with it a
    # half is nearer to the whole than without it, and what it lacks goes beyond 1 when turned over.
    rank, group = np.zeros((LAYERS, 4 * N_UNITS)), GROUP.copy()
    rank[1:, 0], group[1] = 4, "function"
    halves = Halves(200, 0.9, np.random.default_rng(0))
    outcome = tables_of(
        (tracks(rank, group=group), None), (STILL, None), halves, (), n_listed=15, apart=0.75
    )
    cells = outcome["layers"].query("group == 'content' and layer == 1").set_index("quantity")
    assert 0.9 < cells.loc["nearest", "value"] < 1
    assert cells.loc["nearest", "high"] == 1
    assert cells.loc["log_rank", "low"] == 0


@pytest.mark.parametrize("column", ["quantity", "statistic"])
def test_each_interval_ends_where_its_quantity_does(column: str):
    # Of a model of 7 layers a layer is 1 to 7, a cosine -1 to 1, and a difference may be anything.
    ends = {
        "cosine": (-1, 1),
        "state_cosine": (-1, 1),
        "step_cosine": (-1, 1),
        "steps_in_one_direction": (-1, 1),
        "excursion_layer": (1, 7),
        "first_layer_apart": (1, 7),
        "log_rank": (0, 99),
        "euclidean_distance": (0, 99),
        "attention_content_over_function": (0, 99),
        "excursion_of_function_words": (-99, 99),
    } | dict.fromkeys(SHARES, (0, 1))
    wide = pd.DataFrame({column: [*ends], "low": -99.0, "high": 99.0})
    rows = _within_range(wide, 7).set_index(column)
    assert {name: (row["low"], row["high"]) for name, row in rows.iterrows()} == ends
    assert {*SHARES, *COSINES, *OF_LAYERS, *FROM_ZERO} == {*ends} - {"excursion_of_function_words"}
    inside = pd.DataFrame({column: [*ends], "low": 1.0, "high": 1.0})
    assert _within_range(inside, 7).equals(inside)
