"""Draws how the tokens of a model lie, layer by layer, beside random weights or a Gaussian."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.layers.profile_tables import by_layer
from embspace.draw.page.canvas import (
    HALO,
    count,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
    write_beside,
)
from embspace.draw.page.looks import BLUE, GRAY, NULLS, corpus_looks
from embspace.draw.page.markdown import section, tables_page
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.wording import listed

RESULTS = (
    "direction/profiles.csv",
    "direction/nulls.csv",
    "spectrum/profiles.csv",
    "spectrum/nulls.csv",
    "context/profiles.csv",
    "context/nulls.csv",
    "intrinsic_dimension/profiles.csv",
    "intrinsic_dimension/nulls.csv",
    "hubs/profiles.csv",
    "hubs/nulls.csv",
)
RANDOM = "random_initialization"
WIDE = 10.0  # times the smallest value, from which on an axis is logarithmic

SIDES = {
    "below": "below the nulls at all drawn layers",
    "above": "above the nulls at all drawn layers",
    "on both sides": "on both sides of the nulls",
    "below at some": "below the nulls at some layers",
    "above at some": "above the nulls at some layers",
    "within reach": "within reach of the nulls",
    "beside one draw": "beside one draw of random weights, which says nothing of the range",
}
"""Places of measures, and their words as the first of a title."""
NO_NULL = "without a null at each layer"


class Shown(NamedTuple):
    """A measure of a panel, the null beside it, and the label of the axis, in a reader's words."""

    noun: str
    measure: str
    null: str
    words: str


PANELS = (
    Shown("direction", "mean_cosine", RANDOM, "cosine of two tokens"),
    Shown("spectrum", "debiased_participation_ratio", RANDOM, "directions in use"),
    Shown(
        "context", "adjusted_self_similarity", RANDOM, "cosine of a word's\nuses, less mean cosine"
    ),
    Shown("intrinsic_dimension", "two_nn", "gaussian_of_covariance", "dimension"),
    Shown("hubs", "hubness", "gaussian_of_covariance", "skewness of k-occurrence"),
)


def draw_profile(
    results: dict[str, Any], label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw measures of the tokens of a corpus by layer, beside the nulls.

    The corpus is the first that was also read with random weights, else the first corpus. Values
    that did not converge on half of the texts are not drawn, and a measure with few converged
    layers has no panel.
    """
    corpus = _corpus(results)
    tables_by_panel = {shown: _rows(results, shown, corpus) for shown in PANELS}
    first = tables_by_panel[PANELS[0]]
    drawn = [shown for shown in PANELS if _is_drawn(tables_by_panel[shown][0])]
    figure, axes = new_figure(
        2,
        -(-max(2, len(drawn)) // 2),
        height_mm=height_mm,
        title=_finding({shown: tables_by_panel[shown] for shown in drawn}),
        subtitle=_subtitle(label, corpus, tables_by_panel),
        stage="measure_direction",
    )
    if first[0].empty:
        say_instead(axes, f"{label}: no corpus has enough documents")
        return figure, _table(label, tables_by_panel, digits)
    for number, (ax, shown) in enumerate(zip(axes, drawn, strict=False)):
        _by_layer(ax, *tables_by_panel[shown])
        null = "" if shown.null == RANDOM else " (null: Gaussian)"
        ax.set_title(f"{sentence_case(_short(shown))}{null}")
        ax.set_ylabel(shown.words)
        ax.set_xlabel("layer" if number >= len(axes) - len(axes) // 2 else "")
    for ax in axes[len(drawn) :]:
        ax.remove()
    layer = _extreme(first[0])
    for table, column, color in ((first[0], "value", BLUE), (first[1], "null_mean", GRAY)):
        height = table.set_index("layer")[column].get(layer)
        if height is not None and PANELS[0] in drawn:
            look: dict[str, Any] = {"color": color, "ha": "center", "path_effects": HALO}
            write_beside(axes[0], f"{height:.2f}", (layer, height), (0, 5), **look)
    legend_below(figure, axes[: len(drawn)], ncols=3)
    return figure, _table(label, tables_by_panel, digits)


def _corpus(results: Mapping[str, pd.DataFrame]) -> str:
    nulls, profiles = results["direction/nulls"], results["direction/profiles"]
    with_random = nulls[(nulls["null"] == RANDOM) & nulls["null_mean"].notna()]["corpus"]
    return next(map(str, [*with_random, *profiles["corpus"]]), "")


def _rows(
    results: Mapping[str, pd.DataFrame], shown: Shown, corpus: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a measure of unchanged tokens, and the null, by layer."""
    rows, nulls = (
        table[
            (table["corpus"] == corpus)
            & (table["space"] == "token")
            & (table["change"] == "as_is")
            & (table["measure"] == shown.measure)
        ].sort_values("layer")
        for table in (results[f"{shown.noun}/{kind}"] for kind in ("profiles", "nulls"))
    )
    rows = rows.dropna(subset=["value"])
    return rows, nulls[nulls["null"] == shown.null].dropna(subset=["null_mean"])


def _finding(drawn: Mapping[Shown, tuple[pd.DataFrame, pd.DataFrame]]) -> str:
    """Return the title: which measures lie below their nulls at all layers, and which above."""
    names = {side: list[str]() for side in (*SIDES, NO_NULL)}
    for shown, (rows, nulls) in drawn.items():
        words = f" ({_largest(rows, nulls)})" if shown == PANELS[0] else ""
        names[_side(rows, nulls)].append(f"{_short(shown)}{words}")
    said = [f"{listed(names[side])} {side}" for side in names if names[side]]
    if not said:
        return "No measure of the tokens is drawn"
    first = next(side for side in names if names[side])
    said[0] = said[0].removesuffix(first) + SIDES.get(first, first)
    return f"Tokens have {', '.join(said)}"


def _side(rows: pd.DataFrame, nulls: pd.DataFrame) -> str:
    """Return on which side of the null the intervals lie, if all layers have a null.

    Beyond means outside the range of the draws by more than the width of the range: one more draw
    would leave the range of five in a third of all cases.
    """
    both = rows[_converged(rows)].merge(nulls, on="layer")
    if len(both) < _converged(rows).sum():
        return NO_NULL
    width = both["null_largest"] - both["null_smallest"]
    if not width.any():
        return "beside one draw"
    below = both["high"] < both["null_smallest"] - width
    above = both["low"] > both["null_largest"] + width
    if below.all() or above.all():
        return "below" if below.all() else "above"
    if below.any() and above.any():
        return "on both sides"
    return "below at some" if below.any() else "above at some" if above.any() else "within reach"


def _largest(rows: pd.DataFrame, nulls: pd.DataFrame) -> str:
    layer = _extreme(rows)
    null = [f" against {value:.2f}" for value in nulls.loc[nulls["layer"] == layer, "null_mean"]]
    largest = rows.set_index("layer")["value"][layer]
    return f"{largest:.2f}{''.join(null)} at layer {layer}"


def _short(shown: Shown) -> str:
    return name_of(shown.measure).partition(" (")[0]


def _extreme(rows: pd.DataFrame) -> int:
    drawn = rows[_converged(rows)] if _converged(rows).any() else rows
    return int(drawn.sort_values("value")["layer"].iloc[-1])


def _converged(rows: pd.DataFrame) -> pd.Series:
    return rows["converged"].astype(str) == "True"


def _is_drawn(rows: pd.DataFrame) -> bool:
    """Return whether half of the layers have a value that half of the texts give as well."""
    return bool(_converged(rows).sum() >= max(1, len(rows) / 2))


def _subtitle(
    label: str, corpus: str, tables_by_panel: Mapping[Shown, tuple[pd.DataFrame, pd.DataFrame]]
) -> str:
    rows = tables_by_panel[PANELS[0]][0]
    if rows.empty:
        return f"{label} · 0 documents"
    n = f"{count(rows['n'].max())} tokens of {count(rows['n_texts'].max())} documents"
    words = f"{label} · {corpus_looks([corpus])[corpus].name}: {n} · bands: 95 %"
    by_gaussians = [
        _short(shown)
        for shown, (drawn, _) in tables_by_panel.items()
        if shown.null != RANDOM and _is_drawn(drawn)
    ]
    words += " intervals over texts, gray: range of draws"
    against = f" · {listed(by_gaussians)} against a Gaussian of equal covariance"
    return words + (against if by_gaussians else "")


def _by_layer(ax: Axes, rows: pd.DataFrame, nulls: pd.DataFrame) -> None:
    """Draw the converged values with intervals, and the null with the range."""
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    is_known = _converged(rows)
    drawn = rows[["value", "low", "high"]].where(is_known).assign(layer=rows["layer"])
    ax.fill_between(drawn["layer"], drawn["low"], drawn["high"], color=BLUE, alpha=0.25, lw=0)
    ax.plot(drawn["layer"], drawn["value"], "o-", color=BLUE, ms=3.5, label="the model")
    if len(nulls):
        look = NULLS[str(nulls["null"].iloc[0])]
        ends = nulls["null_smallest"], nulls["null_largest"]
        ax.fill_between(nulls["layer"], *ends, color=GRAY, alpha=0.25, lw=0)
        line: dict[str, Any] = {"color": look.color, "linestyle": look.line, "label": look.name}
        ax.plot(nulls["layer"], nulls["null_mean"], **line)
    ax.margins(y=0.15)
    heights = pd.concat([drawn["value"], nulls["null_mean"]])
    if heights.min() > 0 and heights.max() > WIDE * heights.min():
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        ax.yaxis.set_minor_formatter(NullFormatter())


def _table(
    label: str,
    tables_by_panel: Mapping[Shown, tuple[pd.DataFrame, pd.DataFrame]],
    digits: int,
) -> str:
    values = pd.concat([rows for rows, _ in tables_by_panel.values()])
    nulls = pd.concat(
        [rows.assign(value=rows["null_mean"]) for _, rows in tables_by_panel.values()]
    )
    note = "The figure leaves out values that half of the texts do not give as well."
    for shown, (rows, _) in tables_by_panel.items():
        if len(rows) and not _is_drawn(rows):
            n = f"{_converged(rows).sum()} of {len(rows)}"
            note += f" {sentence_case(_short(shown))} has no panel: they give {n} layers."
    first = section(f"Tokens of {_named(values)} by layer", note, _wide(values, digits))
    more = section("Nulls", "Means over draws.", _wide(nulls, digits, ["null"]))
    return tables_page(f"Profile of the layers of {label}", "measure_direction", first, more)


def _named(rows: pd.DataFrame) -> str:
    """Return the name of the corpus of all rows."""
    corpora = [*dict.fromkeys(map(str, rows["corpus"]))]
    return corpus_looks(corpora)[corpora[0]].name if corpora else "no corpus"


def _wide(rows: pd.DataFrame, digits: int, keys: list[str] | None = None) -> str:
    if rows.empty:
        return "None."
    named = rows.assign(null=[NULLS[str(null)].name for null in rows["null"]]) if keys else rows
    return by_layer(named, keys or [], digits)
