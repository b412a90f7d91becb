"""Draws which layers of two models may be joined, from `compare_model_stitching`."""

from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.markers import CARETLEFT, CARETRIGHT
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    LINE,
    draw_line,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
    shade,
)
from embspace.draw.page.looks import BLUE, GRAY, GREEN, ORANGE, VERMILION, Look, corpus_looks
from embspace.draw.page.markdown import (
    for_readers,
    interval,
    markdown_table,
    section,
    tables_page,
)
from embspace.files.tables import Tables
from embspace.settings.params import models_of

STAGE = "compare_model_stitching"
VOCABULARY, IDENTITY, OWN = "vocabulary", "identity", "own"
NO_BLOCK, RANDOM = "no block", "random"
RANDOM_STITCHES = ("turned", "shuffled tokens")
JOINS, OPEN = "joins", "open"
SIZES = {VOCABULARY: {"ms": 3, "zorder": 4}, IDENTITY: {"ms": 6, "zorder": 3}}  # one in the other
# Points beside the marks that are above or below, with the tip at the value.
BESIDE = {VOCABULARY: CARETRIGHT, IDENTITY: CARETLEFT}
BESIDE_SIZE = 5.5
BAR = 0.5
MEASURES = {
    "cosine": "cosine with the own output",
    "nearest": "share of texts found",
}
AXES = {
    "cosine": "cosine of last states,\nstitched and own",
    "nearest": "texts found:\ntheir own is nearest",
}
HEADINGS = {"cosine": "Last states", "nearest": "Texts found"}
WAYS = {IDENTITY: "as they are", VOCABULARY: "through the vocabulary"}
LOOKS = {
    (VOCABULARY, OWN): Look("through the vocabulary", BLUE, "o", "-"),
    (IDENTITY, OWN): Look("as they are", VERMILION, "s", "--"),
    ("trained", OWN): Look("trained stitch", GREEN, "+", "-."),
    ("trained", RANDOM): Look("trained, random weights below", ORANGE, "x", ":"),
    (VOCABULARY, NO_BLOCK): Look("no block below, vocabulary", BLUE, "", ":"),
    (IDENTITY, NO_BLOCK): Look("no block below, as they are", VERMILION, "", (0, (3, 1, 1, 1))),
}
NAMES = {VOCABULARY: "vocabulary", IDENTITY: "as they are", "trained": "trained"}
WEIGHTS = {OWN: "", RANDOM: ", random weights below", NO_BLOCK: ", no block below"}
NOTE = (
    "Blocks up to a layer of the lower model, then a stitch, then the blocks of the upper model "
    "above an equally deep layer. Cosine: of a token's stitched and own last state, less the mean "
    "own state; above 0.5, at one length, the stitched state is nearer than the mean state is. "
    "Found: the nearest own vector to a text's stitched vector is its own. A stitch joins two "
    "layers if both intervals are above 0.5, above every random stitch and above the interval with "
    "random weights below, by a rule that was fixed before, and if cosine is above its interval "
    "with no block below: the lower model's layer 0, by the same stitch into the same upper layer, "
    "a null that was added after results. It does not join if one interval has no part above. "
    "Layer 0 has no verdict. Above its last layer the upper model has no block. The own lower "
    "blocks have 1 in all columns."
)


def draw_model_stitching(
    results: Tables, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw cosine and texts found by layer, both ways, and tables. `label` names the pair.

    Marks of layers that join are filled, of others with a verdict hollow.
    """
    table = results["csv"].dropna(subset="lower_model")
    one, other = models_of(label)
    heading = f"Layers of {one} and {other} that may be joined"
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title=_title(table, one, other),
        subtitle=_subtitle(table, one, other),
        stage=STAGE,
    )
    if table.empty:
        reason = "; ".join(results["csv"]["reason"].dropna()) or "no result"
        say_instead(axes, f"Not compared: {reason}.")
        return figure, tables_page(heading, STAGE, f"Not compared: {reason}.\n")
    ways = [table[table["lower_model"] == name] for name in dict.fromkeys(table["lower_model"])]
    pairs = ((one, other), (other, one))
    for row, measure in enumerate(("cosine", "nearest")):
        for column, (rows, (lower, upper)) in enumerate(zip(ways, pairs, strict=True)):
            _curves(axes[2 * row + column], rows, measure, _joined(table))
            title = fill(f"{HEADINGS[measure]}: {lower} below {upper}", LINE)
            axes[2 * row + column].set_title(title)
        axes[2 * row].set_ylabel(AXES[measure])
    for ax in axes[2:]:
        ax.set_xlabel("layer of the lower model")
    legend_below(figure, axes, ncols=3)
    return figure, _tables(heading, ways, pairs, digits)


def _curves(ax: Axes, rows: pd.DataFrame, measure: str, joined: dict[str, str]) -> None:
    ax.axhline(BAR, color=GRAY, linewidth=0.6, label=f"{BAR:g}, the bound")
    drawn = rows[rows["stitch"].isin(RANDOM_STITCHES)].groupby("layer", as_index=False)
    low, high = f"{measure}_low", f"{measure}_high"
    ends = drawn.agg({low: "min", high: "max"})
    shade(ax, ends, "layer", measure, color=GRAY, alpha=0.4, label="random stitches")
    for (stitch, weights), look in LOOKS.items():
        line = rows[(rows["stitch"] == stitch) & (rows["weights"] == weights)]
        count = f": {joined[stitch]} join" if weights == OWN and stitch in joined else ""
        if line.empty:
            continue
        judged = line.dropna(subset="verdict")
        style: dict[str, Any] = {"markevery": []} if len(judged) else {}  # marks come below
        if weights == NO_BLOCK:
            style = {"marker": BESIDE[stitch], "ms": BESIDE_SIZE}
        draw_line(ax, line, "layer", measure, look._replace(name=look.name + count), **style)
        for is_filled, marked in judged.groupby(judged["verdict"] == JOINS):
            fill = look.color if is_filled else "white"
            mark: dict[str, Any] = {"color": look.color, "mfc": fill, **SIZES[stitch]}
            ax.plot(marked["layer"], marked[measure], look.marker, **mark)
    ax.set_ylim(min(-0.05, 1.1 * float(rows[low].min())), 1.12)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _judged(table: pd.DataFrame) -> pd.DataFrame:
    return table.dropna(subset="verdict")


def _joined(table: pd.DataFrame) -> dict[str, str]:
    """Return how many pairs of layers join, of all, by stitch."""
    counts, n = _counts(table)
    return {stitch: f"{count} of {n}" for stitch, count in counts.items()}


def _counts(table: pd.DataFrame) -> tuple[dict[str, int], int]:
    """Return the numbers of pairs of layers: joined, by stitch, and all."""
    judged = _judged(table)
    n = len(judged[["lower_model", "layer"]].drop_duplicates())
    joins = (judged["verdict"] == JOINS).groupby(judged["stitch"]).sum()
    return {stitch: int(joins[stitch]) for stitch in WAYS if stitch in joins}, n


def _title(table: pd.DataFrame, one: str, other: str) -> str:
    """Return how many pairs of layers join by either untrained stitch."""
    if table.empty:
        return f"Layers of {one} and {other} cannot be compared by joining them"
    counts, _ = _counts(table)
    if not any(counts.values()):
        verb = "surely join" if OPEN in set(table["verdict"]) else "join"
        ways = " or ".join(WAYS[stitch] for stitch in counts)
        return f"No layers of {one} and {other} {verb} {ways}"
    joined = " and ".join(f"{count} join {WAYS[stitch]}" for stitch, count in counts.items())
    pairs = f"Of the pairs of layers of {one} and {other}"
    return f"{pairs}, {joined}, better than the upper blocks alone"


def _subtitle(table: pd.DataFrame, one: str, other: str) -> str:
    if table.empty:
        return f"{one} · {other}"
    corpus = str(table["corpus"].iloc[0])
    return (
        f"{sentence_case(corpus_looks([corpus])[corpus].name)}: {int(table['n'].max())} texts, "
        "bands over texts · lower states enter an equally deep layer: as they are, by scores of "
        f"shared tokens (vocabulary), or by a trained map · cosine above {BAR:g}: nearer than the "
        f"mean state · filled: surely above {BAR:g}, random stitches, random weights and no block "
        "below"
    )


def _tables(
    heading: str,
    ways: list[pd.DataFrame],
    pairs: tuple[tuple[str, str], tuple[str, str]],
    digits: int,
) -> str:
    named = [f"{lower} below {upper}" for lower, upper in pairs]
    judged = pd.concat(
        [_judged(rows).assign(order=name) for rows, name in zip(ways, named, strict=True)]
    )
    first = section("Verdicts", NOTE, _shown(judged, {"order": "order"}, digits))
    rest = [
        section(name, "", _shown(rows, {}, digits)) for rows, name in zip(ways, named, strict=True)
    ]
    return tables_page(heading, STAGE, first, *rest)


def _shown(rows: pd.DataFrame, more: dict[str, str], digits: int) -> str:
    measures = [name for name in MEASURES if rows[name].notna().any()]
    columns = {**more, "layer": "layer", "upper_layer": "enters", "stitch": "stitch"}
    for name in measures:
        columns |= interval(name, MEASURES[name])
    columns |= {"verdict": "verdict"} if more else {}
    stitches = [
        NAMES.get(stitch, stitch) + WEIGHTS[weights]
        for stitch, weights in zip(rows["stitch"], rows["weights"], strict=True)
    ]
    return markdown_table(for_readers(rows.assign(stitch=stitches), columns), digits)
