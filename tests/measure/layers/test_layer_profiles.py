"""Holds the profiles of layers to each measure of the same vectors, and to what must not matter."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.clouds.layers import layer_clouds
from embspace.geometry import top_variance_share, two_nn
from embspace.geometry.inference.null_clouds import NULLS_OF_FAMILY
from embspace.geometry.measures.declaration import Family, value_of
from embspace.geometry.measures.registry import profiled_measures
from embspace.geometry.pairs.distinct import distinct_rows
from embspace.measure.layers.layer_batches import IN_ORDER, SPREAD
from embspace.measure.layers.layer_profiles import KEYS, TABLES, family_tables, layer_profiles
from tests.geometry.clouds import UNDEFINED
from tests.measure.layer_corpora import assert_equal, corpus, processes, protocol, three_corpora

SLOW = "partition_isotropy"
BATCHED: dict[str, Any] = {"batch_size": 64, "value_only": ["correlation_dimension"]}


def profiled(family: Family, names: tuple[str, ...] = ("many", "pooled"), **given: Any) -> Any:
    corpora = three_corpora()
    with processes(1):
        return layer_profiles({name: corpora[name] for name in names}, protocol(family, **given))


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return profiled("spectrum", value_only=[SLOW])


@pytest.fixture(scope="module")
def context() -> Outcome:
    return profiled("context")


@pytest.fixture(scope="module")
def dimension() -> Outcome:
    return profiled("intrinsic_dimension", ("many",), **BATCHED)


def test_tables_have_no_row_twice(outcome: Outcome) -> None:
    assert not outcome["profiles"].duplicated(KEYS).any()
    assert not outcome["nulls"].duplicated([*KEYS, "null"]).any()
    assert not outcome["curves"].duplicated([*KEYS, "n_texts"]).any()
    places = outcome["profiles"].groupby(["corpus", "space", "layer"])["change"].nunique()
    assert places["many", "token"].tolist() == places["many", "mean"].tolist() == [3, 3]
    assert places["many", "cls"].tolist() == places["pooled", "mean"].tolist() == [2, 2]


def test_of_a_deeper_model_layers_are_left_out_and_the_others_stay(outcome: Outcome) -> None:
    states = three_corpora()["many"]
    deeper = replace(
        states, states={kind: np.concatenate([x, x + 1]) for kind, x in states.states.items()}
    )
    given = protocol("spectrum", value_only=[SLOW], most_layers=2)
    with processes(1):
        ends = layer_profiles({"many": deeper}, given)
    assert set(ends["profiles"]["layer"]) == {0, 2 * states.n_layers - 1}
    first = "corpus == 'many' and layer == 0"
    at_first = ({name: tables[name].query(first) for name in TABLES} for tables in (ends, outcome))
    assert_equal(*at_first)


@pytest.mark.parametrize("name", ["outcome", "context"])
def test_values_are_those_of_the_measures(name: str, request: pytest.FixtureRequest) -> None:
    rows = request.getfixturevalue(name)["profiles"].query("corpus == 'many'").set_index(KEYS[1:])
    n_checked = 0
    for layer in (0, 1):
        changes = ["as_is", "ordinary_tokens", "standardized"]
        for space, change, cloud in layer_clouds(corpus(12), layer, changes, n_top=0):
            groups = {"text": cloud.text, "word": cloud.word}
            for measure in profiled_measures().values():
                if (space, change, layer, measure.name) not in rows.index:
                    continue
                row, by = rows.loc[space, change, layer, measure.name], measure.grouped_by
                group = {} if by is None else {"group": groups[by]}
                expected = value_of(measure.function(cloud.x, **group))
                assert row["value"] == pytest.approx(expected, rel=1e-6, nan_ok=True), measure.name
                assert (row["n"], row["n_texts"]) == (len(cloud.x), 12)
                n_checked += 1
    assert n_checked == len(rows)


def test_intervals_hold_the_value_and_are_of_what_is_of_rows(outcome: Outcome) -> None:
    rows = outcome["profiles"][~outcome["profiles"]["measure"].isin([SLOW, *UNDEFINED])]
    has_interval = rows["change"] != "standardized"
    assert rows["low"].notna().tolist() == rows["of_half"].notna().tolist() == has_interval.tolist()
    known = rows[has_interval]
    assert ((known["low"] < known["value"]) & (known["value"] < known["high"])).mean() > 0.95
    assert ((known["low"] <= known["value"]) & (known["value"] <= known["high"])).all()


def test_what_is_too_slow_has_its_value_of_vectors_as_they_are_alone(outcome: Outcome) -> None:
    rows = outcome["profiles"][outcome["profiles"]["measure"] == SLOW]
    assert set(rows["change"]) == {"as_is"}
    assert rows["value"].notna().all() and rows[["low", "high", "of_half"]].isna().all(axis=None)
    assert SLOW not in {*outcome["nulls"]["measure"], *outcome["curves"]["measure"]}


def test_nulls_and_curves_are_of_vectors_as_they_are(outcome: Outcome) -> None:
    as_is = outcome["profiles"][outcome["profiles"]["change"] == "as_is"].set_index(KEYS)["value"]
    assert set(outcome["nulls"]["change"]) == set(outcome["curves"]["change"]) == {"as_is"}
    for table in (outcome["nulls"], outcome["curves"][outcome["curves"]["n_draws"] == 1]):
        column = "value" if "value" in table else "mean"
        values = table.set_index(KEYS)[column]
        assert values.to_numpy() == pytest.approx(
            as_is[values.index].to_numpy(), rel=1e-6, nan_ok=True
        )
    n_texts = outcome["curves"].groupby("corpus")["n_texts"].agg(set)
    assert n_texts.to_dict() == {"many": {6, 12}, "pooled": {4, 9}}


def test_context_is_of_tokens_alone(context: Outcome) -> None:
    for table in (context["profiles"], context["nulls"], context["curves"]):
        assert set(table["space"]) == {"token"}
        assert set(table["corpus"]) == {"many"}
    assert set(context["nulls"]["null"]) == {"exchanged_between_texts"}


def test_neighbors_are_looked_for_in_batches(dimension: Outcome) -> None:
    rows = dimension["profiles"].groupby("space")[["n", "n_batches"]].agg(set)
    assert rows.loc["cls"].tolist() == [{24}, {1}]  # all in one
    assert rows.loc["token", "n_batches"] == {2, 3}
    as_is = dimension["profiles"].query("change == 'as_is' and space == 'token'")
    as_is = as_is[~as_is["measure"].isin(UNDEFINED)]
    assert set(as_is["n_batches"]) == {3} and as_is["standard_deviation_over_batches"].gt(0).all()
    slow = dimension["profiles"]["measure"] == "correlation_dimension"
    assert dimension["profiles"].loc[slow, ["low", "high"]].isna().all(axis=None)
    curves = dimension["curves"].query("space == 'token' and n_draws == 1")
    assert set(curves["n"]) == {64}


def test_what_too_few_vectors_do_not_have_is_nan(dimension: Outcome) -> None:
    # Halves of 24 first tokens have 11 neighbors each, not 20.
    rows = dimension["profiles"].query("space == 'cls' and change == 'as_is'").set_index("measure")
    assert rows.loc["mle_dimension", "value"].notna().all()
    assert rows.loc["mle_dimension", "low"].isna().all()
    assert rows.loc["two_nn", "low"].notna().all()
    few = profiled("intrinsic_dimension", ("pooled",), **BATCHED)["profiles"].set_index("measure")
    assert few.loc["mle_dimension", "value"].isna().all()
    assert few.loc["two_nn", "value"].notna().all()


@pytest.mark.parametrize("family", ["direction", "hubs"])
def test_halves_and_draws_are_the_same_at_all_layers(family: Family) -> None:
    states = corpus(9)
    alike = {kind: np.stack([layers[1], layers[1]]) for kind, layers in states.states.items()}
    size = 64 if family == "hubs" else None
    with processes(1):
        settings = protocol(family, batch_size=size)
        outcome = layer_profiles({"alike": replace(states, states=alike)}, settings)
    for table in (outcome["profiles"], outcome["nulls"], outcome["curves"]):
        first, second = (
            table[table["layer"] == layer].drop(columns="layer").reset_index(drop=True)
            for layer in (0, 1)
        )
        assert len(first) > 0
        pd.testing.assert_frame_equal(first, second)


def test_the_order_of_corpora_and_who_else_is_there_change_nothing(outcome: Outcome) -> None:
    assert_equal(profiled("spectrum", ("pooled", "many"), value_only=[SLOW]), outcome)
    alone = profiled("spectrum", ("many",), value_only=[SLOW])
    among = {name: table.query("corpus == 'many'") for name, table in outcome.items()}
    assert_equal(alone, among)


def test_the_number_of_processes_changes_nothing(outcome: Outcome) -> None:
    corpora = {name: three_corpora()[name] for name in ("many", "pooled")}
    with processes(2):
        again = layer_profiles(corpora, protocol("spectrum", value_only=[SLOW]))
    assert_equal(again, outcome)


def test_the_generator_is_the_one_door(outcome: Outcome) -> None:
    other = profiled("spectrum", value_only=[SLOW], rng=np.random.default_rng(1))
    assert other["profiles"]["value"].equals(outcome["profiles"]["value"])
    assert not other["profiles"]["low"].equals(outcome["profiles"]["low"])
    assert not other["nulls"]["null_mean"].equals(outcome["nulls"]["null_mean"])
    assert not other["curves"]["mean"].equals(outcome["curves"]["mean"])


@pytest.mark.slow
def test_families_together_are_as_each_alone(dimension: Outcome) -> None:
    families: tuple[Family, ...] = ("hubs", "intrinsic_dimension")
    together = profiled("hubs", ("many",), **BATCHED, families=families)
    assert_equal(family_tables(together, "intrinsic_dimension"), dimension)
    assert_equal(family_tables(together, "hubs"), profiled("hubs", ("many",), **BATCHED))
    for table in (together["profiles"], together["nulls"], together["curves"]):
        assert not table.duplicated(
            [name for name in table if name in [*KEYS, "null", "n_texts"]]
        ).any()


def test_a_measure_has_the_nulls_of_its_own_family(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = {**NULLS_OF_FAMILY, "hubs": ("coordinates_shuffled",)}
    monkeypatch.setattr("embspace.measure.layers.layer_nulls.NULLS_OF_FAMILY", fewer)
    families: tuple[Family, ...] = ("hubs", "intrinsic_dimension")
    nulls = profiled("hubs", ("pooled",), **BATCHED, families=families)["nulls"]
    by_measure = nulls.groupby("measure")["null"].agg(set)
    assert by_measure["reciprocity"] == {"coordinates_shuffled"}
    assert by_measure["two_nn"] == {"coordinates_shuffled", "gaussian_of_covariance"}


def test_no_corpus_has_empty_tables() -> None:
    nothing = profiled("direction", ())
    assert nothing.keys() == TABLES.keys()
    assert all(table.empty for table in nothing.values())


def test_changed_vectors_are_of_so_many_batches_and_others_of_all() -> None:
    limited, every = (
        profiled("hubs", ("many",), batch_size=20, **given)["profiles"]
        .query("space == 'token'")
        .groupby("change")["n_batches"]
        .agg(set)
        for given in ({"n_batches_of_changes": 2}, {})
    )
    assert limited["as_is"] == every["as_is"] and min(every["as_is"]) > 2
    for change in ("ordinary_tokens", "standardized"):
        assert limited[change] == {2} and min(every[change]) > 2


OF_EQUAL = {
    "mean_cosine",
    "mean_resultant_length",
    "cone_index",
    "mean_cosine_to_mean",
    "top_dimension_share",
    "n_outlier_dimensions",
    "stable_rank",
    "rank_me",
    "partition_isotropy",
    "partition_isotropy_at_unit_norm",
}


@pytest.mark.parametrize("family", ["direction", "spectrum", "intrinsic_dimension", "hubs"])
@pytest.mark.parametrize("rounding", [0, 6e-8])
def test_measures_of_one_vector_are_undefined_but_for_those_that_are(
    family: Family, rounding: float
) -> None:
    """First tokens before the first block are one vector, with rounding or without."""
    states = corpus(12, dim=24)
    noise = 1 + rounding * np.random.default_rng(5).normal(size=states.states["cls"].shape)
    cls = (states.states["cls"][:, :1] * noise).astype(np.float32)
    equal = replace(states, states=states.states | {"cls": cls})
    size = 64 if family in ("intrinsic_dimension", "hubs") else None
    with processes(1):
        profiles = layer_profiles({"equal": equal}, protocol(family, batch_size=size))["profiles"]
    rows = profiles[(profiles["space"] == "cls") & (profiles["change"] == "as_is")]
    names = {measure.name for measure in profiled_measures().values() if measure.family == family}
    assert set(rows["measure"]) == names - {"iso_score_star"}
    defined = set(rows[rows["value"].notna()]["measure"])
    assert defined == names & OF_EQUAL
    assert set(rows["n_equal"]) == ({23} if size else {0})
    changed = profiles[(profiles["space"] == "cls") & (profiles["change"] == "standardized")]
    if family != "direction":
        assert changed["value"].isna().mean() > 0.6  # of zeros, a partition function is defined
    # Tokens differ, and have all.
    tokens = profiles[(profiles["space"] == "token") & (profiles["change"] == "as_is")]
    undefined = set(tokens[tokens["value"].isna()]["measure"])
    assert undefined <= UNDEFINED and set(tokens["n_equal"]) == {0}


@pytest.mark.parametrize(("n_distinct", "with_nulls"), [(3, set()), (4, {4})])
def test_four_distinct_vectors_have_nulls_and_fewer_none(
    n_distinct: int, with_nulls: set[int]
) -> None:
    states = corpus(12, n_layers=1, with_tokens=False).states
    few = states | {"cls": states["cls"][:, np.arange(24) % n_distinct]}
    with processes(1):
        outcome = layer_profiles(
            {"few": replace(corpus(12), states=few)}, protocol("hubs", batch_size=64)
        )
    assert set(outcome["nulls"].query("space == 'cls'")["n"]) == with_nulls


@pytest.mark.slow
def test_equal_vectors_are_left_out_and_counted() -> None:
    states = corpus(12)
    token = states.states["token"].copy()
    token[:, 100:200] = token[:, :100]
    again = replace(states, states=states.states | {"token": token})
    with processes(1):
        settings = protocol("intrinsic_dimension", batch_size=1000)
        profiles = layer_profiles({"again": again}, settings)["profiles"]
    query = "space == 'token' and change == 'as_is' and measure == 'two_nn'"
    rows = profiles.query(query).set_index("layer")
    for layer in (0, 1):
        clouds = layer_clouds(again, layer, ["as_is"], n_top=0, spaces=["token"])
        ((_, _, cloud),) = clouds
        x = cloud.x[distinct_rows(cloud.x)]
        row = rows.loc[layer]
        assert (row["value"], row["n"]) == (pytest.approx(two_nn(x).value), len(x))
        assert (row["n_equal"], row["dropped"]) == (len(cloud.x) - len(x), 1)
        assert row["n_equal"] > 50


def test_intervals_end_where_measures_end_though_one_vector_has_all_variance() -> None:
    states = corpus(12)
    far = {kind: x.copy() for kind, x in states.states.items()}
    for x in far.values():
        x[:, 1] *= 1e4
    with processes(1):
        rows = layer_profiles({"far": replace(states, states=far)}, protocol("spectrum"))[
            "profiles"
        ]
    shares = rows[rows["measure"] == "top_variance_share"].dropna(subset="low")
    assert shares["low"].min() == 0 and shares["high"].max() == 1


def test_over_batches_in_order_is_beside_the_value_of_all() -> None:
    settings = {"over_batches": {"top_variance_share": 64}}
    rows = profiled("spectrum", ("many",), value_only=[SLOW], **settings)["profiles"]
    named = rows["measure"] == "top_variance_share"
    facts = rows[["n_batches", IN_ORDER, SPREAD]].notna().all(axis=1)
    assert facts.equals(named & (rows["change"] == "as_is"))
    row = rows[named].set_index(["space", "change", "layer"]).loc["token", "as_is", 1]
    (x,) = (
        cloud.x for _, _, cloud in layer_clouds(corpus(12), 1, ["as_is"], n_top=0, spaces=["token"])
    )
    parts = [x[:64], x[64:128], x[128:]]
    assert len(parts[-1]) == 64 + len(x) % 64 and row["n_batches"] == 3
    expected = [top_variance_share(part) for part in parts]
    assert row[IN_ORDER] == pytest.approx(np.mean(expected))
    assert row[SPREAD] == pytest.approx(np.std(expected))
    assert row["value"] == pytest.approx(top_variance_share(x))


@pytest.mark.parametrize("family", ["spectrum", "hubs", "context"])
def test_what_the_final_norm_makes_is_beside_the_last_layer(family: Family) -> None:
    """As if a model had one layer more: its rows are those of the norm, under other names."""
    states = corpus(12, n_layers=3)
    before = {kind: layers[:2] for kind, layers in states.states.items()}
    normed = {kind: layers[2:] for kind, layers in states.states.items()}
    with_norm = replace(states, states=before, final_norm=normed)
    given: dict[str, Any] = {"value_only": [SLOW], "batch_size": 64 if family == "hubs" else None}
    with processes(1):
        settings = protocol(family, **given)
        longer, outcome = (layer_profiles({"many": read}, settings) for read in (states, with_norm))
    for name in TABLES:
        table, expected = outcome[name], longer[name]
        is_normed = table["space"].str.startswith("final_norm_")
        assert set(table[is_normed]["layer"]) == {1}
        assert set(table[~is_normed]["layer"]) == {0, 1}
        renamed = table[is_normed].assign(
            space=table["space"].str.removeprefix("final_norm_"), layer=2
        )
        last = expected[expected["layer"] == 2]
        pd.testing.assert_frame_equal(
            renamed.reset_index(drop=True), last.reset_index(drop=True), check_dtype=False
        )
