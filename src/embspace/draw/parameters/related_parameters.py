"""Tells whether vectors that work together share words, from `measure_related_parameters`."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import count, percent, write_beside
from embspace.draw.page.looks import BLACK, GRAY
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.own_texts import units_of
from embspace.draw.page.saving import Results

STAGE = "measure_related_parameters"
DRAWN_IN = "parameter_vectors"
PAIRS = {
    "key_value": "key and value of a unit",
    "gate_value": "gate and value of a unit",
    "up_value": "factor and value of a unit",
    "value_output": "value and output of a head",
    "query_key": "query and key of a head",
}
GROUPS = {
    "feed_forward_key": "MLP keys",
    "feed_forward_gate": "MLP gates",
    "feed_forward_up": "MLP factors",
    "feed_forward_value": "MLP values",
    "attention_value": "attention values",
    "attention_output": "attention outputs",
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
    results: Results, label: str, *, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return how many units write words they also read, and tables by pair, layer and state."""
    facts, pairs = results["json"], results["pairs"]
    title = f"Related vectors of {label}"
    finding = _finding(facts, pairs, results["whole"], label)
    if not facts["known"]:
        reason = f"{label}: the parameters of its architecture are not known here"
        return finding, tables_page(title, STAGE, f"{reason}.\n")
    return finding, tables_page(title, STAGE, *_tables(results, digits))


def _finding(facts: dict[str, Any], pairs: pd.DataFrame, whole: pd.DataFrame, label: str) -> str:
    if not facts["known"]:
        return f"Whether vectors of {label} share words is not known here"
    best = most_related(pairs)
    is_share = whole["measure"] == "share_related"
    mean = whole[is_share & (whole["pair"] == best["pair"])].iloc[0]
    if not best["value"]:
        said = f"No unit of {label} writes {percent(facts['related_from'])} or more of the words"
        beside = f"{percent(mean['shuffled'])} do" if mean["shuffled"] else "as"
        return f"{said} that it reads, {beside} with partners dealt anew"
    return (
        f"{percent(mean['value'])} of the units of {label} write "
        f"{percent(facts['related_from'])} or more of the words that they read, "
        f"{percent(mean['shuffled'])} with partners dealt anew; most in layer {best['layer']}: "
        f"{percent(best['value'])}"
    )


def most_related(pairs: pd.DataFrame) -> pd.Series:
    """Return the row of the layer with most units sharing words."""
    return _units(pairs).nlargest(1, "value").iloc[0]


def _units(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of related units by layer, of the first kind of pair."""
    is_first = pairs["pair"] == pairs["pair"].iloc[0]
    return pairs[is_first & (pairs["measure"] == "share_related")]


def draw_related(ax: Axes, pairs: pd.DataFrame) -> None:
    """Draw by layer the share of units that write words they read, beside random partners."""
    line = _units(pairs)
    ax.fill_between(line["layer"], line["shuffled_low"], line["shuffled_high"], color=GRAY, lw=0)
    ax.plot(line["layer"], line["shuffled"], color=GRAY, ls=":", lw=0.8)
    ax.plot(line["layer"], line["value"], color=BLACK, marker="o", ms=3.5)
    first = line.iloc[0]
    place = (first["layer"], first["shuffled_high"])
    write_beside(ax, "partners dealt anew", place, (0, 4), color=GRAY)
    ax.set(xlabel="layer", ylabel="share of units")
    ax.set_ylim(-0.03 * line["value"].max())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.3g} %"))
    ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _tables(results: Results, digits: int) -> list[str]:
    pairs: dict[str, Any] = {"pair": PAIRS, "measure": MEASURES}
    whole, by_layer = (results.for_readers(name, **pairs) for name in ("whole", "pairs"))
    states = results.for_readers("csv", group=GROUPS, state=STATES)
    return [
        section("Pairs", PAIRS_NOTE, markdown_table(whole, digits)),
        section("Pairs by layer", BY_LAYER_NOTE, markdown_table(by_layer, digits)),
        section("Activated vectors", STATES_NOTE + _said(results), markdown_table(states, digits)),
    ]


def _said(results: Results) -> str:
    """Return a sentence on the texts that the states are from."""
    facts, states = results["json"], results["csv"]
    if states.empty:
        return " No text was read."
    first = states.iloc[0]
    return (
        f" States of {count(first['n_tokens'])} tokens of {count(first['n_texts'])} "
        f"{units_of('documents', facts['corpus'])}, {facts['n_active']} most active vectors, "
        f"{facts['state_k']} words."
    )
