from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.geometry import cone_index, mean_cosine
from embspace.geometry.inference.resampling import Interval
from embspace.measure.blocks.information_stream import (
    COLUMNS,
    ESTIMATE,
    RANDOM,
    InformationStream,
    _rows,
    measure_information_stream,
)
from embspace.models.weights import with_random_weights
from tests.lazy import torch, transformers
from tests.measure.layer_corpora import LENGTH, corpus
from tests.models.stream.tiny import tiny

SETTINGS: dict[str, Any] = {
    "corpus": "posts",
    "n_texts": 8,
    "n_random_weights": 2,
    "tokens_per_batch": 40,
    "n_half_samples": 20,
    "level": 0.9,
    "device": "cpu",
    "seed": 3,
}
CORPORA = {"posts": corpus(12)}
TABLES = ("points", "heads", "steps", "gains")


@pytest.fixture(scope="module")
def module() -> Any:
    return tiny("bert")


@pytest.fixture(scope="module")
def found(module: Any) -> InformationStream:
    return measure_information_stream(module, CORPORA, **SETTINGS)


def states_of(module: Any, layer: int) -> list[np.ndarray]:
    """The hidden states of the first window of 8 documents of 12, evenly."""
    tokens = CORPORA["posts"].tokens["id"].to_numpy().reshape(-1, LENGTH)
    windows = 2 * np.linspace(0, 11, 8).round().astype(int)
    with torch.inference_mode():
        ids = torch.from_numpy(tokens[windows].astype(np.int64))
        states = module(input_ids=ids, output_hidden_states=True).hidden_states
    return list(states[layer].numpy())


def value(table: pd.DataFrame, column: str = "value", **place: Any) -> float:
    kept = table[np.logical_and.reduce([table[key] == each for key, each in place.items()])]
    assert len(kept) == 1
    return float(kept[column].iloc[0])


def test_tables_have_a_row_a_place(found: InformationStream):
    for name in TABLES:
        table = getattr(found, name)
        assert list(table) == COLUMNS[name]
        keys = COLUMNS[name][: COLUMNS[name].index("value")]
        assert not table.duplicated(keys).any()
        assert (table["n_texts"] == 8).all()
        assert (table["n_tokens"] == 8 * LENGTH).all()
    assert set(found.points["layer"]) == {1, 2, 3}
    assert set(found.heads["head"]) == {1, 2, 3, 4}
    assert set(found.gains["n_blocks"]) == {3}


@pytest.mark.parametrize("layer", [1, 2, 3])
def test_points_are_means_over_texts_of_the_library_s_measures(
    found: InformationStream, module: Any, layer: int
):
    for point, at in (("input", layer - 1), ("output", layer)):
        states = states_of(module, at)
        place = {"layer": layer, "point": point}
        for measure, function in (("mean_cosine", mean_cosine), ("cone_index", cone_index)):
            expected = np.mean([function(each) for each in states])
            assert value(found.points, **place, measure=measure) == pytest.approx(expected, 1e-4)


def test_random_weights_read_the_same_tokens(found: InformationStream, module: Any):
    values = [
        np.mean([mean_cosine(each) for each in states_of(with_random_weights(module, seed), 3)])
        for seed in (3, 4)
    ]
    place = {"layer": 3, "point": "output", "measure": "mean_cosine"}
    ends = {"mean": np.mean(values), "smallest": min(values), "largest": max(values)}
    for end, expected in ends.items():
        got = value(found.points, f"random_weights_{end}", **place)
        assert got == pytest.approx(expected, abs=1e-5)


def test_intervals_hold_the_value(found: InformationStream):
    for name in TABLES:
        table = getattr(found, name)
        wide = (table["high"] - table["low"]) >= -1e-12
        assert wide.all()
        assert ((table["low"] <= table["value"]) & (table["value"] <= table["high"])).mean() > 0.9


def test_gains_are_the_mean_of_the_steps(found: InformationStream):
    steps = found.steps.query("measure == 'mean_cosine'").groupby("step")["value"].mean()
    for step, expected in steps.items():
        got = value(found.gains, step=step, measure="mean_cosine")
        assert got == pytest.approx(expected)


def test_steps_are_differences_of_points(found: InformationStream):
    for row in found.steps.itertuples():
        ends = [
            value(found.points, layer=row.layer, point=point, measure=row.measure)
            for point in (row.from_point, row.to_point)
        ]
        assert row.value == pytest.approx(ends[1] - ends[0], abs=1e-9)


def test_a_paired_difference_is_surer_than_its_ends(module: Any):
    """What attention does to a text is alike in all texts, where these differ in alignment."""
    found = measure_information_stream(module, CORPORA, **SETTINGS | {"n_half_samples": 200})
    place = {"layer": 3, "measure": "mean_cosine"}

    def width(table: pd.DataFrame, **more: str) -> float:
        return value(table, "high", **place, **more) - value(table, "low", **place, **more)

    unpaired = width(found.points, point="input") + width(found.points, point="output")
    assert width(found.steps, step="block") < unpaired


def test_other_halves_move_only_intervals(module: Any, found: InformationStream):
    no_random = SETTINGS | {"n_random_weights": 0}
    one = measure_information_stream(module, CORPORA, **no_random | {"seed": 9}).points
    assert one["value"].to_numpy() == pytest.approx(found.points["value"].to_numpy())
    assert (one["low"] != found.points["low"]).any()
    assert one["random_weights_mean"].isna().all()


def test_the_same_seed_gives_the_same_tables(module: Any, found: InformationStream):
    again = measure_information_stream(module, CORPORA, **SETTINGS)
    for name in TABLES:
        pd.testing.assert_frame_equal(getattr(again, name), getattr(found, name))


def test_batches_change_nothing(module: Any, found: InformationStream):
    other = measure_information_stream(module, CORPORA, **SETTINGS | {"tokens_per_batch": 1})
    assert other.points["value"].to_numpy() == pytest.approx(
        found.points["value"].to_numpy(), rel=1e-3, abs=1e-4
    )


@pytest.mark.parametrize("corpora", [{}, {"posts": corpus(0)}])
def test_without_a_text_the_tables_are_empty(module: Any, corpora: Any):
    none = measure_information_stream(module, corpora, **SETTINGS)
    assert all(list(getattr(none, name)) == COLUMNS[name] for name in TABLES)
    assert not any(len(getattr(none, name)) for name in TABLES)


def test_an_architecture_that_is_not_known_has_empty_tables():
    sizes = {"vocab_size": 20, "hidden_size": 8, "num_hidden_layers": 1, "intermediate_size": 8}
    config = transformers.GPTNeoXConfig(**sizes, num_attention_heads=2)
    for unknown in (transformers.GPTNeoXModel(config).eval(), None):
        none = measure_information_stream(unknown, CORPORA, **SETTINGS)
        assert not any(len(getattr(none, name)) for name in TABLES)


def test_every_number_of_a_row():
    values = np.array([[1.0, 5], [3, 5]])
    bounds = Interval(np.array([0.5, 4]), np.array([3.0, 6]), np.zeros((1, 2)))
    random = np.array([[1.0, 0], [2, 0], [6, 9]])
    assert list(_rows(values, bounds, random)) == [
        dict(zip([*ESTIMATE, *RANDOM], numbers, strict=True))
        for numbers in ([2, 0.5, 3, 3, 1, 6], [5, 4, 6, 3, 0, 9])
    ]
    assert list(_rows(values, bounds, np.array([])))[1] == {"value": 5, "low": 4, "high": 6}


def test_points_are_beside_isotropic_vectors(found: InformationStream):
    place = {"layer": 2, "measure": "mean_resultant_length"}
    for point, n_dimensions in (("value", 6), ("output", 24)):
        assert value(found.points, "isotropic", **place, point=point) == pytest.approx(LENGTH**-0.5)
        assert value(found.points, "n_dimensions", **place, point=point) == n_dimensions
    assert (found.points.query("measure == 'mean_cosine'")["isotropic"] == 0).all()


def test_points_of_heads_are_the_mean_of_the_rows_of_heads(found: InformationStream):
    columns = ["value", "random_weights_mean"]
    means = found.heads.groupby(["layer", "point", "measure"])[columns].mean()
    for (layer, point, measure), expected in means.iterrows():
        for column in columns:
            got = value(found.points, column, layer=layer, point=point, measure=measure)
            assert got == pytest.approx(expected[column], abs=1e-9)
