"""Columns that tables of several analyses share: their kinds, and their headings for readers."""

from embspace.analysis import Column

# Of `one_dimensionality`: how nearly points lie along a line in their order.
LINE: dict[str, Column] = {
    "order_correlation": ("rank_share", "order along the tree"),
    "null_order_correlation": "null_value",
    "null_order_correlation_high": ("null_value", "shuffled, 97.5 %"),
    "adjacent_neighbor_share": ("rank_share", "two nearest are i±1"),
    "null_adjacent_neighbor_share": ("null_value", "by chance"),
}

# Of `summary_row` and `summary_of`: a distribution.
SUMMARY: dict[str, Column] = {
    "n": ("count", "n"),
    "mean": ("moment", "mean"),
    "standard_deviation": ("moment", "standard deviation"),
    "skewness": "moment",
    "excess_kurtosis": "moment",
    "minimum": ("moment", "minimum"),
    "quantile_*": "quantile",
    "quantile_0.5": ("quantile", "median"),
    "maximum": ("moment", "maximum"),
    "resolution": "moment",
}


def shown(kind: str, *columns: str) -> dict[str, Column]:
    """Return columns of a kind; their names for readers are their own, with spaces."""
    return {column: (kind, column.replace("_", " ")) for column in columns}


def estimate(kind: str, bound: str = "") -> dict[str, Column]:
    """Return a value with bounds, of a separate kind if given, and the value at random weights."""
    own = value_with_bounds(kind, bound=bound)
    return {**own, "random_weights_value": (kind, "random weights")}


def with_bounds(column: str, kind: str, heading: str = "", bound: str = "") -> dict[str, Column]:
    """Return a column and its bounds, of the same kind or of a separate kind `bound`.

    Tables for readers join the three to a single column.
    """
    kinds = {"": kind, "_low": bound or kind, "_high": bound or kind}
    return {
        f"{column}{end}": (kind_of_end, f"{heading}{end}") if heading else kind_of_end
        for end, kind_of_end in kinds.items()
    }


def value_with_bounds(kind: str, heading: str = "value", bound: str = "") -> dict[str, Column]:
    """Return `value`, `low` and `high`, as `with_bounds`; tables for readers join them, too."""
    return dict(
        zip(("value", "low", "high"), with_bounds("", kind, heading, bound).values(), strict=True)
    )


def against_nulls_columns(value: str) -> dict[str, Column]:
    """Return the columns of `against_nulls` behind those of the names, for values of a kind."""
    return {
        "null": "row",
        "n_draws": "setting",
        "value": value,
        "null_value": "null_value",
        "null_value_low": "null_value",
        "null_value_high": "null_value",
        "p_value": "p_value",
    }


# A measure of hidden states has these columns.
PROFILE = value_with_bounds("profile", bound="profile_bound")
# A measure of states of the trained model and of models with random weights has these.
BESIDE_RANDOM_WEIGHTS: dict[str, Column] = {
    **PROFILE,
    "random_weights_mean": ("profile", "random weights"),
    "random_weights_smallest": "profile",
    "random_weights_largest": "profile",
}
