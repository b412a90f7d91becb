from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.geometry import cone_index, mean_cosine
from embspace.measure.blocks.information_stream import measure_information_stream
from embspace.measure.tables.columns import BESIDE_RANDOM_WEIGHTS
from embspace.models.weights import with_random_weights
from tests.analyses import settings_of
from tests.lazy import torch, transformers
from tests.measure.layer_corpora import LENGTH, corpus
from tests.models.stream.tiny import tiny

FEW: dict[str, Any] = {"n_texts": 8, "n_random_weights": 2, "tokens_per_batch": 40, "level": 0.9}
DECIDED_BY_SEED = [*BESIDE_RANDOM_WEIGHTS][3:]
CORPORA = {"posts": corpus(12)}
Tables = dict[str, pd.DataFrame]


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"module": tiny("bert"), "corpora": {} if is_empty else CORPORA}


def measured(module: Any, corpora: Any = CORPORA, **changed: Any) -> Tables:
    few = FEW | {"n_half_samples": 20, "seed": 3}
    settings = settings_of(measure_information_stream, **few | changed)
    return measure_information_stream(module, corpora, **settings)


@pytest.fixture(scope="module")
def module() -> Any:
    return tiny("bert")


@pytest.fixture(scope="module")
def tables(module: Any) -> Tables:
    return measured(module)


def states_of(module: Any, layer: int) -> list[np.ndarray]:
    """The hidden states of the first window of 8 documents of 12, evenly."""
    tokens = CORPORA["posts"].tokens["id"].to_numpy().reshape(-1, LENGTH)
    windows = 2 * np.linspace(0, 11, 8).round().astype(int)
    with torch.inference_mode():
        ids = torch.from_numpy(tokens[windows].astype(np.int64))
        states = module(input_ids=ids, output_hidden_states=True).hidden_states
    return list(states[layer].numpy())


def value(table: pd.DataFrame, column: str = "value", **place: Any) -> float:
    kept = table[np.logical_and.reduce([table[key] == known for key, known in place.items()])]
    assert len(kept) == 1
    return float(kept[column].iloc[0])


def test_tables_have_a_row_a_place(tables: Tables):
    for table in tables.values():
        columns = [*table]
        assert not table.duplicated(columns[: columns.index("value")]).any()
        assert (table["n_texts"] == 8).all()
        assert (table["n_tokens"] == 8 * LENGTH).all()
    assert set(tables["csv"]["layer"]) == {1, 2, 3}
    assert set(tables["heads"]["head"]) == {1, 2, 3, 4}
    assert set(tables["gains"]["n_blocks"]) == {3}


@pytest.mark.parametrize("layer", [1, 2, 3])
def test_points_are_means_over_texts_of_the_library_s_measures(
    tables: Tables, module: Any, layer: int
):
    for point, at in (("input", layer - 1), ("output", layer)):
        states = states_of(module, at)
        place = {"layer": layer, "point": point}
        for measure, function in (("mean_cosine", mean_cosine), ("cone_index", cone_index)):
            expected = np.mean([function(x) for x in states])
            assert value(tables["csv"], **place, measure=measure) == pytest.approx(expected, 1e-4)


def test_random_weights_read_the_same_tokens(tables: Tables, module: Any):
    values = [
        np.mean([mean_cosine(x) for x in states_of(with_random_weights(module, seed), 3)])
        for seed in (3, 4)
    ]
    place = {"layer": 3, "point": "output", "measure": "mean_cosine"}
    ends = {"mean": np.mean(values), "smallest": min(values), "largest": max(values)}
    for end, expected in ends.items():
        got = value(tables["csv"], f"random_weights_{end}", **place)
        assert got == pytest.approx(expected, abs=1e-5)


def test_intervals_hold_the_value(tables: Tables):
    for table in tables.values():
        wide = (table["high"] - table["low"]) >= -1e-12
        assert wide.all()
        assert ((table["low"] <= table["value"]) & (table["value"] <= table["high"])).mean() > 0.9


def test_gains_are_the_mean_of_the_steps(tables: Tables):
    steps = tables["steps"].query("measure == 'mean_cosine'").groupby("step")["value"].mean()
    for step, expected in steps.items():
        got = value(tables["gains"], step=step, measure="mean_cosine")
        assert got == pytest.approx(expected)


def test_steps_are_differences_of_points(tables: Tables):
    for row in tables["steps"].itertuples():
        ends = [
            value(tables["csv"], layer=row.layer, point=point, measure=row.measure)
            for point in (row.from_point, row.to_point)
        ]
        assert row.value == pytest.approx(ends[1] - ends[0], abs=1e-9)


def test_a_paired_difference_is_surer_than_its_ends(module: Any):
    """What attention does to a text is alike in all texts, where these differ in alignment."""
    tables = measured(module, n_half_samples=200)
    place = {"layer": 3, "measure": "mean_cosine"}

    def width(table: pd.DataFrame, **more: str) -> float:
        return value(table, "high", **place, **more) - value(table, "low", **place, **more)

    unpaired = width(tables["csv"], point="input") + width(tables["csv"], point="output")
    assert width(tables["steps"], step="block") < unpaired


def test_other_halves_move_only_intervals(module: Any, tables: Tables):
    one = measured(module, n_random_weights=0, seed=9)["csv"]
    assert one["value"].to_numpy() == pytest.approx(tables["csv"]["value"].to_numpy())
    assert (one["low"] != tables["csv"]["low"]).any()
    assert one["random_weights_mean"].isna().all()


def test_batches_change_nothing(module: Any, tables: Tables):
    other = measured(module, tokens_per_batch=1)["csv"]
    assert other["value"].to_numpy() == pytest.approx(
        tables["csv"]["value"].to_numpy(), rel=1e-3, abs=1e-4
    )


def test_a_corpus_without_a_text_has_no_rows(module: Any):
    assert all(table.empty for table in measured(module, {"posts": corpus(0)}).values())


def test_an_architecture_that_is_not_known_has_empty_tables():
    sizes = {"vocab_size": 20, "hidden_size": 8, "num_hidden_layers": 1, "intermediate_size": 8}
    config = transformers.GPTNeoXConfig(**sizes, num_attention_heads=2)
    for unknown in (transformers.GPTNeoXModel(config).eval(), None):
        assert all(table.empty for table in measured(unknown).values())


def test_points_are_beside_isotropic_vectors(tables: Tables):
    points, place = tables["csv"], {"layer": 2, "measure": "mean_resultant_length"}
    for point, n_dimensions in (("value", 6), ("output", 24)):
        assert value(points, "isotropic", **place, point=point) == pytest.approx(LENGTH**-0.5)
        assert value(points, "n_dimensions", **place, point=point) == n_dimensions
    assert (points.query("measure == 'mean_cosine'")["isotropic"] == 0).all()


def test_points_of_heads_are_the_mean_of_the_rows_of_heads(tables: Tables):
    columns = ["value", "random_weights_mean"]
    means = tables["heads"].groupby(["layer", "point", "measure"])[columns].mean()
    for (layer, point, measure), expected in means.iterrows():
        for column in columns:
            got = value(tables["csv"], column, layer=layer, point=point, measure=measure)
            assert got == pytest.approx(expected[column], abs=1e-9)
