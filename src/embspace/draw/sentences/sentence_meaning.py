"""Draws whether vectors of sentences tell meaning from wording, and which differences go along."""

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
from embspace.draw.sentences.difference_tables import cosine_matrix
from embspace.draw.sentences.synonym_tables import BAG, last_layer
from embspace.draw.sentences.synonyms import meaning_or_wording

RESULTS = (
    "synonyms/contrasts.csv",
    "differences/categories.csv",
    "differences/cosines.csv",
    "differences/examples.csv",
)
NAMED = "mean"  # the pooling of the numbers, and of b and c
KINDS = {
    "unrelated": "unrelated",
    "paraphrase": "paraphrases",
    "negation": "negation, same words",
    "swapped_roles": "swapped roles, same words",
}
DODGE = 0.22  # between two poolings, where two kinds are 1 apart
RANDOM = NULLS["random_initialization"]
HEIGHTS = [0.8, 1.3, 1.0]  # of the rows, in relation
WIDTHS = [0.72, 1.0]  # of b and of its sentences
MOST_PRINTED = 12  # categories whose sentences and cosines are printed


def draw_sentence_meaning(
    results: Mapping[str, pd.DataFrame],
    label: str,
    *,
    height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw cosines of kinds of pairs, how parallel differences are, and cosines of their means.

    All is of the last layer; a has every pooling, b and c mean pooling.
    """
    contrasts, categories, cosines, examples = (results[name[:-4]] for name in RESULTS)
    contrasts = last_layer(contrasts) if len(contrasts) else contrasts
    figure, axes = new_figure(
        3,
        2,
        height_mm=height_mm,
        title=meaning_or_wording(contrasts),
        subtitle=f"{label} · {_population(contrasts, categories)}",
        stage="measure_synonyms",
    )
    if contrasts.empty or categories.empty:
        say_instead(axes, "the model reads no sentence")
        return figure, tables_page(f"Sentences of {label}", "measure_synonyms", "None.\n")
    if grid := axes[0].get_gridspec():
        grid.set_height_ratios(HEIGHTS)
        grid.set_width_ratios(WIDTHS)
    differences, means = (_shown(table) for table in (categories, cosines))
    differences = differences.sort_values("consistency", ascending=False, kind="stable")
    kinds = join_panels(axes[:2])
    _kinds(kinds, contrasts)
    _consistency(axes[2], differences)
    _sentences(axes[3], axes[2], examples.set_index("category").reindex(differences["category"]))
    _matrix(join_panels(axes[4:]), means)
    legend_below(figure, [kinds, axes[2]], ncols=4, columnspacing=1.2)
    return figure, _table(differences, label, digits)


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of mean pooling at the last layer."""
    return last_layer(table[table["pooling"] == NAMED])


def _population(contrasts: pd.DataFrame, categories: pd.DataFrame) -> str:
    if contrasts.empty or categories.empty:
        return "no sentence, n = 0"
    n = _shown(categories)["n"]
    size = f"{n.min()}" if n.min() == n.max() else f"{n.min()} to {n.max()}"
    return (
        f"last layer, b and c: {TEXT_POOLINGS[NAMED].name} · a difference is the second sentence "
        f"minus the first, {len(n)} categories of {size} pairs · consistency: mean cosine of two "
        "differences of a category · bars: 95 % intervals"
    )


def _kinds(ax: Axes, contrasts: pd.DataFrame) -> None:
    """Draw the mean cosine of each kind of pair in a row, with one mark a pooling."""
    looks = pooling_looks(contrasts["pooling"]).items()
    by_kind = contrasts.set_index(["pooling", "kind"])
    rows = np.arange(len(KINDS))
    for shift, (pooling, look) in zip((-DODGE, 0, DODGE), looks, strict=True):
        own, y = by_kind.loc[pooling].loc[[*KINDS]], rows + shift
        _mark(ax, own["random_weights_cosine"], y, look, is_random=True)
        ax.hlines(y, own["cosine_low"], own["cosine_high"], color=look.color)
        _mark(ax, own["cosine"], y, look)
        if pooling == NAMED:
            for place in zip(own["cosine"], y, strict=True):
                words: dict[str, Any] = {"ha": "center", "path_effects": HALO}
                write_beside(ax, f"{place[0]:.2f}", place, (0, 5), **words)
    bag = by_kind.loc[BAG].loc[[*KINDS]]
    words_alone: dict[str, Any] = {"color": BLACK, "ms": 14, "mew": 1.4, "label": "counts of words"}
    ax.plot(bag["cosine"], rows, "|", **words_alone)
    sizes = zip(KINDS.values(), bag["n_pairs"], strict=True)
    names = [f"{words} ({count(n)})" for words, n in sizes]
    ax.set_yticks(rows, map(sentence_case, names))
    ax.set(xlabel="mean cosine", title="Pairs of sentences (n)", ylim=(len(KINDS) - 0.5, -0.6))
    ax.grid(visible=False, axis="y")


def _mark(ax: Axes, x: Any, y: Any, look: Look, *, is_random: bool = False) -> None:
    color, name = (RANDOM.color, f"hollow: {RANDOM.name}") if is_random else (look.color, look.name)
    face = "none" if is_random else color
    ax.plot(x, y, look.marker, color=color, markerfacecolor=face, markersize=4.5, label=name)


def _consistency(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw a row a category: consistency with its interval, its null and random weights."""
    look, y = TEXT_POOLINGS[NAMED], np.arange(len(rows))
    low, high = (rows[f"null_consistency_sign_flips_{end}"] for end in ("low", "high"))
    ax.hlines(y, low, high, color="0.8", linewidth=6, label="signs flipped")
    _mark(ax, rows["random_weights_consistency"], y, look, is_random=True)
    ax.hlines(y, rows["consistency_low"], rows["consistency_high"], color=look.color, linewidth=1)
    _mark(ax, rows["consistency"], y, look)
    apart: dict[str, Any] = {"color": BLACK, "mfc": "none", "ms": 4, "label": "no token in common"}
    ax.plot(rows["consistency_different_tokens"], y, "d", **apart)
    ax.axvline(0, color=GRAY, linewidth=0.6)
    ax.set_yticks(y, rows["category"])
    ax.set(ylim=(len(y) - 0.5, -0.5), xlabel="consistency", title="Differences of a category")


def _sentences(ax: Axes, beside: Axes, examples: pd.DataFrame) -> None:
    """Print an example of each category in its row, the changed words in brackets."""
    ax.set(ylim=beside.get_ylim())
    ax.set_axis_off()
    if len(examples) <= MOST_PRINTED:
        for row, pair in enumerate(examples[["first", "second"]].dropna().to_numpy()):
            words = ax.text(0, row, _changed(*pair), fontsize=7, va="center", color="0.2")
            words.set_in_layout(False)  # else a and c were narrower


def _changed(first: str, second: str) -> str:
    """Return two sentences as one, with the words that differ as in `[She → He] has lived`."""
    one, other = (re.findall(r"\w+|\W+", sentence) for sentence in (first, second))
    parts = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return "".join(
        "".join(one[start:end])
        if tag == "equal"
        else f"[{''.join(one[start:end])} → {''.join(other[start_2:end_2])}]"
        for tag, start, end, start_2, end_2 in parts
    )


def _matrix(ax: Axes, cosines: pd.DataFrame) -> None:
    """Draw the cosines of mean differences below the diagonal; within the null they are gray."""
    import seaborn as sns

    values = cosine_matrix(cosines, "cosine")
    if values.empty:
        say_instead([ax], "one category alone")
        return
    low, high = (cosine_matrix(cosines, f"null_cosine_{end}") for end in ("low", "high"))
    low, high = (bound.loc[values.index, values.columns] for bound in (low, high))
    is_below = np.tril(np.ones(values.shape, dtype=bool), -1)
    is_null = ((values >= low) & (values <= high)).to_numpy()
    limit = np.ceil(10 * np.nanmax(np.abs(values.to_numpy()), initial=0.1)) / 10
    is_printed = len(values) <= MOST_PRINTED
    words = values.map(lambda value: f"{value:z.2f}".replace("-", "−")).to_numpy()
    colors: dict[str, Any] = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit, "linewidths": 0.5}
    for mask, look in (
        (~is_below | ~is_null, {**colors, "cmap": ["0.93"]}),
        (~is_below | is_null, colors),
    ):
        numbers: dict[str, Any] = {"annot": words if is_printed else False, "fmt": ""}
        numbers["annot_kws"] = {"fontsize": 7}
        sns.heatmap(values, ax=ax, mask=mask, cbar=False, **look, **numbers)
    ax.set(xlabel="", ylabel="", title="Cosines of mean differences; gray: as of unrelated ones")
    ax.set(xlim=(0, len(values) - 1), ylim=(len(values), 1))
    ax.grid(visible=False)
    ax.tick_params(length=0)
    ax.tick_params(axis="x", rotation=25)


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
