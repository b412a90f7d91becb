"""Words and table for readers of measures of positions against tables that encode nothing."""

import pandas as pd

from embspace.draw.page.markdown import markdown_table

NULLS = {
    "shuffled": "shuffled positions",
    "random_walk": "random walks of the same steps",
    "falling": "stationary, cosines that only fall",
    "stationary": "stationary, the same mean cosines",
}
COLUMNS = {
    "value": "value",
    "null": "null",
    "null_value": "mean",
    "null_value_low": "low",
    "null_value_high": "high",
    "p_value": "p",
}
NULLS_NOTE = (
    "The same of tables of positions that encode nothing: in random order, or as smooth as the "
    "learned one. Mean and range of the draws, and the share of them, the value included, that is "
    "as large."
)


def nulls_table(nulls: pd.DataFrame, digits: int) -> str:
    """Return a row a measure and null, as `against_nulls` has them."""
    shown = nulls.assign(
        measure=nulls["measure"].str.replace("_", " "), null=nulls["null"].map(NULLS)
    )
    first = [str(column) for column in nulls.columns[: [*nulls.columns].index("null")]]
    named = shown[[*first, *COLUMNS]].rename(columns=COLUMNS)
    return markdown_table(named.rename(columns=lambda name: name.replace("_", " ")), digits)
