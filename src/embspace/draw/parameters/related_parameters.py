"""Figure and tables of `measure_related_parameters`: do vectors that work together share words."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, legend_below, new_figure, percent, say_instead
from embspace.draw.page.looks import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, YELLOW, Look
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results

PAIRS = {
    "key_value": Look("key and value of a unit", BLUE, "o", "-"),
    "gate_value": Look("gate and value of a unit", BLUE, "o", "-"),
    "up_value": Look("factor and value of a unit", YELLOW, "P", "-"),
    "value_output": Look("value and output of a head", PURPLE, "D", "--"),
    "query_key": Look("query and key of a head", GREEN, "v", "-."),
}
GROUPS = {
    "feed_forward_key": Look("MLP keys", SKY, "^", "-"),
    "feed_forward_gate": Look("MLP gates", SKY, "^", "-"),
    "feed_forward_up": Look("MLP factors", YELLOW, "P", "-"),
    "feed_forward_value": Look("MLP values", VERMILION, "s", "--"),
    "attention_value": Look("attention values", PURPLE, "D", "-."),
    "attention_output": Look("attention outputs", ORANGE, "X", (0, (5, 1))),
}
MEASURES = {
    "jaccard_signed": "Words of highest score",
    "jaccard_absolute": "Words of highest absolute score",
    "share_related": "Pairs that are related",
}
STATES = {"layer": "With the state of the layer", "final": "With the final state"}
PAIRS_NOTE = (
    "Jaccard's similarity of the sets of words of two vectors: of highest score, as Dar et al. "
    "2023 define it, and of highest absolute score, as their code has it. Of GPT-2 medium they "
    "report that some 5 % of pairs of key and value have 15 % of their words in common."
)
BY_LAYER_NOTE = (
    "All pairs of a layer. Dealt anew: the mean over all partners that a vector could have, and "
    "the range of random ones."
)
STATES_NOTE = (
    "R_k, the share of a hidden state's words that one of the vectors that the token activates "
    "most has too. Activity is taken in front of the nonlinearity, with its sign."
)


def draw_related_parameters(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw Jaccard's similarity of pairs and R_k of activated vectors by layer, beside chance."""
    facts, pairs, states = results["json"], results["pairs"], results["csv"]
    heading = f"# Related vectors of {label}\n\nStage `measure_related_parameters`.\n"
    figure, axes = new_figure(
        2,
        2,
        height_mm=row_height_mm * 2 + 46,
        title=_title(facts, pairs, results["whole"], label),
        subtitle=_subtitle(facts, pairs, states, label),
        stage="measure_related_parameters",
    )
    if not facts["known"]:
        reason = f"{label}: the parameters of its architecture are not known here"
        say_instead(axes, reason)
        return figure, f"{heading}\n{reason}.\n"
    for ax, measure in zip(axes, ("jaccard_signed", "jaccard_absolute"), strict=False):
        rows = pairs[pairs["measure"] == measure]
        _by_layer(ax, rows, "pair", PAIRS, ("shuffled", "shuffled_low", "shuffled_high"))
        ax.set(title=MEASURES[measure], ylabel="Jaccard's similarity")
    for ax, (state, words) in zip(axes[2:], STATES.items(), strict=True):
        if states.empty:
            say_instead([ax], "No text was read")
            continue
        rows = states[states["state"] == state]
        _by_layer(ax, rows, "group", GROUPS, ("other_texts", "low", "high"))
        ax.set(title=words, ylabel=f"Share of {facts['state_k']} words")
    legend_below(figure, [axes[0], axes[2]], fontsize=7, ncols=3)
    return figure, "\n".join([heading, *_tables(results, digits)])


def _title(facts: dict[str, Any], pairs: pd.DataFrame, whole: pd.DataFrame, label: str) -> str:
    if not facts["known"]:
        return f"Whether vectors of {label} share words is not known here"
    related = pairs[pairs["measure"] == "share_related"]
    first = next(iter(pairs["pair"]))
    mean = whole[(whole["measure"] == "share_related") & (whole["pair"] == first)].iloc[0]
    best = related[related["pair"] == first].nlargest(1, "value").iloc[0]
    return (
        f"{percent(mean['value'])} of the units of {label} write "
        f"{percent(facts['related_from'])} or more of the words that they read, "
        f"{percent(mean['shuffled'])} with partners dealt anew; most in layer {best['layer']}: "
        f"{percent(best['value'])}"
    )


def _subtitle(facts: dict[str, Any], pairs: pd.DataFrame, states: pd.DataFrame, label: str) -> str:
    if not facts["known"]:
        return label
    parts = [
        label,
        f"all pairs, up to {count(pairs['n_pairs'].max())} a layer; {facts['k']} words of each "
        "vector",
        f"related: {percent(facts['related_from'])} of these in common",
    ]
    if not states.empty:
        first = states.iloc[0]
        parts.append(
            f"states: {count(first['n_tokens'])} tokens of {count(first['n_texts'])} texts "
            f"({corpus_called(facts['corpus'])}), {facts['n_active']} most active vectors"
        )
    return " · ".join(
        [
            *parts,
            f"thin: partners dealt anew, {facts['n_deals']} times, with their range; states of "
            "other texts · bands below: intervals over texts",
        ]
    )


def _by_layer(
    ax: Axes,
    rows: pd.DataFrame,
    column: str,
    looks: dict[str, Look],
    beside: tuple[str, str, str],
) -> None:
    """Draw the values, and the columns `beside`: those of chance, and the ends of a band."""
    chance, low, high = beside
    for name, look in looks.items():
        line = rows[rows[column] == name]
        if line.empty:
            continue
        x, color = line["layer"], look.color
        ax.fill_between(x, line[low], line[high], color=color, alpha=0.15, lw=0)
        style: dict[str, Any] = {"color": color, "marker": look.marker, "ms": 3.5, "lw": 1.2}
        ax.plot(x, line["value"], linestyle=look.line, label=look.name, **style)
        ax.plot(x, line[chance], color=color, lw=0.6, linestyle=look.line)
    ax.set_xlabel("Layer")
    ax.set_ylim(bottom=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _tables(results: Results, digits: int) -> list[str]:
    pairs: dict[str, Any] = {"pair": _names(PAIRS), "measure": MEASURES}
    whole, by_layer = (results.for_readers(name, **pairs) for name in ("whole", "pairs"))
    states = results.for_readers("csv", group=_names(GROUPS), state=STATES)
    return [
        section("Pairs", PAIRS_NOTE, markdown_table(whole, digits)),
        section("Pairs by layer", BY_LAYER_NOTE, markdown_table(by_layer, digits)),
        section("Activated vectors", STATES_NOTE, markdown_table(states, digits)),
    ]


def _names(looks: dict[str, Look]) -> dict[str, str]:
    return {name: look.name for name, look in looks.items()}
