"""Figure and tables of `measure_information_stream`: alignment along the stream."""

from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    new_figure,
    say_instead,
)
from embspace.draw.page.looks import BLACK, BLUE, GRAY, VERMILION, Look
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.own_texts import units_of
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import listed, numeral

# Of a block, where the stream itself is: what each looks like, in the order of the stream.
ON_STREAM = {
    "input": Look("hidden state", BLACK, "o"),
    "attention_sum": Look("attention added", BLUE, "^"),
    "after_attention": Look("after attention", BLUE, "s"),
    "mlp_sum": Look("MLP added", VERMILION, "v"),
    "output": Look("hidden state", BLACK, "o"),
}
WITH_NORMS = {  # names in a block whose norms follow attention and MLP
    "input": "hidden state (after the MLP's norm)",
    "attention_sum": "attention added, before its norm",
    "after_attention": "after attention's norm",
    "mlp_sum": "MLP added, before its norm",
}
STEPS = {
    "attention_and_norm": "attention",
    "mlp_and_norm": "MLP",
    "block": "whole block",
}
MEAN, RANDOM = "mean", "random weights"
SIDES = {"value": MEAN, "random_weights_mean": RANDOM}
KEEPS, LEAST_GAIN = "keeps", 0.005  # a smaller one is 0.00 in the title
DARK = 0.55  # of the deepest color, from which on numbers are white
LEAST_COLORED = 0.05  # a gain, at least, that has the deepest color
LEAST_NAMED = 0.05  # a sum of few blocks, at least, that are named in the title
NORM_AFTER = "norm_after_attention"  # a step, if norms follow attention and MLP
MOST_OF_CHANGE = 0.75  # of a part's sum over blocks, that few blocks make if they are named
MOST_BLOCKS, BLOCKS_BESIDE = 2, 3  # named, and of so many times as many
TIMES_REST = 2  # the largest change of the others, that a named block changes at least
MOST_EVEN = 15  # layers up to which the columns of means are as narrow as theirs
MOST_NUMBERED = 7  # layers whose gains have room for numbers
SHOWN = {"mean_cosine": "Mean cosine", "mean_resultant_length": "Cone index / n"}
NOTE = (
    "Of the tokens of one text, mean over texts. The cone index is the length of the sum of unit "
    "vectors (Bonino et al. 2025), n the number of tokens: only cone index / n and the mean cosine "
    "can be compared between texts of different length."
)


def draw_information_stream(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw alignment along the stream, and the gains of the steps.

    Layers are in sequence on the axis, and within a layer the points of the block.
    """
    points, steps = results["csv"], results["steps"]
    figure, grid = new_figure(
        2,
        1,
        height_mm=height_mm,
        title=_title(results["gains"], results["steps"], label),
        subtitle=_subtitle(points, label),
        stage="measure_information_stream",
    )
    heading = f"# Information stream of {label}\n\nStage `measure_information_stream`.\n"
    if points.empty:
        reason = f"{label}: the blocks of its architecture cannot be rebuilt, or it read no text"
        say_instead(grid, reason)
        return figure, f"{heading}\n{reason}.\n"
    is_cosine = points["measure"] == "mean_cosine"
    _along_stream(grid[0], points[is_cosine])
    _gains(grid[1], steps, results["gains"])
    _legend(grid[0], points)
    return figure, "\n".join([heading, *_tables(results, digits)])


def _subtitle(points: pd.DataFrame, label: str) -> str:
    if points.empty:
        return label
    first = points.iloc[0]
    documents = units_of("documents", first["corpus"])
    return (
        f"{label} · {count(first['n_texts'])} {documents}, {count(first['n_tokens'])} tokens of "
        "their first windows · bands: 95 % intervals over documents, narrower than the line in "
        "places"
    )


def _title(gains: pd.DataFrame, steps: pd.DataFrame, label: str) -> str:
    """Return how attention and MLP, with norms after them, change the mean cosine.

    By the means over blocks, or by the few blocks that make most of the change.
    """
    cosine_gains = gains[gains["measure"] == "mean_cosine"].set_index("step")
    if cosine_gains.empty:
        return f"The stream of {label} was not measured"
    with_norm = " with its norm" if NORM_AFTER in cosine_gains.index else ""
    attention, mlp = (_change(cosine_gains, steps, part) for part in ("attention", "mlp"))
    is_known = attention.random == attention.random
    at_random = {attention.verb_at_random, mlp.verb_at_random} if is_known else {KEEPS}
    if {attention.verb, mlp.verb} | at_random == {KEEPS}:
        null = ", as at random weights" if is_known else ""
        return f"Neither attention nor MLP changes the mean cosine of a text's tokens{null}"
    if attention.blocks:
        change = f" mostly in {attention.blocks}, by {abs(attention.gain):.2f}"
    else:
        change = "" if attention.verb == KEEPS else f" by {abs(attention.gain):.2f} a block"
    beside = numeral(attention.random, 2, plus=True)
    null = f"with random weights it changes by {beside}" if attention.verb == KEEPS else ""
    null = f" ({null or f'random weights: {beside}'})" if is_known else ""
    where = f" mostly in {mlp.blocks}" if mlp.blocks else ""
    return (
        f"Attention{with_norm} {attention.verb} the mean cosine of a text's tokens{change}{null}; "
        f"the MLP{with_norm} {mlp.verb} it{where}{', too' if mlp.verb == attention.verb else ''}"
    )


class Change(NamedTuple):
    """The change of the mean cosine by a part: its mean over blocks, or the sum over `blocks`."""

    gain: float
    random: float
    blocks: str = ""

    @property
    def verb(self) -> str:
        """Return whether the part raises, lowers or keeps the cosine."""
        return _verb(self.gain)

    @property
    def verb_at_random(self) -> str:
        """Return the verb for random weights."""
        return _verb(self.random)


def _change(gains: pd.DataFrame, steps: pd.DataFrame, part: str) -> Change:
    """Return the change by a part and its norm: of few blocks if they make most of it."""
    step = f"{part}_and_norm"
    is_step = (steps["step"] == step) & (steps["measure"] == "mean_cosine")
    by_block = steps[is_step].set_index("layer")[[*SIDES]]
    side = 1 if by_block["value"].sum() >= 0 else -1
    ordered = by_block.loc[(side * by_block["value"]).sort_values(ascending=False).index]
    for n in range(1, min(MOST_BLOCKS, len(ordered) // BLOCKS_BESIDE) + 1):
        most, rest = ordered.iloc[:n], ordered["value"].iloc[n:]
        total = abs(most["value"].sum())
        is_most = total >= max(MOST_OF_CHANGE * abs(by_block["value"].sum()), LEAST_NAMED)
        if is_most and TIMES_REST * rest.abs().max() < most["value"].abs().min():
            named = listed([str(layer) for layer in sorted(most.index)])
            gain, random = (float(most[column].sum(skipna=False)) for column in SIDES)
            return Change(gain, random, f"block{'s' * (n > 1)} {named}")
    gain, random = (float(gains[column][step]) for column in SIDES)
    return Change(gain, random)


def _verb(gain: float) -> str:
    if abs(gain) < LEAST_GAIN:
        return KEEPS
    return "raises" if gain > 0 else "lowers"


def _places(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of points on the stream with the place `x`, every state once."""
    on_stream = [point for point in ON_STREAM if point in set(rows["point"])]
    share = {point: number / (len(on_stream) - 1) for number, point in enumerate(on_stream)}
    kept = rows[rows["point"].isin(on_stream)]
    kept = kept[(kept["point"] != "input") | (kept["layer"] == rows["layer"].min())]
    return kept.assign(x=kept["layer"] - 1 + kept["point"].map(share)).sort_values("x")


def _along_stream(ax: Axes, rows: pd.DataFrame) -> None:
    placed = _places(rows)
    ax.fill_between(placed["x"], placed["low"], placed["high"], color=BLACK, alpha=0.2, lw=0)
    ax.plot(placed["x"], placed["value"], color=BLACK, lw=0.8)
    for point, look in ON_STREAM.items():
        point_rows = placed[placed["point"] == point]
        ax.plot(point_rows["x"], point_rows["value"], look.marker, color=look.color, ms=4)
    least, most = (placed[f"random_weights_{end}"] for end in ("smallest", "largest"))
    ax.fill_between(placed["x"], least, most, color=GRAY, alpha=0.3, lw=0)
    ax.plot(placed["x"], placed["random_weights_mean"], color=GRAY, ls="--", lw=1)
    ax.plot(placed["x"], placed["isotropic"], color=GRAY, ls=":", lw=1)
    last = int(rows["layer"].max())
    for layer in range(last + 1):
        ax.axvline(layer, color="0.9", lw=0.6, zorder=0)
    ax.set(title="Mean cosine of a text's tokens, along the stream", ylabel="mean cosine")
    ax.set(xlabel="layer; between two layers the points of a block", xlim=(-0.1, last + 0.1))
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=13, steps=[1, 2, 5, 10]))
    ax.grid(visible=False, axis="x")


def _gains(ax: Axes, steps: pd.DataFrame, gains: pd.DataFrame) -> None:
    """Draw the gains of the parts by layer, the mean, and the mean with random weights."""
    by_layer, overall = (table[table["measure"] == "mean_cosine"] for table in (steps, gains))
    wide = by_layer.pivot_table("value", "step", "layer").reindex([*STEPS])
    wide = wide.dropna(axis="columns")
    n_layers = wide.shape[1]
    wider = -(-n_layers // MOST_EVEN)  # in cells of a layer
    for column, name in SIDES.items():
        means_of_steps = overall.set_index("step")[column].reindex(wide.index)
        if means_of_steps.notna().all():
            wide[name] = means_of_steps
    means = [n_layers + (wider > 1) + wider * number for number in range(wide.shape[1] - n_layers)]
    lefts = [*range(n_layers), *means]
    widths = [1] * n_layers + [wider] * len(means)
    largest = max(LEAST_COLORED, float(wide.abs().max().max()))
    colors: dict[str, Any] = {"cmap": "RdBu_r", "vmin": -largest, "vmax": largest}
    for (_, cells), left, width in zip(wide.items(), lefts, widths, strict=True):
        edges = [left, left + width], range(len(wide) + 1)
        ax.pcolormesh(*edges, cells.to_numpy()[:, None], edgecolors="white", lw=0.5, **colors)
        for row, gain in enumerate(cells):
            if left >= n_layers or n_layers <= MOST_NUMBERED:
                color = "white" if abs(gain) > DARK * largest else "0.15"
                place = (left + width / 2, row + 0.5)
                look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7}
                ax.text(*place, numeral(gain, 2, plus=True), color=color, **look)
    names = [str(name).replace(" ", "\n" if wider > 1 else " ") for name in wide.columns]
    shown = [number for number, left in enumerate(lefts) if left >= n_layers or not left % wider]
    ax.set_xticks([lefts[i] + widths[i] / 2 for i in shown], [names[i] for i in shown])
    ax.set_yticks([row + 0.5 for row in range(len(wide))], [*STEPS.values()])
    norms = " and its norm gain" if NORM_AFTER in set(steps["step"]) else " gains"
    ax.set(title=f"What a part{norms} in mean cosine", xlabel="layer", ylabel="")
    ax.set(xlim=(0, lefts[-1] + widths[-1]), ylim=(len(wide), 0))
    ax.tick_params(length=0, rotation=0)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)


def _legend(ax: Axes, points: pd.DataFrame) -> None:
    there = set(points["point"])
    names = WITH_NORMS if "attention_sum" in there else {}
    handles = [
        Line2D(
            [],
            [],
            color=look.color,
            marker=look.marker,
            ls="",
            ms=4,
            label=names.get(point, look.name),
        )
        for point, look in ON_STREAM.items()
        if point in there and point != "output"
    ]
    if points["random_weights_mean"].notna().any():
        handles.append(Line2D([], [], color=GRAY, ls="--", label="random weights, mean and range"))
    handles.append(Line2D([], [], color=GRAY, ls=":", label="independent directions"))
    ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(0, -0.28), ncols=3)


def _tables(results: Results, digits: int) -> list[str]:
    points, steps, heads = results["csv"], results["steps"], results["heads"]
    total = results["gains"].query("measure == 'mean_cosine'")
    named_steps = total.assign(step=total["step"].str.replace("_", " "))
    overall = section(
        "Gain of mean cosine by step, mean over blocks",
        "With a 95 % interval over texts, and the mean of models with random weights.",
        markdown_table(results.for_readers("gains", named_steps), digits),
    )
    gains = steps[steps["measure"] == "mean_cosine"]
    main = section(
        "Gain of mean cosine by step",
        "Differences between two points of the same text: their intervals are paired. The gains of "
        "attention, MLP and the norms after them add up to that of the block. Values, mixing, "
        "concatenation and output matrix are inside attention, norms before are read by it and the "
        "MLP alone.",
        markdown_table(_by_layer(gains, ["step", "from_point", "to_point"]), digits),
    )
    along = [
        section(words, NOTE, markdown_table(_by_layer(rows, ["point"]), digits))
        for measure, words in {**SHOWN, "cone_index": "Cone index"}.items()
        if len(rows := points[points["measure"] == measure])
    ]
    others = points[~points["measure"].isin([*SHOWN, "cone_index"])]
    rest = [
        section(
            "Lengths, column sums and distribution of the coordinates",
            "Column sums are the sums of a text's vectors, a number a dimension, standardized over "
            "the dimensions. The distance of the coordinates from a normal distribution of their "
            "mean and variance is Kolmogorov and Smirnov's; all coordinates of a text's tokens.",
            markdown_table(_by_layer(others, ["measure", "point"]), digits),
        ),
        section(
            "Mean cosine of each head",
            "Vectors of the tokens of a text.",
            markdown_table(
                _by_layer(heads[heads["measure"] == "mean_cosine"], ["point", "head"]), digits
            ),
        ),
    ]
    random = gains.assign(value=gains["random_weights_mean"])
    if random["value"].notna().any():
        table = markdown_table(_by_layer(random, ["step"]), digits)
        rest.insert(0, section("Gain of mean cosine with random weights", "Mean of models.", table))
    return [overall, main, *along, folded("\n".join(rest))]


def _by_layer(rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the columns of the keys, then a column per layer, in order."""
    named = rows.assign(**{key: rows[key].astype(str).str.replace("_", " ") for key in keys})
    wide = named.pivot_table("value", keys, "layer", sort=False).reset_index()
    wide.columns = [name if isinstance(name, str) else f"layer {name}" for name in wide.columns]
    return wide
