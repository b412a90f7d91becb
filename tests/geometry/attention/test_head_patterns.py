from math import inf

import numpy as np
import pytest
import yaml

from embspace.geometry.attention.head_features import head_features
from embspace.geometry.attention.head_patterns import Bounds, Conditions, slack, types_of
from tests.conftest import ROOT
from tests.geometry.attention.heads import (
    blocks,
    half_and_half,
    previous,
    random_heads,
    sink,
    token_sets,
    uniform,
)

RULES: dict[str, Conditions] = {
    "high": {"height": Bounds(0.5, inf)},
    "narrow": {"height": Bounds(-inf, 0.5), "width": Bounds(-inf, 0.2)},
    "rest": {},
}


def committed(name: str) -> dict[str, Conditions]:
    """A set of rules as conf/ has it."""
    path = ROOT / "conf/measure/attention/attention_patterns.yaml"
    rules = yaml.safe_load(path.read_text(encoding="utf-8"))["rule_sets"][name]
    return {
        type_: {
            feature: Bounds(bounds.get("at_least", -inf), bounds.get("at_most", inf))
            for feature, bounds in conditions.items()
        }
        for type_, conditions in rules.items()
    }


def named(heads: np.ndarray, rules: dict[str, Conditions]) -> list[str]:
    features = head_features(heads, token_sets(), mass_share=0.9, n_columns=2)
    return [[*rules][number] for number in types_of(features, rules).number]


def test_the_first_type_that_fits_is_taken_and_the_margin_is_the_nearest_bound():
    values = {"height": np.array([0.9, 0.4, 0.4]), "width": np.array([0.1, 0.15, 0.6])}
    types = types_of(values, RULES)
    assert types.number.tolist() == [0, 1, 2]
    assert types.margin == pytest.approx([0.4, 0.05, 0.1])  # the last lacks 0.1 of being high


def test_the_margin_is_no_larger_than_the_distance_to_an_earlier_type():
    """A head well inside its own bounds, but a hair from a type that would have come first."""
    values = {"height": np.array([0.498, 0.1]), "width": np.array([0.9, 0.9])}
    rules = {"high": {"height": Bounds(0.5, inf)}, "wide": {"width": Bounds(0.5, inf)}, "rest": {}}
    types = types_of(values, rules)
    assert types.number.tolist() == [1, 1]
    assert types.margin == pytest.approx([0.002, 0.4])
    later = {"wide": rules["wide"], "high": rules["high"], "rest": {}}
    assert types_of(values, later).margin == pytest.approx([0.4, 0.4])  # high is asked after


def test_an_earlier_type_that_is_not_defined_is_no_neighbor():
    values = {"height": np.array([np.nan]), "width": np.array([0.9])}
    rules = {"high": {"height": Bounds(0.5, inf)}, "wide": {"width": Bounds(0.5, inf)}, "rest": {}}
    types = types_of(values, rules)
    assert types.number.tolist() == [1]
    assert types.margin == pytest.approx([0.4])


def test_what_is_not_defined_fulfils_no_condition():
    values = {"height": np.array([np.nan]), "width": np.array([0.1])}
    types = types_of(values, RULES)
    assert types.number.tolist() == [2]
    assert np.isnan(types.margin).all()
    assert slack(values, {}).tolist() == [inf]


def test_hand_built_heads_are_found_by_the_rules_of_kovaleva():
    heads = np.stack([sink(), previous(), half_and_half(), blocks(), uniform()])
    expected = ["vertical", "diagonal", "vertical_diagonal", "block", "heterogeneous"]
    assert named(heads, committed("kovaleva")) == expected


def test_hand_built_heads_are_found_by_our_own_rules():
    following = previous()[::-1, ::-1]
    closed = np.eye(24, dtype=np.float32)
    gap = np.arange(24)[:, None] - np.arange(24)
    backward = np.where(gap >= 0, 0.8 ** np.abs(gap), 0).astype(np.float32)  # less and less
    backward /= backward.sum(axis=1, keepdims=True)
    forward = backward[::-1, ::-1]
    heads = np.stack(
        [previous(), following, closed, sink(), blocks(), uniform(), backward, forward]
    )
    assert named(heads, committed("own")) == [
        "previous",
        "next",
        "closed",
        "sink",
        "block",
        "uniform",
        "backward_dominant",
        "forward_dominant",
    ]


@pytest.mark.parametrize("scale", [0.1, 1.0, 2.0])
def test_heads_of_random_scores_have_no_pattern(scale: float):
    heads = random_heads(200, scale=scale)
    assert set(named(heads, committed("kovaleva"))) == {"heterogeneous"}
    assert set(named(heads, committed("own"))) <= {"uniform", "mixed"}
