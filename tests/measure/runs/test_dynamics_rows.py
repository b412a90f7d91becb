"""Holds the rows of a checkpoint's layers to the library's measures of its tokens."""

import pandas as pd
import pytest

from embspace.clouds.layers import layer_clouds
from embspace.geometry import mean_cosine, two_nn
from embspace.geometry.pairs.distinct import distinct_rows
from embspace.measure.runs.dynamics_rows import Settings, rows_of_layers
from tests.measure.layer_corpora import corpus

SETTINGS = Settings(["as_is"], ["partition_isotropy"], 64, 4096, 0)


def test_rows_are_of_the_tokens_of_each_layer() -> None:
    states = corpus(12)
    rows = {(row["layer"], row["measure"]): row for row in rows_of_layers(states, SETTINGS)}
    assert {layer for layer, _ in rows} == set(range(states.n_layers))
    for layer in range(states.n_layers):
        (cloud,) = (
            cloud
            for space, _, cloud in layer_clouds(states, layer, ["as_is"], n_top=0)
            if space == "token"
        )
        row = rows[layer, "mean_cosine"]
        assert (row["value"], row["n"]) == (pytest.approx(mean_cosine(cloud.x)), len(cloud.x))
        whole = Settings(["as_is"], [], len(cloud.x), 4096, 0)
        (dimension,) = (
            row["value"]
            for row in rows_of_layers(states, whole)
            if (row["layer"], row["measure"]) == (layer, "two_nn")
        )
        assert dimension == pytest.approx(two_nn(cloud.x[distinct_rows(cloud.x)]).value)


def test_what_is_left_out_has_no_row() -> None:
    names = {row["measure"] for row in rows_of_layers(corpus(12), SETTINGS)}
    assert "partition_isotropy" not in names and "partition_isotropy_at_unit_norm" in names


def test_copies_of_a_vector_are_counted_and_left_out_of_neighbors_alone() -> None:
    states = corpus(12)
    tokens = states.states["token"]
    tokens[1, -30:] = tokens[1, :30]  # of the last layer
    table = pd.DataFrame(rows_of_layers(states, SETTINGS))
    last = table[table["layer"] == 1]
    n = last.loc[last["measure"] == "mean_cosine", "n"].item()
    is_two_nn = last["measure"] == "two_nn"
    n_copies = n - len(distinct_rows(tokens[1][~states.tokens["repeated"]]))
    assert n_copies > 15
    assert last.loc[is_two_nn, "n_equal"].item() == n_copies
    assert (
        last.loc[last["measure"].isin(["mean_cosine", "participation_ratio"]), "n_equal"] == 0
    ).all()
    assert (
        last.loc[last["measure"].isin(["mean_cosine", "participation_ratio"]), "dropped"] == 0
    ).all()
    assert last.loc[is_two_nn, "n_batches"].item() == (n - n_copies) // 64
