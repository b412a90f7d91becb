"""Draws whether opposites come apart, and whether they are told from synonyms, by layer."""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    HALO,
    counted,
    draw_line,
    new_figure,
    say_instead,
    sentence_case,
    write_beside,
)
from embspace.draw.page.direct_labels import name_lines
from embspace.draw.page.looks import BLACK, BLUE, GREEN, NULLS, ORANGE, PURPLE, VERMILION, Look
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_oppositeness"
FURTHER_RESULTS = ("conf/measure/open_questions/oppositeness.yaml",)
MEASURED_WITH = FURTHER_RESULTS[0]
SHOWN = (  # columns of the first table
    *("part_of_speech", "vectors", "preparation"),
    *("antonyms", "synonyms", "difference", "auc", "verdict"),
)
NO_ORDER = 0.5  # an AUC
EMBEDDING = -1  # the place of the token embeddings on the axis of layers
COMPONENTS = "less_components"
PREPARATIONS = {
    "as_is": Look("as they are", BLACK, "o", "-"),
    "less_mean": Look("less the mean", BLUE, "s", "--"),
    "less_direction": Look("less the direction", GREEN, "^", "-."),
    COMPONENTS: Look("less mean and components", VERMILION, "D", ":"),
}
RELATION = Look("classifier, products", ORANGE, "X", "--")
WORDS_ALONE = Look("classifier, words alone", PURPLE, "v", "-.")
COSINE = Look("cosine", BLACK, "P", "-")
AT_RANDOM = NULLS["random_initialization"]


def draw_oppositeness(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a column per part of speech.

    Above, the mean cosine of antonyms less the mean of random pairs, by preparation; below, how
    well a pair's cosine and classifiers tell antonyms from synonyms.
    """
    cosines, classifiers, counts = results["cosines"], results["classifiers"], results["json"]
    parts = list(dict.fromkeys(cosines["part_of_speech"])) or ["adjective"]
    level, n_components = (results[MEASURED_WITH][name] for name in ("level", "n_components"))
    figure, axes = new_figure(
        2,
        len(parts),
        height_mm=height_mm,
        title=_finding(cosines, classifiers),
        subtitle=f"{label} · {counted(counts['n_pairs'], 'pair')} of words · direction: of a part "
        f"of speech apart from others · E: token embeddings · title: best layer of each · "
        f"classifiers: of sums (words alone){_products_said(classifiers)} · shaded: "
        f"{100 * level:g} % over pairs, all layers at once ({_letters(len(parts))}: and "
        "preparations)",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if cosines.empty:
        say_instead(axes, "too few words of the list are one token")
        return figure, text
    above, below = axes[: len(parts)], axes[len(parts) :]
    for ax, part in zip(above, parts, strict=True):
        _differences(ax, cosines[cosines["part_of_speech"] == part], n_components)
        n = cosines.loc[cosines["part_of_speech"] == part, "n_antonyms"].max()
        ax.set_title(sentence_case(f"{part}s, cosine\n{n} pairs of antonyms"))
    named, *_ = _best_part(cosines, classifiers)
    for ax, part in zip(below, parts, strict=True):
        rows = [table[table["part_of_speech"] == part] for table in (cosines, classifiers)]
        _aucs(ax, *rows, is_named=part == named)
        n = cosines.loc[cosines["part_of_speech"] == part, "n_synonyms"].max()
        ax.set_title(sentence_case(f"{part}s, AUC\nagainst {n} pairs of synonyms"))
        ax.set_xlabel("layer")
    above[0].set_ylabel("cosine of antonyms less random pairs'")
    below[0].set_ylabel("AUC of antonyms against synonyms")
    for row in (above, below):
        _share_axis(row)
        name_lines(row[-1], 0.09)
    return figure, text


def _finding(cosines: pd.DataFrame, classifiers: pd.DataFrame) -> str:
    """Return the title: whether opposites come apart, and whether cosine tells more than words."""
    if cosines.empty:
        return "No opposites to compare"
    changed = cosines[cosines["preparation"] != "as_is"]
    freed = (changed["verdict"] == "freed").sum()
    beside = _against_words(cosines, classifiers)
    if (cosines["verdict"] == "open").all():
        unsure = "not surely more alike than random pairs"
        return f"Antonyms are {unsure}, whatever is taken away{beside}"
    if not freed:
        sure = (changed["verdict"] != "open").sum()
        where = "whatever is taken away"
        if sure < len(changed):
            where = f"at {sure} of {len(changed)} places, else open"
        return f"Antonyms stay more alike than random pairs {where}{beside}"
    return f"Antonyms come apart at {freed} of {len(changed)} places{beside}"


def _is_told(cosines: pd.DataFrame, part: str) -> bool:
    """Return whether cosine surely tells antonyms from synonyms of a part of speech anywhere.

    Words are as they are, at any layer.
    """
    plain = cosines[(cosines["preparation"] == "as_is") & (cosines["part_of_speech"] == part)]
    return bool(((plain["auc_low"] > NO_ORDER) | (plain["auc_high"] < NO_ORDER)).any())


def _against_words(cosines: pd.DataFrame, classifiers: pd.DataFrame) -> str:
    """Return whether cosine tells antonyms from synonyms, with AUCs of cosine and of words alone.

    Both are of the best layer, for the part of speech where cosine leads most, or trails least.
    Without any AUC of cosine, nothing is said.
    """
    part, best, words, low = _best_part(cosines, classifiers)
    if not part:
        return ""
    is_told = _is_told(cosines, part)
    start = f"; cosine {'tells them' if is_told else 'does not tell them'} from synonyms"
    if words != words:
        return f"{start} at an AUC of at most {best:.2f}" if is_told else start
    how, case = ("no better", "closest") if best < words else ("better", "largest lead")
    how = "not surely better" if best >= words > low else how
    if not is_told:
        return f"{start} ({case}, {part}s: AUC {best:.2f}, of words alone {words:.2f})"
    than = f"{how} than a classifier of words alone"
    return f"{start} {than} ({case}, {part}s: AUC {best:.2f} against {words:.2f})"


def _best_part(cosines: pd.DataFrame, classifiers: pd.DataFrame) -> tuple[str, float, float, float]:
    """Return the part of speech where cosine is best beside words alone, both AUCs, cosine's low.

    The name is empty if no AUC of cosine is known.
    """
    plain = cosines[cosines["preparation"] == "as_is"]
    best = plain.groupby("part_of_speech")["auc"].max()
    words = classifiers.groupby("part_of_speech")["words_auc"].max().reindex(best.index)
    if best.isna().all():
        return "", np.nan, np.nan, np.nan
    lead = best - words
    part = str((best if lead.isna().all() else lead).idxmax())
    row = plain[plain["part_of_speech"] == part].nlargest(1, "auc").iloc[0]
    return part, best[part], words[part], float(row["auc_low"])


def _products_said(classifiers: pd.DataFrame) -> str:
    """Return at how many places a classifier of products is surely better than of words alone."""
    gains = classifiers["gain_low"].dropna()
    better = f", surely better at {(gains > 0).sum()} of {counted(len(gains), 'place')}"
    return f" and of products{better if len(gains) else ''}"


def _letters(n_parts: int) -> str:
    """Return the letters of the upper row's panels, from the first to the last."""
    return "–".join(dict.fromkeys(ascii_lowercase[number] for number in (0, n_parts - 1)))


def _x(rows: pd.DataFrame) -> pd.Series:
    return rows["layer"].where(rows["vectors"] == "state", EMBEDDING)


def _line(ax: Axes, rows: pd.DataFrame, column: str, look: Look, band: float = 0.12) -> None:
    if len(rows):
        placed = rows.assign(place=_x(rows)).sort_values("place")
        draw_line(ax, placed, "place", column, look, band=band, ms=3)


def _differences(ax: Axes, rows: pd.DataFrame, n_components: int) -> None:
    ax.axhline(0, color="black", linewidth=0.6)
    words = f"less mean and {counted(n_components, 'component')}"
    looks = PREPARATIONS | {COMPONENTS: PREPARATIONS[COMPONENTS]._replace(name=words)}
    for name, look in looks.items():
        _line(ax, rows[rows["preparation"] == name], "difference", look)
    plain = rows[rows["preparation"] == "as_is"]
    named = AT_RANDOM._replace(name=f"{AT_RANDOM.name}, as they are")
    _line(ax, plain, "random_weights_difference", named)


def _aucs(ax: Axes, cosines: pd.DataFrame, classifiers: pd.DataFrame, *, is_named: bool) -> None:
    """Draw AUCs by layer; the part of speech in the title has the largest in print.

    The lines of the title alone have bands.
    """
    ax.axhline(NO_ORDER, color="black", linewidth=0.6)
    plain = cosines[cosines["preparation"] == "as_is"]
    _line(ax, plain, "auc", COSINE)
    _line(ax, classifiers, "auc", RELATION, band=0)
    _line(ax, classifiers, "words_auc", WORDS_ALONE)
    products = AT_RANDOM._replace(name="products, random weights")
    _line(ax, classifiers, "random_weights_auc", products, band=0)
    cosine = AT_RANDOM._replace(name="cosine, random weights", marker="P", line=":")
    _line(ax, plain, "random_weights_auc", cosine, band=0)
    if is_named:
        _best(ax, plain, "auc", COSINE)
        _best(ax, classifiers, "words_auc", WORDS_ALONE)


def _best(ax: Axes, rows: pd.DataFrame, column: str, look: Look) -> None:
    """Write the largest value of a line below it."""
    if rows[column].notna().any():
        row = rows.assign(place=_x(rows)).nlargest(1, column).iloc[0]
        style: dict[str, Any] = {"color": look.color, "ha": "center", "path_effects": HALO}
        style["weight"] = "bold"
        write_beside(ax, f"{row[column]:.2f}", (row["place"], row[column]), (0, -12), **style)


def _share_axis(axes: Sequence[Axes]) -> None:
    low = min(ax.get_ylim()[0] for ax in axes)
    high = max(ax.get_ylim()[1] for ax in axes)
    for ax in axes:
        ax.set_ylim(low, high)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
        ticks = [tick for tick in ax.get_xticks() if tick >= 0 and tick <= ax.dataLim.x1]
        ax.set_xticks([EMBEDDING, *ticks], ["E", *(f"{tick:g}" for tick in ticks)])
        if ax is not axes[0]:
            ax.tick_params(labelleft=False)


def _tables(results: Results, label: str, digits: int) -> str:
    cosines = results["cosines"]
    ends = cosines.loc[_is_end(cosines)] if len(cosines) else cosines
    first = section(
        "Cosines",
        "Token embeddings and the last layer. Random pairs are words of different antonym pairs. "
        "Freed: antonyms are less alike than random pairs, with the whole interval of that "
        "difference. Its intervals hold for all layers and preparations at once, those of "
        "synonyms above antonyms for all layers.",
        markdown_table(
            results.for_readers("cosines", ends, SHOWN, preparation=_names(ends)), digits
        ),
    )
    line, classifiers = results["lines"], results["classifiers"]
    more = [
        section(
            "One line of opposites",
            "Mean absolute cosine of the differences of antonyms, beside words dealt anew.",
            markdown_table(results.for_readers("lines", line), digits),
        ),
        section(
            "Classifiers",
            "Held out by word. Words alone: the same classifier on sums, which do not know the "
            "relation.",
            markdown_table(results.for_readers("classifiers", classifiers), digits),
        ),
        section(
            "Examples",
            "Pairs with the smallest and the largest cosine of token embeddings.",
            markdown_table(results.for_readers("examples"), digits),
        ),
    ]
    return tables_page(f"Opposites in {label}", STAGE, first, *more)


def _is_end(cosines: pd.DataFrame) -> pd.Series:
    last = cosines["layer"] == cosines.loc[cosines["vectors"] == "state", "layer"].max()
    return (cosines["vectors"] == "input") | last


def _names(rows: pd.DataFrame) -> dict[str, str]:
    return {name: PREPARATIONS[name].name for name in rows["preparation"].unique()}
