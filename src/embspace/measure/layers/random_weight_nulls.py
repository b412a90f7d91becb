"""The measures of models with random weights, as nulls beside those of a family."""

from dataclasses import replace

import pandas as pd

from embspace.measure.layers.layer_nulls import null_facts
from embspace.measure.layers.layer_profiles import COLUMNS, KEYS, LayerProfiles


def with_random_weights_as_nulls(
    profiles: LayerProfiles, random_weights: pd.DataFrame
) -> LayerProfiles:
    """The same with a null per kind of random weights, over seeds.

    `random_weights` is the table of `measure_random_weights`; further families and missing corpora
    are left out.
    """
    values = dict(
        zip(
            map(tuple, profiles.profiles[KEYS].to_numpy().tolist()),
            profiles.profiles["value"],
            strict=True,
        )
    )
    rows = [
        {
            **dict(zip(KEYS, key, strict=True)),
            "null": null,
            "n": int(of_null["n"].iloc[0]),
            "n_draws": len(of_null),
            **null_facts(values[key], of_null["value"].tolist()),
        }
        for (*parts, null), of_null in random_weights.groupby([*KEYS, "null"], sort=False)
        if (key := tuple(parts)) in values
    ]
    found = pd.DataFrame(rows, columns=COLUMNS["nulls"])
    parts = [table for table in (profiles.nulls, found) if len(table)]
    return replace(profiles, nulls=pd.concat(parts, ignore_index=True) if parts else found)
