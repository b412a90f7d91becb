"""Draws whether vectors of sentences tell meaning from wording, and which differences repeat."""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    HALO,
    count,
    join_panels,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
    write_beside,
)
from embspace.draw.page.looks import BLACK, GRAY, NULLS, TEXT_POOLINGS, Look, pooling_looks
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.wording import side_by_side
from embspace.draw.sentences.synonym_tables import BAG, last_layer

RESULTS = (
    "synonyms/contrasts.csv",
    "differences/categories.csv",
    "differences/examples.csv",
)
NAMED = "mean"  # the pooling of the title, and of b
DIFFERENCE = "paraphrase_minus_kind_cosine"  # of the mean cosines, with its interval
KINDS = {
    "unrelated": "unrelated",
    "paraphrase": "paraphrases",
    "negation": "negation, same words",
}
DODGE = 0.22  # between two marks, where two rows are 1 apart
RANDOM = NULLS["random_initialization"]
HEIGHTS = [0.7, 1.3]  # of the rows, in relation
WIDTHS = [0.72, 1.0]  # of b and of its sentences
MOST_PRINTED = 12  # categories whose sentences are printed


def draw_sentence_meaning(
    results: Mapping[str, pd.DataFrame],
    label: str,
    *,
    height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw cosines of kinds of pairs, and how parallel differences of a category are.

    All is of the last layer; a has every pooling, b mean pooling.
    """
    contrasts, categories, examples = (results[name[:-4]] for name in RESULTS)
    contrasts = last_layer(contrasts) if len(contrasts) else contrasts
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title=meaning_or_wording(contrasts) + _how_many(categories),
        subtitle=f"{label} · {_population(contrasts, categories)}",
        stage="measure_synonyms",
    )
    if contrasts.empty or categories.empty:
        say_instead(axes, "the model reads no sentence")
        return figure, tables_page(f"Sentences of {label}", "measure_synonyms", "None.\n")
    if grid := axes[0].get_gridspec():
        grid.set_height_ratios(HEIGHTS)
        grid.set_width_ratios(WIDTHS)
    differences = _shown(categories).sort_values("consistency", ascending=False, kind="stable")
    kinds = join_panels(axes[:2])
    _kinds(kinds, contrasts)
    _consistency(axes[2], differences)
    _sentences(axes[3], axes[2], examples.set_index("category").reindex(differences["category"]))
    legend_below(figure, [kinds, axes[2]], ncols=3)
    return figure, _table(differences, label, digits)


def meaning_or_wording(contrasts: pd.DataFrame) -> str:
    """Return whether paraphrase or negation is more like the sentence, by mean pooling.

    A difference counts if the interval leaves out zero.

    Args:
        contrasts: The rows of the last layer.
    """
    if contrasts.empty:
        return "The model reads no sentence"
    by_kind = contrasts[contrasts["pooling"] == NAMED].set_index("kind")
    cosines = by_kind["cosine"][["paraphrase", "negation"]].tolist()
    one, other = side_by_side(cosines, 2, differ=False)
    low, high = (float(by_kind[f"{DIFFERENCE}_{end}"]["negation"]) for end in ("low", "high"))
    verb = "more" if low > 0 else "less" if high < 0 else "not surely more or less"
    said = f"By {TEXT_POOLINGS[NAMED].name} a sentence is {verb} like its paraphrase ({one}) than "
    said += f"like its negation ({other})"
    gaps = contrasts[contrasts["kind"] == "negation"].set_index("pooling")[DIFFERENCE]
    own, words = float(gaps[NAMED]), float(gaps[BAG])
    if own * words <= 0:
        return f"{said}, and by counts of words the other way round"
    return f"{said}; by counts of words the gap is {'wider' if abs(words) > abs(own) else 'less'}"


def _how_many(categories: pd.DataFrame) -> str:
    """Return whether all, most or some categories have parallel differences, for the title."""
    if _shown(categories).empty:
        return ""
    share = float(_are_parallel(_shown(categories)).mean())
    some = "most" if share > 1 / 2 else "some" if share else "no"
    return f"; {'all' if share == 1 else some} categories have parallel differences (b)"


def _are_parallel(rows: pd.DataFrame) -> pd.Series:
    """Return where the whole interval is above that of flipped signs."""
    return rows["consistency_low"] > rows["null_consistency_sign_flips_high"]


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of mean pooling at the last layer."""
    return last_layer(table[table["pooling"] == NAMED])


def _population(contrasts: pd.DataFrame, categories: pd.DataFrame) -> str:
    if contrasts.empty or categories.empty:
        return "no sentence, n = 0"
    n = _shown(categories)["n"]
    size = f"{n.min()}" if n.min() == n.max() else f"{n.min()} to {n.max()}"
    return (
        f"last layer, b: {TEXT_POOLINGS[NAMED].name} · a difference is the second sentence "
        f"minus the first, {len(n)} categories of {size} pairs · consistency: mean cosine of two "
        f"differences of a category · bars: 95 % intervals{_order_words(contrasts)}"
    )


def _order_words(contrasts: pd.DataFrame) -> str:
    """Say if paraphrase and negation are in the same order at random weights."""
    rows = contrasts[contrasts["pooling"] == NAMED].set_index("kind")
    rows = rows.reindex(["paraphrase", "negation"])  # of a kind that is missing, no order is known
    gaps = [
        rows[column]["paraphrase"] - rows[column]["negation"]
        for column in ("cosine", "random_weights_cosine")
    ]
    return f" · {RANDOM.name}: the same order" if gaps[0] * gaps[1] > 0 else ""


def _kinds(ax: Axes, contrasts: pd.DataFrame) -> None:
    """Draw the mean cosine of every kind of pair in a row, with a mark per pooling."""
    looks = pooling_looks(contrasts["pooling"]).items()
    by_kind = contrasts.set_index(["pooling", "kind"])
    rows = np.arange(len(KINDS))
    for shift, (pooling, look) in zip((-DODGE, 0, DODGE), looks, strict=True):
        own, y = by_kind.loc[pooling].loc[[*KINDS]], rows + shift
        _mark(ax, own["random_weights_cosine"], y, look, is_random=True)
        ax.hlines(y, own["cosine_low"], own["cosine_high"], color=look.color)
        _mark(ax, own["cosine"], y, look)
        if pooling == NAMED:
            _print_values(ax, own["cosine"], y, 5)
    bag = by_kind.loc[BAG].loc[[*KINDS]]
    _print_values(ax, bag["cosine"], rows + 2 * DODGE, -6)
    words_alone: dict[str, Any] = {"color": BLACK, "ms": 14, "mew": 1.4, "label": "counts of words"}
    ax.plot(bag["cosine"], rows, "|", **words_alone)
    sizes = zip(KINDS.values(), bag["n_pairs"], strict=True)
    names = [f"{words} ({count(n)})" for words, n in sizes]
    ax.set_yticks(rows, map(sentence_case, names))
    ax.set(xlabel="mean cosine", title="Pairs of sentences (n)", ylim=(len(KINDS), -0.6))
    ax.grid(visible=False, axis="y")


def _print_values(ax: Axes, x: Any, y: Any, above: int) -> None:
    for place in zip(x, y, strict=True):
        look: dict[str, Any] = {"ha": "center", "path_effects": HALO}
        write_beside(ax, f"{place[0]:.2f}", place, (0, above), **look)


def _mark(ax: Axes, x: Any, y: Any, look: Look, *, is_random: bool = False) -> None:
    color, name = (
        (RANDOM.color, f"hollow: {RANDOM.name}, same shape")
        if is_random
        else (look.color, look.name)
    )
    face = "none" if is_random else color
    ax.plot(x, y, look.marker, color=color, markerfacecolor=face, markersize=4.5, label=name)


def _consistency(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw a row per category: consistency with interval, null and random weights."""
    look, y = TEXT_POOLINGS[NAMED], np.arange(len(rows))
    low, high = (rows[f"null_consistency_sign_flips_{end}"] for end in ("low", "high"))
    ax.hlines(y, low, high, color="0.8", linewidth=6, label="b: signs flipped at random, 95 %")
    _mark(ax, rows["random_weights_consistency"], y, look, is_random=True)
    ax.hlines(
        y - DODGE, rows["consistency_low"], rows["consistency_high"], color=look.color, linewidth=1
    )
    _mark(ax, rows["consistency"], y - DODGE, look)
    apart: dict[str, Any] = {
        "color": BLACK,
        "mfc": "none",
        "ms": 4,
        "label": "b: pairs without a common token",
    }
    ax.plot(rows["consistency_different_tokens"], y + DODGE, "x", **apart)
    ax.axvline(0, color=GRAY, linewidth=0.6)
    ax.set_yticks(y, rows["category"])
    parallel = f"{_are_parallel(rows).sum()} of {len(rows)} categories"
    ax.set(ylim=(len(y) - 0.5, -0.5), xlabel="consistency")
    ax.set_title(f"Parallel differences: interval beyond flipped signs in {parallel}")


def _sentences(ax: Axes, beside: Axes, examples: pd.DataFrame) -> None:
    """Write an example of every category in the row, the changed words in brackets."""
    ax.set(ylim=beside.get_ylim())
    ax.set_axis_off()
    if len(examples) <= MOST_PRINTED:
        for row, pair in enumerate(examples[["first", "second"]].dropna().to_numpy()):
            words = ax.text(0, row, _changed(*pair), fontsize=7, va="center", color="0.2")
            words.set_in_layout(False)  # else a and c were narrower


def _changed(first: str, second: str) -> str:
    """Return two sentences merged, with differing words as in `[She → He] has lived`."""
    one, other = (re.findall(r"\w+|\W+", sentence) for sentence in (first, second))
    parts = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return "".join(
        "".join(one[start:end])
        if tag == "equal"
        else f"[{''.join(one[start:end])} → {''.join(other[start_2:end_2])}]"
        for tag, start, end, start_2, end_2 in parts
    )


def _table(differences: pd.DataFrame, label: str, digits: int) -> str:
    ends: Sequence[str] = ("", "_low", "_high")
    columns = {"category": "category"}
    columns |= {f"consistency{end}": f"consistency{end}" for end in ends}
    columns |= {f"null_consistency_sign_flips{end}": f"signs flipped{end}" for end in ends}
    columns |= {"random_weights_consistency": "random weights"}
    columns |= {"consistency_different_tokens": "no token in common"}
    shown = differences[[*columns]].rename(columns=columns)
    note = "Mean cosine of two differences of a category, by mean pooling at the last layer."
    body = section("Differences of a category", note, markdown_table(shown, digits))
    return tables_page(f"Sentences of {label}", "measure_differences", body)
