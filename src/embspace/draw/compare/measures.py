"""Draws figure and tables of `compare_measures`: what was measured of two models, side by side."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from string import ascii_lowercase
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter, StrMethodFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.compare.layers_alike import draw_alike, equally_deep
from embspace.draw.compare.measure_tables import consistencies, tables_of
from embspace.draw.page.canvas import (
    HALO,
    counted,
    legend_below,
    new_figure,
    percent,
    say_instead,
    write_beside,
)
from embspace.draw.page.looks import BLACK, BLUE, GRAY, MODELS, VERMILION, Look
from embspace.draw.page.looks import SENSES as WITHOUT_MODEL
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.wording import numeral
from embspace.settings.params import models_of

FURTHER_RESULTS = ("alignment/.csv",)
ALIKE = "alignment"
HALF = 0.5  # of the variance
SIDES = {
    "model_value": Look("", BLUE, "o", "-"),
    "other_model_value": Look("", VERMILION, "s", "--"),
}
AT = {"model_value": "at", "other_model_value": "other_at"}  # layers of models of other depths
SEARCH = ("search", "search", " / mean / as_is", "recall_at_1")  # the group after its corpus
SENSES = ("homonyms", "recovery", "centered / cosine", "accuracy")
COUNTS_GAIN = "bag_of_words_gain"  # of accuracy, over counts of the other tokens
OTHER_UNITS = "other units"  # what `compare_measures` says of bounds that there cannot be
CHANCE = Look("by chance", GRAY, "", ":")
COUNTS = WITHOUT_MODEL["bag_of_words"]._replace(name="by counts of the other tokens")
HOMONYMS = "Right sense of a homonym found"  # the titles of panels
CONSISTENCY = "Consistency of sentence differences"
EQUALLY_DEEP = "Equally deep layers of both: CKA"

LOWEST_ABOVE = 0.15  # share of which words below would stand on the axis
N_COLUMNS, ONE_ROW = 2, 0.6  # panels in a row, and the height of one of two rows
MOST_LARGE = 13  # layers with marks of full size

Models = tuple[str, str]
Panel = Callable[[Axes, pd.DataFrame], None]
"""Draws the rows of a panel."""


def draw_measures(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw search, senses, differences of sentences and layers of two models.

    If neither model has searched, the variance of tokens takes the place of search. The subtitle
    names the panels that only one of the models could fill. `label` joins the labels of the pair.
    """
    table, models = results["csv"], models_of(label)
    panels = _panels(table, results[ALIKE], models)
    absent = [title for title, (_, rows) in panels.items() if not _is_of_both(rows)]
    titles = [title for title in panels if title not in absent]
    letters = dict(zip(titles, ascii_lowercase if len(titles) > 1 else [""], strict=False))
    figure, axes = new_figure(
        -(-max(len(titles), 1) // N_COLUMNS),
        min(max(len(titles), 1), N_COLUMNS),
        height_mm=height_mm * (1 if len(titles) > N_COLUMNS else ONE_ROW),
        title=_title(table, models, letters),
        subtitle=_subtitle(table, results[ALIKE], models, absent, letters),
        stage="compare_measures",
    )
    if not titles:
        say_instead(axes, "nothing was measured of both models")
    for ax, title in zip(axes, titles, strict=False):
        draw, rows = panels[title]
        draw(ax, rows)
        _letter_shares(ax, letters[title])
        ax.set_title(title, loc="left")
    for ax in axes[len(titles) :]:
        ax.set_axis_off()
    if titles:
        legend_below(figure, axes, ncols=2)
    return figure, tables_of(table, f"{models[0]} and {models[1]}", digits)


def _panels(
    table: pd.DataFrame, alignment: pd.DataFrame, models: Models
) -> dict[str, tuple[Panel, pd.DataFrame]]:
    """Return drawing functions and rows of the panels, by title."""
    search = _search(table)
    first = (
        (
            f"Other halves of {_searched(search)} found",
            (partial(_layers, models, "texts", CHANCE, _halves_by_chance(search)), search),
        )
        if len(search)
        else ("Variance of tokens", (partial(_curves, models), _variance(table)))
    )
    return {
        first[0]: first[1],
        HOMONYMS: (
            partial(_layers, models, "sentences", COUNTS, _told_by_counts(table)),
            _senses(table),
        ),
        CONSISTENCY: (partial(_paired, models), consistencies(table)),
        EQUALLY_DEEP: (
            partial(draw_alike, models[0]),
            equally_deep(alignment),
        ),
    }


def _is_of_both(rows: pd.DataFrame) -> bool:
    columns = [*SIDES] if SIDES.keys() <= {*rows} else ["value"]
    return bool(rows[columns].notna().any().all())


def _letter_shares(ax: Axes, letter: str) -> None:
    """Put a panel's letter before the names of shares without a model, for the common legend."""
    shares = {CHANCE.name, COUNTS.name}
    for line in ax.lines:
        name = str(line.get_label())
        if letter and name.rpartition(", ")[0] in shares:
            line.set_label(f"{letter}: {name}")


def _subtitle(
    table: pd.DataFrame,
    alignment: pd.DataFrame,
    models: Models,
    absent: Sequence[str],
    letters: Mapping[str, str],
) -> str:
    parts = [f"{models[0]} and {models[1]}", "mean pooling"]
    lasts = {"halves": _search(table), "senses": _senses(table)}
    paired = [
        f"{what} {_points(row)}"
        for what, rows in lasts.items()
        for _, row in _last_of_both(rows).iterrows()
    ]
    if paired:
        parts.append(f"bars: 95 % of the difference of last layers, {', '.join(paired)}")
    start = {title: f"{letter}: " * bool(letter) for title, letter in letters.items()}
    if CONSISTENCY in start:
        n = consistencies(table)["n_paired"]
        parts.append(
            f"{start[CONSISTENCY]}mean cosine of a category's differences, "
            f"{counted(n.max(), 'pair')}, 95 % each: {_apart_said(consistencies(table))}"
        )
    if EQUALLY_DEEP in start:
        alike = equally_deep(alignment).groupby("unit", sort=False).tail(1)
        values = zip(alike["value"], alike["unit"], strict=True)
        words = ", ".join(f"{value:.2f} of {unit}s" for value, unit in values)
        parts.append(f"{start[EQUALLY_DEEP]}at the last layers {words}")
    return " · ".join(
        [*parts, *(f"not in both: {title[0].lower()}{title[1:]}" for title in absent)]
    )


def _points(row: pd.Series) -> str:
    """Return a difference of shares in points, and the interval."""
    more, low, high = (numeral(100 * row[f"difference{end}"], 0) for end in ("", "_low", "_high"))
    return f"{more} points [{low}, {high}]"


def _title(table: pd.DataFrame, models: Models, letters: Mapping[str, str]) -> str:
    """Return the share of texts that either model finds by the other half, and who tells senses.

    If neither model has searched, return how many components hold half of the variance of tokens.
    """
    search = _search(table)
    if len(search):
        shares = [percent(_model_rows(search, side)[side].iloc[-1]) for side in SIDES]
        random = MODELS["random"].name
        other = random if random in models[1] else models[1]
        return (
            f"The last layer of {models[0]} finds the other half of {shares[0]} of "
            f"{_searched(search)}, {other} {shares[1]}{_senses_said(table, letters)}"
            f"{_consistency_said(consistencies(table), letters)}"
        )
    curve = _variance(table)
    halves = {
        model: curve.loc[curve[side] >= HALF, "at"].min()
        for model, side in zip(models, SIDES, strict=True)
    }
    said = [f"{counted(n, 'direction')} in {model}" for model, n in halves.items() if n == n]
    if not said:
        return f"{models[0]} and {models[1]} have no measure in common"
    return f"Half of the variance of token embeddings lies in {', in '.join(said)}"


def _senses_said(table: pd.DataFrame, letters: Mapping[str, str]) -> str:
    """Return which model surely tells senses of homonyms apart better at the last layer, if any."""
    if HOMONYMS not in letters:
        return ""
    panel = _panel(letters[HOMONYMS])
    for _, row in _senses(table).tail(1).iterrows():
        if row["difference_low"] > 0:
            return f", and senses of homonyms more often, too{panel}"
        if row["difference_high"] < 0:
            return f", but senses of homonyms less often{panel}"
    return ""


def _consistency_said(rows: pd.DataFrame, letters: Mapping[str, str]) -> str:
    """Return whether the first model is ahead in some categories of sentences, or behind."""
    if CONSISTENCY not in letters:
        return ""
    ahead, behind = _apart(rows)
    panel = _panel(letters[CONSISTENCY])
    if ahead and behind:
        return f"; in consistency each leads in some categories{panel}"
    if not ahead and not behind:
        return f"; in consistency neither surely leads{panel}"
    return f"; consistency is {'higher' if ahead else 'lower'} in some categories{panel}"


def _panel(letter: str) -> str:
    """Return a panel's letter behind a clause; nothing if the panel has none."""
    return f" ({letter})" * bool(letter)


def _apart(rows: pd.DataFrame) -> tuple[int, int]:
    """Return in how many categories the first model is surely ahead, and surely behind."""
    return int((rows["difference_low"] > 0).sum()), int((rows["difference_high"] < 0).sum())


def _apart_said(rows: pd.DataFrame) -> str:
    ahead, behind = _apart(rows)
    return f"{ahead} ahead, {behind} behind of {len(rows)}"


def _searched(search: pd.DataFrame) -> str:
    return corpus_called(search["group"].iloc[0].partition(" / ")[0])


def _along(table: pd.DataFrame, noun: str, name: str, group: str) -> pd.DataFrame:
    """Return the rows of a group of a table of a noun, in order."""
    rows = table[(table["noun"] == noun) & (table["table"] == name)]
    return rows[rows["group"].fillna("") == group].sort_values("at")


def _variance(table: pd.DataFrame) -> pd.DataFrame:
    return _along(table, "explained_variance", "curve", "input")


def _search(table: pd.DataFrame) -> pd.DataFrame:
    """Return the share of texts found by layer, of the first corpus that both models searched."""
    noun, name, ending, quantity = SEARCH
    rows = table[(table["noun"] == noun) & table["group"].fillna("").str.endswith(ending)]
    has_layer = rows[[*AT.values()]].notna().any(axis=1)
    rows = rows[(rows["table"] == name) & (rows["quantity"] == quantity) & has_layer]
    for _, corpus_rows in rows.groupby("group", sort=False):
        if corpus_rows[[*SIDES]].notna().any().all() and not _has_other_units(corpus_rows):
            return corpus_rows.sort_values("at")
    return rows[:0]


def _has_other_units(rows: pd.DataFrame) -> bool:
    """Return whether the models have read other texts or words: fewer texts are found sooner."""
    return bool((rows["no_bounds"] == OTHER_UNITS).any())


def _senses(table: pd.DataFrame, quantity: str = SENSES[-1]) -> pd.DataFrame:
    rows = _along(table, *SENSES[:3])
    rows = rows[rows["quantity"] == quantity]
    return rows[:0] if _has_other_units(rows) else rows


def _told_by_counts(table: pd.DataFrame) -> list[float]:
    """Return the share of senses told by counts of neighboring tokens, by model.

    Models of one vocabulary have one share.
    """
    accuracy, gain = _senses(table).head(1), _senses(table, COUNTS_GAIN).head(1)
    shares = [accuracy[side].sub(gain[side].to_numpy()) for side in SIDES if len(gain)]
    return [*pd.concat(shares).dropna().round(4).unique()] if shares else []


def _halves_by_chance(search: pd.DataFrame) -> list[float]:
    """Return the share of texts found by chance, if known how many both models have searched."""
    return [*(1 / search["n_paired"].dropna().unique())]


def _model_rows(rows: pd.DataFrame, side: str) -> pd.DataFrame:
    """Return the rows of a model, in the order of the model's layers."""
    return rows.dropna(subset=[side, AT[side]]).sort_values(AT[side], kind="stable")


def _last_of_both(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the row of the last layers if their difference has an interval."""
    return rows.dropna(subset="difference_low").tail(1)


def _draw_both(ax: Axes, rows: pd.DataFrame, models: Models, size: float = 0) -> None:
    """Draw a line per model with values along the rows, with marks of some size."""
    for side, look in _looks(models).items():
        own = _model_rows(rows, side)
        style: dict[str, Any] = {"color": look.color, "ls": look.line, "marker": look.marker}
        ax.plot(own[AT[side]], own[side], label=look.name, ms=size, **style)


def _looks(models: Models) -> dict[str, Look]:
    """Return the looks of both models; a model with random weights is gray."""
    looks = {
        side: look._replace(name=model)
        for model, (side, look) in zip(models, SIDES.items(), strict=True)
    }
    random = MODELS["random"]
    gray = {
        side: random._replace(name=look.name)
        for side, look in looks.items()
        if random.name in look.name
    }
    return looks | gray if len(gray) == 1 else looks


def _layers(
    models: Models, of: str, base: Look, shares: Sequence[float], ax: Axes, rows: pd.DataFrame
) -> None:
    """Draw a share of both models by layer beside shares without a model, and write the last."""
    _draw_both(ax, rows, models, 3.5 if rows["at"].nunique() <= MOST_LARGE else 2)
    for share in shares:
        name = f"{base.name}, {percent(share)}"
        ax.axhline(share, color=base.color, ls=base.line, lw=1, label=name, zorder=1)
    ends = {side: _model_rows(rows, side).iloc[-1] for side in SIDES}
    for _, last in _last_of_both(rows).iterrows():
        _bar(ax, last)
    highest = max(SIDES, key=lambda side: ends[side][side])
    for side, end in ends.items():
        is_above = side == highest or end[side] < LOWEST_ABOVE
        offset = (-4 if side == "model_value" else 3, 5 if is_above else -11)
        words = percent(end[side])
        write_beside(ax, words, (end[AT[side]], end[side]), offset, ha="right", path_effects=HALO)
    ax.set(xlabel="layer", ylabel=f"share of {of}", ylim=(0, 1.02))
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _bar(ax: Axes, last: pd.Series) -> None:
    """Draw the interval of the difference of the last layers, on the second model's share."""
    share = last["other_model_value"]
    ends = [share + last["difference_low"], share + last["difference_high"]]
    ax.plot([last["at"]] * 2, ends, "_-", color=BLACK, lw=1.2, ms=5, zorder=4)
    ax.plot(sorted((last["at"], last["other_at"])), [share] * 2, color=BLACK, lw=0.6, zorder=1)


def _curves(models: Models, ax: Axes, rows: pd.DataFrame) -> None:
    _draw_both(ax, rows, models)
    ax.set(xscale="log", ylim=(0, 1.02), xlabel="principal components", ylabel="share explained")
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))


def _paired(models: Models, ax: Axes, rows: pd.DataFrame) -> None:
    """Draw the consistency of differences, one model minus the other, at the last layer of both."""
    rows = rows.sort_values("difference", ascending=False, kind="stable")
    value = rows["difference"]
    bounds = [value - rows["difference_low"], rows["difference_high"] - value]
    bars = [bound.clip(lower=0) for bound in bounds]
    ax.errorbar(value, range(len(rows)), xerr=bars, fmt="D", ms=3, color=BLACK)
    ax.axvline(0, color="0.3", linewidth=0.8)
    ax.set_yticks(range(len(rows)), rows["category"], fontsize=7)
    at, other_at = rows["at"].iloc[0], rows["other_at"].iloc[0]
    layers = f"layer {at:g}" if at == other_at else f"layers {at:g} and {other_at:g}"
    random = MODELS["random"].name
    less = random if random in models[1] else models[1]
    ax.set_xlabel(f"{models[0]} less {less}, {layers}")
    ax.invert_yaxis()
