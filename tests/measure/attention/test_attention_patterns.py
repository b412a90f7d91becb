from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.errors import InputError
from embspace.measure.attention.attention_patterns import measure_attention_patterns
from embspace.measure.attention.head_features_names import ALL_FEATURES, WITHOUT_FIRST
from tests.analyses import settings_of

SETS: dict[str, Any] = {
    "one": {
        "previous": {"previous_mass": {"at_least": 0.5}},
        "wide": {"row_entropy": {"at_least": 0.5, "at_most": 0.9}},
        "rest": {},
    },
    "other": {"all": {}},
}
N_DRAWS, SHAPE = 10, (2, 2)


def tables(n_texts: int = 8) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Head 1.1 looks at the previous token, 1.2 is wide, 2.1 neither, 2.2 is wide by a hair.

    Without the first token's key 2.1 looks at the previous token too, and 1.2 is not wide.
    """
    whole = {name: np.zeros(SHAPE) for name in ALL_FEATURES}
    whole["previous_mass"] = np.array([[0.9, 0], [0.1, 0]])
    whole["row_entropy"] = np.array([[0, 0.7], [1, 0.51]])
    half = {name: np.tile(tensor, (N_DRAWS, 1, 1)) for name, tensor in whole.items()}
    half["row_entropy"][:4, 1, 1] = 0.4
    random = {name: np.zeros((3, *SHAPE)) for name in whole}
    random["previous_mass"][0, 0, 0] = 1
    without = whole | {"previous_mass": np.array([[0.9, 0], [0.7, 0]])}
    without["row_entropy"] = np.array([[0, 0.3], [1, 0.51]])
    value_without = f"value{WITHOUT_FIRST}"
    rows = [
        {"layer": layer + 1, "head": head + 1, "feature": name}
        | {"value": whole[name][layer, head], value_without: without[name][layer, head]}
        for name in whole
        for layer, head in np.ndindex(SHAPE)
    ]
    rest = {name: np.tile(values, (N_DRAWS, 1, 1)) for name, values in without.items()}
    tensors = {f"half.{name}": tensor for name, tensor in half.items()}
    tensors |= {f"random.{name}": tensor for name, tensor in random.items()}
    tensors |= {f"half.{name}{WITHOUT_FIRST}": values for name, values in rest.items()}
    tensors |= {f"random.{name}{WITHOUT_FIRST}": values * 0 for name, values in random.items()}
    return pd.DataFrame(rows).assign(n_texts=n_texts), tensors


def inputs(*, is_empty: bool) -> dict[str, Any]:
    features, tensors = tables()
    return {"features": features[:0] if is_empty else features, "tensors": tensors}


def measured(n_texts: int = 8, **change: Any) -> Outcome:
    settings = settings_of(measure_attention_patterns, rule_sets=SETS)
    return measure_attention_patterns(*tables(n_texts), **settings | change)


def test_every_head_has_a_type_in_every_set():
    outcome = measured()
    rows = outcome["heads"][outcome["heads"]["set"] == "one"]
    assert rows["type"].tolist() == ["previous", "wide", "rest", "wide"]
    assert rows[["layer", "head"]].to_numpy().tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]
    assert rows["margin"].tolist() == pytest.approx([0.4, 0.2, 0.1, 0.01])
    assert rows["stability"].tolist() == pytest.approx([1, 1, 1, 0.6])
    assert outcome["heads"].loc[outcome["heads"]["set"] == "other", "margin"].isna().all()


def test_shares_have_an_interval_over_texts_and_random_weights_beside():
    types = measured()["types"]
    by_type = types[types["set"] == "one"].set_index("type")
    assert by_type["share"].tolist() == [0.25, 0.5, 0.25]
    assert by_type.loc["previous", ["share_low", "share_high"]].tolist() == [0.25, 0.25]
    wide = by_type.loc["wide"]
    assert wide["share"] < wide["share_high"]
    assert by_type.loc["previous", "random_weights"] == pytest.approx(1 / 12)
    assert by_type.loc["previous", "random_weights_largest"] == 0.25
    assert wide[["clearest_layer", "clearest_head"]].tolist() == [1, 2]
    assert wide["stability"] == pytest.approx(0.8)


def test_every_number_of_a_type():
    features, tensors = tables()
    features.loc[features["feature"] == "row_entropy", "n_texts"] = 3  # some have less to tell
    types = measure_attention_patterns(
        features, tensors, rule_sets=SETS, least_kept=0.5, level=0.9
    )["types"]
    numbers = ["n", "n_heads", "n_texts", "level"]
    assert types[numbers].to_numpy().tolist() == [
        [1, 4, 8, 0.9],
        [2, 4, 8, 0.9],
        [1, 4, 8, 0.9],
        [4, 4, 8, 0.9],
    ]
    null_columns = ["random_weights", "random_weights_smallest", "random_weights_largest"]
    assert types[null_columns].to_numpy() == pytest.approx(
        np.array([[1 / 12, 0, 1 / 4], [0, 0, 0], [11 / 12, 3 / 4, 1], [1, 1, 1]])
    )
    assert types["stability"].tolist() == pytest.approx([1, 0.8, 1, 1])
    clearest = ["clearest_layer", "clearest_head", "clearest_margin"]
    assert types[clearest].to_numpy()[:3] == pytest.approx(
        np.array([[1, 1, 0.4], [1, 2, 0.2], [2, 1, 0.1]])
    )


def test_bounds_of_a_share_are_shares():
    """Three heads of four look at the previous token, but none does in half of the draws."""
    features, tensors = tables()
    mass = np.array([[0.9, 0.9], [0.9, 0]])
    features.loc[features["feature"] == "previous_mass", "value"] = mass.ravel()
    tensors["half.previous_mass"] = np.tile(mass, (N_DRAWS, 1, 1))
    tensors["half.previous_mass"][::2] = 0
    types = measure_attention_patterns(
        features, tensors, rule_sets=SETS, least_kept=0.5, level=0.95
    )["types"]
    by_type = types[types["set"] == "one"].set_index("type")
    assert by_type.loc["previous", ["share", "share_high"]].tolist() == [0.75, 1]
    assert by_type.loc["rest", ["share", "share_low"]].tolist() == [0, 0]


def test_a_head_whose_type_is_another_without_the_first_key_depends_on_it():
    heads = measured()["heads"]
    one = heads[heads["set"] == "one"]
    assert one["type_without_first_key"].tolist() == ["previous", "rest", "previous", "wide"]
    assert one["first_key"].tolist() == ["same", "depends", "depends", "same"]
    assert (heads.loc[heads["set"] == "other", "first_key"] == "same").all()


def test_a_type_depends_where_too_few_of_its_heads_have_it_both_ways():
    types = measured()["types"]
    one = types[types["set"] == "one"].set_index("type")
    assert one["n_without_first_key"].tolist() == [2, 1, 1]
    assert one["n_both"].tolist() == [1, 1, 0]
    assert one["first_key"].tolist() == ["same", "same", "depends"]  # 1 of 2, 1 of 2, 0 of 2
    assert one["share_without_first_key"].tolist() == [0.5, 0.25, 0.25]
    assert one["share_low_without_first_key"].tolist() == [0.5, 0.25, 0.25]
    assert one["random_weights_without_first_key"].tolist() == [0, 0, 1]
    strict = measured(least_kept=0.6)["types"]
    assert (strict.loc[strict["set"] == "one", "first_key"] == "depends").all()


def test_few_texts_leave_no_stability_and_no_seeds_no_null():
    features, tensors = tables(n_texts=3)
    tensors = {
        name: tensor[:0] if name.startswith("random") else tensor
        for name, tensor in tensors.items()
    }
    outcome = measure_attention_patterns(
        features, tensors, rule_sets=SETS, least_kept=0.5, level=0.95
    )
    assert outcome["heads"]["stability"].isna().all()
    assert outcome["types"]["share_low"].isna().all()
    assert outcome["types"]["random_weights"].isna().all()


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            {"a": {"previous_mas": {"at_least": 0.1}}, "b": {}},
            r"rule_sets.x.a.previous_mas': found 'previous_mas'; did you mean 'previous_mass'\?",
        ),
        ({"a": {"self_mass": {}}, "b": {}}, r"rule_sets.x.a.self_mass': found no bound"),
        ({"a": {"self_mass": {"at_least": 0.1}}}, r"'rule_sets.x': found 0 types without"),
        ({"a": {}, "b": {}}, r"'rule_sets.x': found 2 types without"),
        ({"a": {}, "b": {"self_mass": {"at_least": 0.1}}}, r"found 1 types without"),
    ],
)
def test_a_rule_that_does_not_fit_is_named(rules: Any, message: str):
    with pytest.raises(InputError, match=message):
        measured(rule_sets={"x": rules})
