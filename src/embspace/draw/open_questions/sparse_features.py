"""Draws how many sparse features recur between seeds, and tokens with the highest activations."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    counted,
    join_panels,
    legend_below,
    new_figure,
    percent,
    say_instead,
    sentence_case,
    write_beside,
)
from embspace.draw.page.looks import BLUE, GRAY, NULLS, VERMILION, Look
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.page.token_kinds import drawable

STAGE = "measure_sparse_features"
FURTHER_RESULTS = ("conf/measure/open_questions/sparse_features.yaml",)
MEASURED_WITH = FURTHER_RESULTS[0]
MODEL, RANDOM = "model", "random_weights"
CLOUDS = {
    MODEL: Look("the model", VERMILION, "o"),
    RANDOM: Look(NULLS["random_initialization"].name, GRAY, "s"),
    "gaussian": Look("Gaussian, same covariance", BLUE, "D"),
}
METHODS = {"ica": "ICA", "autoencoder": "autoencoder"}
LEARNED, UNDECIDED = "learned", "undecided"
EARLY = "a fit of ICA did not converge"
BAR = 0.26  # of a row, for a cloud
MOST_LEFT = 0.9  # share to the right of which a panel has no room for words
NAMED = 0.3  # of the top tokens, which a token makes up that names a feature
UNNAMED = f"no token above {percent(NAMED)}"
N_EXAMPLES, LONGEST = 3, 17  # examples, and characters of one


def draw_sparse_features(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_shown: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the shares of features that recur, and tokens of some features."""
    table, counts, settings = results["csv"], results["json"], results[MEASURED_WITH]
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title=_finding(table),
        subtitle=f"{label} · {counted(counts['n_tokens'], 'token')} of "
        f"{counted(counts['n_documents'], 'document')} · {counted(settings['n_seeds'], 'seed')}, "
        "each of its own texts (lines: range over pairs of seeds) · recurs: nearer to a feature of "
        "another seed than random directions are · hollow: not surely beyond both nulls by "
        f"{100 * settings['margin']:g} "
        f"points, or a fit of its row not converged · lists: commonest of "
        f"{settings['n_top']} top tokens, share, smallest cosine between seeds",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if table.empty:
        say_instead(axes, "no states of single tokens")
        return figure, text
    shares = join_panels(axes[:2])
    method, layer = _place_shown(table)
    _shares(shares, table, (layer, method))
    sizes = f"ICA: {settings['n_components']}, autoencoder: {settings['n_features']}"
    shares.set_xlabel(f"share of a seed's features ({sizes}) that recur")
    features = results["features"]
    own = features[(features["layer"] == layer) & (features["method"] == method)]
    place = f"{sentence_case(METHODS[method])}, layer {layer}"
    listed = [own[own["cloud"] == cloud].head(n_shown) for cloud in (MODEL, RANDOM)]
    axes[2].set_title(f"{place}, {CLOUDS[MODEL].name}: most alike")
    axes[3].set_title(f"{place}, {CLOUDS[RANDOM].name}{_same_tokens(*listed)}")
    for ax, rows in zip(axes[2:], listed, strict=True):
        _tokens(ax, rows)
    legend_below(figure, axes[:1], ncols=4)
    return figure, text


def _finding(table: pd.DataFrame) -> str:
    """Return the title: where features surely recur beyond both nulls, or may."""
    if table.empty:
        return "No features of single tokens"
    own = table[table["cloud"] == MODEL]
    learned, undecided = own[own["verdict"] == LEARNED], own[own["verdict"] == UNDECIDED]
    elsewhere = "; elsewhere not surely" if len(learned) + len(undecided) < len(own) else ""
    if learned.empty and len(undecided):
        return (
            "Undecided if features recur beyond random weights: "
            f"{_named(undecided, table)}{elsewhere}"
        )
    if learned.empty:
        last = own[own["layer"] == own["layer"].max()]
        return (
            "No features surely recur beyond random weights and chance: "
            f"{_named(last.head(1), table)}"
        )
    start = "Features recur beyond random weights"
    if undecided.empty:
        return f"{start} and chance: {_named(learned, table)}{elsewhere}"
    unsure = ", ".join(_places(undecided))
    return f"{start}: {_named(learned, table)}; undecided: {unsure}{elsewhere}"


def _named(rows: pd.DataFrame, table: pd.DataFrame) -> str:
    """Return the places of rows, the first with its share and that at random weights."""
    row = rows.iloc[0]
    at_random = table[table["cloud"] == RANDOM].set_index(["layer", "method"])
    null = _null(row, at_random.loc[(row["layer"], row["method"])])
    first = f"{percent(row['recurring'])} by {_places(rows[:1])[0]} ({null})"
    return ", ".join([first, *_places(rows[1:])])


def _places(rows: pd.DataFrame) -> list[str]:
    """Return methods with their layers, in words."""
    return [
        f"{METHODS[str(method)]} in {'layers' if len(own) > 1 else 'layer'} "
        f"{' and '.join(map(str, own['layer']))}"
        for method, own in rows.groupby("method", sort=False)
    ]


def _null(own: pd.Series, random: pd.Series) -> str:
    """Return the share at random weights, and if a fit of either ended too early."""
    is_early = (own["converged_share"] < 1, random["converged_share"] < 1)
    ended = {
        (True, True): "; both not converged",
        (True, False): f"; {CLOUDS[MODEL].name} not converged",
        (False, True): ", not converged",
    }
    return f"{CLOUDS[RANDOM].name} {percent(random['recurring'])}{ended.get(is_early, '')}"


def _place_shown(table: pd.DataFrame) -> tuple[str, int]:
    """Return method and layer of the first learned, else undecided features, else the last's."""
    for verdict in (LEARNED, UNDECIDED):
        rows = table[table["verdict"] == verdict]
        if len(rows):
            return str(rows["method"].iloc[0]), int(rows["layer"].iloc[0])
    return next(iter(METHODS)), int(table["layer"].max())


def _shares(ax: Axes, table: pd.DataFrame, named: tuple[int, str]) -> None:
    """Draw a row per layer and method, with a mark per cloud; the named row has printed shares.

    Marks are hollow where features of the model are not learned.
    """
    places = [*table[["layer", "method"]].drop_duplicates().itertuples(index=False, name=None)]
    for number, (cloud, look) in enumerate(CLOUDS.items()):
        own = table[table["cloud"] == cloud]
        rows = zip(own["layer"], own["method"], strict=True)
        y = np.array([places.index(place) + (number - 1) * BAR for place in rows])
        ax.hlines(y, own["recurring_low"], own["recurring_high"], color=look.color, lw=1.2)
        style: dict[str, Any] = {"marker": look.marker, "ls": "", "ms": 5, "color": look.color}
        is_hollow = (own["verdict"] != LEARNED) & (cloud == MODEL)
        for hollow, filled in ((is_hollow, False), (~is_hollow, True)):
            if hollow.any():
                face = look.color if filled else "white"
                name = look.name if filled == (~is_hollow).any() else f"_{look.name}"
                ax.plot(
                    own["recurring"][hollow], y[hollow.to_numpy()], mfc=face, label=name, **style
                )
        is_early = own["converged_share"] < 1
        if is_early.any():
            ax.plot(own["recurring"][is_early], y[is_early.to_numpy()], "kx", ms=7, label=EARLY)
        for (_, row), height in zip(own.iterrows(), y, strict=True):
            if (row["layer"], row["method"]) == named and cloud in (MODEL, RANDOM):
                _print_share(ax, row, height)
    ax.set_yticks(range(len(places)), [f"{METHODS[m]}, layer {layer}" for layer, m in places])
    ax.set(xlim=(-0.03, 1.03), ylim=(len(places) - 0.5, -0.5))
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    ax.set_title("Features that recur between seeds")


def _print_share(ax: Axes, row: pd.Series, y: float) -> None:
    """Write a share beside the line, where the panel has room."""
    is_right = row["recurring_high"] < MOST_LEFT
    place = (row["recurring_high" if is_right else "recurring_low"], y)
    side, offset = ("left", 6) if is_right else ("right", -6)
    write_beside(ax, percent(row["recurring"]), place, (offset, 0), ha=side, va="center")


def _same_tokens(own: pd.DataFrame, random: pd.DataFrame) -> str:
    """Return how many named tokens of the model are named for random weights, too."""
    tokens, others = ({*rows.loc[rows["token_share"] >= NAMED, "token"]} for rows in (own, random))
    if not tokens:
        return ""
    n_same = len(tokens & others)
    if n_same in (0, len(tokens)):
        return ": the same tokens" if n_same else ": none of these tokens"
    return f": {n_same} of these {len(tokens)} tokens"


def _tokens(ax: Axes, features: pd.DataFrame) -> None:
    """Write the most frequent token of each feature, with an example."""
    ax.set_axis_off()
    look: dict[str, Any] = {"transform": ax.transAxes, "va": "top", "fontsize": 7}
    for line, (_, row) in enumerate(features.iterrows()):
        y = 1 - line / max(len(features), 1)
        token = drawable(str(row["token"]))
        is_named = row["token_share"] >= NAMED
        name = f"[{token}] {percent(row['token_share'])}" if is_named else UNNAMED
        head = f"{name}; cosine {row['cosine']:.2f}"
        ax.text(0, y, head, fontweight="bold", **look).set_parse_math(False)
        examples = str(row["examples"]).split(" … ")[:N_EXAMPLES]
        words = "; ".join(_short(drawable(example)) for example in examples)
        ax.text(0.02, y - 0.07, words, color="0.3", **look).set_parse_math(False)


def _short(example: str) -> str:
    """Return an example without the outer tokens, if it is long."""
    words = example.split()
    while len(" ".join(words)) > LONGEST and len(words) > 1:
        place = next(number for number, word in enumerate(words) if word.startswith("["))
        words = words[1:] if place > len(words) - 1 - place else words[:-1]
    return " ".join(words)


def _tables(results: Results, label: str, digits: int) -> str:
    return tables_page(
        f"Sparse features in {label}",
        STAGE,
        section(
            "Features that recur",
            "Share of the living features of two seeds that match beyond random directions, of "
            "all clouds beyond the same cosine; the range is over pairs of seeds. The verdict "
            "follows the rule beside the settings: undecided are features beyond random weights "
            "whose fits did not converge, for those may recur less.",
            markdown_table(results.for_readers("csv"), digits),
        ),
        section(
            "Features that are most alike in all seeds",
            "With the token in brackets that lights a feature. No claim is made of what it does. "
            "Features of ICA are never 0, so that no share of tokens lights them.",
            markdown_table(results.for_readers("features"), digits),
        ),
    )
