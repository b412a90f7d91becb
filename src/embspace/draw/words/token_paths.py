"""Draws how far tokens go through the layers: from themselves, step by step, from their token."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    draw_line,
    new_figure,
    say_instead,
)
from embspace.draw.page.direct_labels import name_lines
from embspace.draw.page.looks import BLACK, NULLS, SKY, Look, corpus_looks
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.words.evolution import followed_word, paths_of_followed, sentence_of
from embspace.draw.words.evolution_tables import NO_TOKENS
from embspace.draw.words.standing_out import stands_out
from embspace.draw.words.token_tracker import GROUPS, NO_TEXT, at_sum, share_of_words

RESULTS = (
    "evolution/path.csv",
    "evolution/drift.csv",
    "evolution/layers.csv",
    "token_tracker/layers.csv",
)
DISTANCES = ["relative_distance", "random_weights_relative_distance"]
SAME = 1e-4  # relative distances below it are rounding: of states that are equal


class Step(NamedTuple):
    """Words for a quantity of steps, and whether its largest or smallest value moves most."""

    heading: str
    axis: str
    verb: str
    sign: int


STEPS = {
    "euclidean_distance": Step("length of a step", "length of a step, Euclidean", "move", 1),
    "cosine": Step("state and previous state", "cosine with the state before", "turn", -1),
}
RANDOM = NULLS["random_initialization"]
FARTHER = 1.1  # times random weights, which are one draw
ALL = 0.995  # shares from it on are printed as 100 %


def draw_token_paths(
    results: Mapping[str, pd.DataFrame],
    label: str,
    *,
    height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the drift of shared tokens, length and turn of steps, and who is nearest to its token.

    Steps are of the tokens of a corpus, of the first text where there is none.
    """
    path, drift, layers, tracked = (results[name.removesuffix(".csv")] for name in RESULTS)
    nearest = at_sum(tracked[tracked["quantity"] == "nearest"])
    nearest = nearest[nearest["group"].isin(GROUPS)]
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title=_finding(layers, nearest, defined(drift)),
        subtitle=f"{label} · {_population(path, layers, nearest)}",
        stage="measure_evolution",
    )
    if path.empty:
        say_instead(axes, NO_TOKENS)
        return figure, _table(layers, nearest, label, digits)
    _drift(axes[0], defined(drift), path)
    for ax, quantity in zip(axes[1:3], STEPS, strict=True):
        _steps(ax, quantity, layers)
    _nearest(axes[3], nearest)
    return figure, _table(layers, nearest, label, digits)


def _finding(layers: pd.DataFrame, nearest: pd.DataFrame, drift: pd.DataFrame) -> str:
    """Return the title: the longest step, the drift, and who is nearest to its token at the end."""
    if layers.empty:
        return "No token to follow through the layers"
    last = _at_last(nearest)
    first = _longest_step(layers) + _apart(drift)
    if last.empty:
        return first
    shares = [
        f"{share_of_words(last['value'][group])} of {GROUPS[group].name.removesuffix(' words')}"
        for group in GROUPS
    ]
    return (
        f"{first}; {' and '.join(shares)} words end nearest to their own token (d), untrained "
        f"{_at_random(last)}"
    )


def _at_random(last: pd.DataFrame) -> str:
    """Return how many words of both groups end nearest to their token at random weights."""
    at_random = last["random_weights_value"]
    if (at_random >= ALL).all():
        return "all"
    differences = at_random - last["value"]
    if (differences > 0).all() or (differences < 0).all():
        return "more" if (differences > 0).all() else "fewer"
    content, function = (share_of_words(at_random[group]) for group in GROUPS)
    return f"{content.removesuffix(' %')} and {function}"


def _apart(drift: pd.DataFrame) -> str:
    """Return whether tokens shared by two texts drift apart, beyond random weights."""
    if drift.empty:
        return ""
    own, random = drift[drift["layer"] == drift["layer"].max()][DISTANCES].mean()
    if pd.isna(random):
        return ""
    farther = "farther" if own > FARTHER * random else "no farther"
    return f"; in two texts they end {farther} apart than untrained (a)"


def _longest_step(layers: pd.DataFrame) -> str:
    """Return the layer that moves tokens most, if one clearly does."""
    if layers[layers["quantity"] == "euclidean_distance"]["mean"].isna().all():
        return "No token to follow through the layers"
    return f"{_most(layers, 'euclidean_distance')} tokens most (b)"


def _most(layers: pd.DataFrame, quantity: str) -> str:
    """Return the layer with the longest step or the smallest cosine, if one clearly has it."""
    rows = _last_tokens(layers[layers["quantity"] == quantity].dropna(subset="mean"))
    verb, sign = STEPS[quantity].verb, STEPS[quantity].sign
    # Of a text alone there is no interval.
    ends = ["mean_low", "mean_high"] if rows["mean_low"].notna().all() else ["mean", "mean"]
    near, far = ends[::sign]
    order = rows.assign(size=sign * rows["mean"]).sort_values("size", kind="stable")
    below = (sign * order[far]).iloc[:-1].max()  # of the others; NaN without any
    if rows.empty or sign * order[near].iloc[-1] <= below:
        return f"No layer clearly {verb}s"
    layer = int(order["layer"].iloc[-1])
    is_beyond = _beyond_random(layers, quantity, layer)
    return f"Layer {layer} {verb}s" if is_beyond else f"No layer clearly {verb}s"


def _beyond_random(layers: pd.DataFrame, quantity: str, layer: int) -> bool:
    """Return whether a layer's step is the largest of the first text, beyond random weights."""
    rows = layers[layers["quantity"] == quantity].dropna(subset="mean")
    first = rows[rows["tokens"] == rows["tokens"].iloc[0]]
    values, at_random = first["mean"], first["random_weights_mean"]
    if STEPS[quantity].sign < 0:  # of cosines, what lacks to 1
        values, at_random = 1 - values, 1 - at_random
    is_largest = int(first["layer"][values.idxmax()]) == layer
    return bool(at_random.isna().any() or (is_largest and stands_out(values, at_random)))


def _at_last(nearest: pd.DataFrame) -> pd.DataFrame:
    return nearest[nearest["layer"] == nearest["layer"].max()].set_index("group")


def _last_tokens(layers: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the last set of tokens, if possible a corpus."""
    return layers[layers["tokens"] == layers["tokens"].iloc[-1]] if len(layers) else layers


def _population(path: pd.DataFrame, layers: pd.DataFrame, nearest: pd.DataFrame) -> str:
    if path.empty:
        return "no tokenizer, n = 0 tokens"
    n = counted(_last_tokens(layers)["n"].max(), "token")
    groups = nearest.groupby("group", sort=False)["n_tokens"].max()
    sizes = [f"{GROUPS[str(group)].name}: {size}" for group, size in groups.items()]
    first = "; black, gray: first text of a" if layers["tokens"].nunique() > 1 else ""
    return " · ".join(
        [
            f"a: {_merged(path)}",
            f"b, c: {n} of as many texts{first}",
            *([f"d: {', '.join(sizes)}, sums of blocks, before LayerNorm"] if sizes else []),
            "layer 0: embedding output · bands: 95 %",
        ]
    )


def _merged(path: pd.DataFrame) -> str:
    """Return the first two texts as a single one, as in `the [cat → computer] sat`."""
    texts = [sentence_of(rows).split() for _, rows in path.groupby("text", sort=False)][:2]
    if len({*map(len, texts)}) > 1:
        return ", ".join(f"“{' '.join(words)}”" for words in texts)
    merged = [dict.fromkeys(words) for words in zip(*texts, strict=True)]
    words = [f"[{' → '.join(both)}]" if len(both) > 1 else next(iter(both)) for both in merged]
    return f"“{' '.join(words)}”"


def defined(drift: pd.DataFrame) -> pd.DataFrame:
    """Return the drift without tokens that are equal in both texts at every layer, at any weights.

    A causal model reads the same before two texts differ.
    """
    distances = drift[DISTANCES].max(axis=1)
    same = distances.groupby([drift[key] for key in ("first", "second", "position")])
    return drift[~(same.transform("max") < SAME)]


def _drift(ax: Axes, drift: pd.DataFrame, path: pd.DataFrame) -> None:
    """Draw how far every token that two texts share is from itself, and mark the followed word."""
    ax.set(title="The same token in two texts", ylabel="distance / that of different tokens")
    if drift.empty:
        say_instead([ax], "no token that two texts share")
        return
    followed = paths_of_followed(path)
    marked = drift["position"].isin(followed["position"]) & drift["token"].isin(followed["token"])
    last = drift[drift["layer"] == drift["layer"].max()].set_index(["first", "second", "position"])
    groups = drift.groupby(["first", "second", "position"], sort=False)
    named = {last["relative_distance"].idxmax(), last["relative_distance"].idxmin()}
    named.add(groups["relative_distance"].mean().idxmin())
    for number, (key, rows) in enumerate(groups):
        layers, is_marked = rows["layer"], bool(marked[rows.index].any())
        random: dict[str, Any] = {"color": RANDOM.color, "ls": RANDOM.line, "lw": 0.8}
        name = RANDOM.name if number == 0 else "_"
        ax.plot(layers, rows["random_weights_relative_distance"], label=name, **random)
        look: dict[str, Any] = {"color": BLACK, "lw": 2} if is_marked else {"color": SKY, "lw": 0.8}
        word = followed_word(followed) if is_marked else rows["token"].iloc[0]
        word = word if is_marked or key in named else "_"
        ax.plot(layers, rows["relative_distance"], label=word, zorder=2 + is_marked, **look)
    ax.set_ylim(0, None)
    _by_layer(ax)


def _steps(ax: Axes, quantity: str, layers: pd.DataFrame) -> None:
    """Draw a mean by the layer where a step ends, beside random weights."""
    rows = layers[layers["quantity"] == quantity].dropna(subset="mean")
    if rows.empty:
        say_instead([ax], "no two states to compare")
        return
    first, rows = rows[rows["tokens"] == rows["tokens"].iloc[0]], _last_tokens(rows)
    draw_line(ax, first, "layer", "random_weights_mean", RANDOM._replace(marker=""))
    tokens = rows["tokens"].iloc[0]
    if first["tokens"].iloc[0] != tokens:
        draw_line(ax, first, "layer", "mean", Look("first text", BLACK, "D"))
    draw_line(ax, rows, "layer", "mean", corpus_looks([tokens])[tokens])
    said = f"{_most(layers, quantity)} tokens most"
    ax.set(title=said, ylabel=STEPS[quantity].axis)
    ax.ticklabel_format(useOffset=False)
    low, high = ax.get_ylim()
    ax.set_ylim(*((min(0.9, low), 1.01) if quantity == "cosine" else (0, 1.08 * high)))
    _by_layer(ax)


def _nearest(ax: Axes, nearest: pd.DataFrame) -> None:
    """Draw the shares of two groups by layer, named with those of the last layer."""
    ax.set(title="Nearest of all tokens is its own", ylabel="share of tokens", ylim=(-0.03, 1.1))
    if nearest.empty:
        say_instead([ax], NO_TEXT)
        return
    for group, look in GROUPS.items():
        rows = nearest[nearest["group"] == group]
        draw_line(ax, rows, "layer", "random_weights_value", RANDOM._replace(marker=""))
        name = f"{look.name} {share_of_words(rows['value'].iloc[-1])}"
        rows = rows.rename(columns={"low": "value_low", "high": "value_high"})
        draw_line(ax, rows, "layer", "value", look._replace(name=name))
    ax.lines[2].set_label("_")  # random weights are named once
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    _by_layer(ax)


def _by_layer(ax: Axes) -> None:
    ax.set_xlabel("layer")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    name_lines(ax, 0.07)


def _table(layers: pd.DataFrame, nearest: pd.DataFrame, label: str, digits: int) -> str:
    """Return by layer the mean length and turn of a step, and the shares nearest to their token."""
    title, stage = f"Paths of tokens through {label}", "measure_evolution"
    if layers.empty:
        return tables_page(title, stage, f"{NO_TOKENS}.\n")
    steps = _last_tokens(layers[layers["quantity"].isin(STEPS)])
    steps = steps.pivot(index="layer", columns="quantity", values="mean")
    shares = nearest.pivot(index="layer", columns="group", values="value")
    shares = shares.rename(columns={name: look.name for name, look in GROUPS.items()})
    names = {quantity: step.heading for quantity, step in STEPS.items()}
    shown = steps.rename(columns=names).join(shares, how="outer").reset_index()
    note = "Mean length of a step, mean cosine of a state and the one before, and shares of words "
    note += "that are nearest to their own token."
    return tables_page(title, stage, section("By layer", note, markdown_table(shown, digits)))
