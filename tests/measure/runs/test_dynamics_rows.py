"""Holds the rows of a checkpoint's layers to the library's measures of its tokens."""

import numpy as np
import pytest

from embspace.clouds.layers import layer_clouds
from embspace.geometry import mean_cosine, two_nn
from embspace.measure.runs.dynamics_rows import Settings, distinct_rows, rows_of_layers
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


@pytest.mark.parametrize("dim", [5, 384])
def test_rows_that_only_rounding_tells_apart_count_once(dim: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, dim)) + 3
    assert distinct_rows(x).tolist() == list(range(500))
    rounded = x * (1 + 6e-8 * rng.normal(size=x.shape))
    again = np.concatenate([x, x[:100], rounded, rounded[::-1]])
    assert distinct_rows(again).tolist() == list(range(500))
    # Ten times as far apart, they are two.
    moved = x + 1e-4 * np.linalg.norm(x[0]) * np.eye(dim)[0]
    assert len(distinct_rows(np.concatenate([x, moved]))) == 1000


def test_hundreds_of_copies_count_once() -> None:
    x = np.random.default_rng(0).normal(size=(3, 8)).astype(np.float32)
    assert distinct_rows(np.repeat(x, 400, axis=0)).tolist() == [0, 400, 800]
    assert distinct_rows(np.zeros((9, 4), dtype=np.float32)).tolist() == [0]
