"""Measures of models with random weights, as nulls of a family of measures."""

import pandas as pd

from embspace.analysis import Outcome
from embspace.measure.layers.layer_nulls import null_facts
from embspace.measure.layers.layer_profiles import KEYS, TABLES


def with_random_weights_as_nulls(outcome: Outcome, random_weights: pd.DataFrame) -> Outcome:
    """Return the tables of a family with a null per kind of random weights, over seeds.

    `random_weights` is the table of `measure_random_weights`; further families and missing corpora
    are left out.
    """
    profiles = outcome["profiles"]
    keys = map(tuple, profiles[KEYS].to_numpy().tolist())
    values = dict(zip(keys, profiles["value"], strict=True))
    rows = [
        {
            **dict(zip(KEYS, key, strict=True)),
            "null": null,
            "n": int(seeds["n"].iloc[0]),
            "n_draws": len(seeds),
            **null_facts(values[key], seeds["value"].tolist()),
        }
        for (*parts, null), seeds in random_weights.groupby([*KEYS, "null"], sort=False)
        if (key := tuple(parts)) in values
    ]
    nulls = [table for table in (outcome["nulls"], TABLES["nulls"].of(rows)) if len(table)]
    return outcome | {
        "nulls": TABLES["nulls"].of(pd.concat(nulls, ignore_index=True) if nulls else ())
    }
