"""Holds the nulls by random weights to their rows: found by key, and no other."""

import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.measure.layers.layer_profiles import KEYS, TABLES
from embspace.measure.layers.random_weight_nulls import with_random_weights_as_nulls

KEY = ("posts", "token", "as_is", 1, "mean_cosine")
NULL = {"null": "isotropic_gaussian", "n": 9, "n_draws": 2, "value": 0.5, "null_mean": 0.0}


def profiles(*keys: tuple[object, ...]) -> Outcome:
    """The value is that of the order, from .5."""
    rows = [
        dict(zip(KEYS, key, strict=True)) | {"value": 0.5 + number, "n": 9}
        for number, key in enumerate(keys)
    ]
    nulls = [dict(zip(KEYS, KEY, strict=True)) | NULL]
    return {name: TABLES[name].of(made) for name, made in (("profiles", rows), ("nulls", nulls))}


def random_weights(*rows: tuple[tuple[object, ...], str, float]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            dict(zip(KEYS, key, strict=True))
            | {"null": null, "seed": number, "n": 9, "value": value}
            for number, (key, null, value) in enumerate(rows)
        ]
    )


def test_seeds_become_draws_of_a_null_of_their_kind() -> None:
    other = ("posts", "cls", "as_is", 1, "mean_cosine")
    table = random_weights(
        (KEY, "random_initialization", 0.1),
        (KEY, "random_initialization", 0.4),
        (KEY, "shuffled_entries", 0.2),
        (other, "random_initialization", 0.9),
    )
    outcome = with_random_weights_as_nulls(profiles(KEY, other), table)
    assert outcome["nulls"]["null"].tolist() == [
        "isotropic_gaussian",
        "random_initialization",
        "shuffled_entries",
        "random_initialization",
    ]
    assert [tuple(key) for key in outcome["nulls"][KEYS].to_numpy()] == [KEY, KEY, KEY, other]
    row = outcome["nulls"].iloc[1]
    assert (row["n"], row["n_draws"], row["value"]) == (9, 2, 0.5)
    bounds = [row["null_smallest"], row["null_mean"], row["null_largest"]]
    assert bounds == pytest.approx([0.1, 0.25, 0.4])
    assert outcome["nulls"].iloc[3]["value"] == 1.5


def test_what_is_not_among_the_profiles_is_left_out() -> None:
    elsewhere = [
        ("posts", "token", "as_is", 1, "self_similarity"),
        ("notes", "token", "as_is", 1, "mean_cosine"),
        ("posts", "token", "as_is", 2, "mean_cosine"),
    ]
    table = random_weights(*((key, "shuffled_entries", 0.1) for key in elsewhere))
    given = profiles(KEY)
    outcome = with_random_weights_as_nulls(given, table)
    pd.testing.assert_frame_equal(outcome["nulls"], given["nulls"])


def test_a_family_without_nulls_has_those_of_random_weights() -> None:
    given = profiles(KEY)
    bare = {**given, "nulls": given["nulls"][:0]}
    outcome = with_random_weights_as_nulls(bare, random_weights((KEY, "shuffled_entries", 0.1)))
    assert outcome["nulls"]["null"].tolist() == ["shuffled_entries"]
    nothing = with_random_weights_as_nulls(bare, random_weights((KEY, "a", 1.0))[:0])
    assert nothing["nulls"].empty
    assert outcome["profiles"] is given["profiles"]
