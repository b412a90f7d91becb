"""Figure and tables of `measure_keep_k`: what k tokens keep of a vector, under two inverses."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    count,
    counted,
    legend_below,
    new_figure,
    percent,
    say_instead,
    sentence_case,
)
from embspace.draw.page.looks import BLACK, BLUE, GRAY, GREEN, ORANGE, VERMILION, Look
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import side_by_side

KINDS = {
    "normal": Look("normal vectors", GRAY, "x", ":"),
    "feed_forward_key": Look("keys of the MLPs", BLUE, "o", "-"),
    "feed_forward_gate": Look("gates of the MLPs", BLUE, "o", "-"),
    "feed_forward_up": Look("factors of the MLPs", GREEN, "^", "-."),
    "feed_forward_value": Look("values of the MLPs", VERMILION, "s", "--"),
    "hidden_state": Look("hidden states", ORANGE, "D", "-"),
}
INVERSES = {"transpose": "the transpose", "pseudo_inverse": "the pseudo-inverse"}
MATRIX = {"transpose": "E' = transpose of E", "pseudo_inverse": "E' = pseudo-inverse of E"}
NOTE = (
    "The cosine between X X^T and keep_k(X E) keep_k(X E')^T, over all entries. Means over draws "
    "of the vectors. Dar et al. 2023 (appendix A) found, of 300 normal vectors at k = 1000 with "
    "the matrix of GPT-2 medium, 0.83 with the transpose and 0.10 with the pseudo-inverse."
)


def draw_keep_k(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    shown_k: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the cosine of Gram matrices over k for both inverses, and over the number of vectors.

    The last panel is of the largest k up to `shown_k`, under the inverse that was chosen.
    """
    facts, scores, sizes = results["json"], results["csv"], results["sizes"]
    heading = f"# What k tokens keep of vectors of {label}\n\nStage `measure_keep_k`.\n"
    figure, axes = new_figure(
        1,
        3,
        height_mm=height_mm,
        title=_title(facts, scores, label),
        subtitle=_subtitle(facts, label),
        stage="measure_keep_k",
    )
    if not facts["known"]:
        reason = f"{label}: the parameters of its architecture are not known here"
        say_instead(axes, reason)
        return figure, f"{heading}\n{reason}.\n"
    for ax, inverse in zip(axes, INVERSES, strict=False):
        _curves(ax, scores[scores["inverse"] == inverse], "k")
        ax.set(title=MATRIX[inverse], xlabel="Tokens kept, k", ylim=(-0.03, 1.03))
    sizes = sizes[sizes["k"] == _shown(sizes, shown_k)]
    chosen = sizes[sizes["inverse"] == facts["chosen_inverse"]]
    _curves(axes[2], chosen, "n_vectors")
    at = count(chosen["k"].iloc[0])
    words = sentence_case(INVERSES[facts["chosen_inverse"]])
    axes[2].set(title=f"{words}, k = {at}", ylim=(-0.03, 1.03))
    axes[2].set_xlabel("Number of vectors, n")
    axes[2].set_xticks(sorted(chosen["n_vectors"].unique()))
    axes[2].xaxis.set_major_formatter("{x:.0f}")
    axes[2].minorticks_off()
    axes[0].set_ylabel("Cosine of Gram matrices")
    legend_below(figure, axes, fontsize=7, ncols=5)
    return figure, "\n".join([heading, _chosen(facts, digits), *_tables(results, sizes, digits)])


def _title(facts: dict[str, Any], scores: pd.DataFrame, label: str) -> str:
    if not facts["known"]:
        return f"How well words stand for vectors of {label} is not known here"
    other = next(inverse for inverse in INVERSES if inverse != facts["chosen_inverse"])
    few = scores[
        (scores["inverse"] == facts["chosen_inverse"]) & (scores["k"] == scores["k"].min())
    ]
    at_few = few[few["kind"] == "feed_forward_value"].iloc[0]
    means = [facts[f"mean_{inverse}"] for inverse in (facts["chosen_inverse"], other)]
    is_higher = facts["advantage_low"] > 0
    chosen, beside = side_by_side(means, 2, differ=is_higher)
    verdict = "keeps more than" if is_higher else "is not told apart from"
    return (
        f"To read vectors of {label}'s MLPs, choose {INVERSES[facts['chosen_inverse']]}: in up to "
        f"500 words it {verdict} {INVERSES[other]}, cosines {chosen} and {beside}; "
        f"with {count(scores['k'].min())} words the cosine of values' inner products is "
        f"{at_few['value']:.2f} ({at_few['low']:.2f} to {at_few['high']:.2f})"
    )


def _shown(sizes: pd.DataFrame, most: int) -> int:
    ks = sizes["k"]
    return int(ks[ks <= most].max() if (ks <= most).any() else ks.min())


def _subtitle(facts: dict[str, Any], label: str) -> str:
    if not facts["known"]:
        return label
    words = [
        label,
        f"{count(facts['n_tokens'])} tokens",
        f"n = {count(facts['n_vectors'])} vectors",
    ]
    if facts["corpus"]:
        words.append(f"hidden states of {corpus_called(facts['corpus'])}, all layers")
    words.append(
        f"mean of {counted(facts['n_draws'], 'draw')} out of {count(facts['n_pool'])}, and the "
        f"middle {percent(facts['level'])} of them"
    )
    return " · ".join(
        [*words, "1: inner products are kept; it falls with n for independent vectors"]
    )


def _curves(ax: Axes, rows: pd.DataFrame, x: str) -> None:
    for kind, look in KINDS.items():
        line = rows[rows["kind"] == kind].sort_values(x)
        if line.empty:
            continue
        low, high = line["low"], line["high"]
        ax.fill_between(line[x], low, high, color=look.color, alpha=0.2, lw=0)
        style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ms": 3.5, "lw": 1.2}
        ax.plot(line[x], line["value"], linestyle=look.line, label=look.name, **style)
    ax.set_xscale("log")
    ax.axhline(0, color=BLACK, lw=0.4)


def _chosen(facts: dict[str, Any], digits: int) -> str:
    """Return the section on the choice of E'."""
    other = next(inverse for inverse in INVERSES if inverse != facts["chosen_inverse"])
    row = {
        "chosen": INVERSES[facts["chosen_inverse"]],
        "its mean": facts[f"mean_{facts['chosen_inverse']}"],
        f"mean of {INVERSES[other]}": facts[f"mean_{other}"],
        **{name: facts[name] for name in ("advantage", "advantage_low", "advantage_high")},
    }
    note = (
        "The matrix that vectors of the MLPs should be read with: of the higher mean over keys and "
        "values and all k up to 500. The advantage is over the same draws of both; where its "
        "interval holds 0, either will do."
    )
    return section("The choice of E'", note, markdown_table(pd.DataFrame([row]), digits))


def _tables(results: Results, sizes: pd.DataFrame, digits: int) -> list[str]:
    scores, at = results["csv"], count(sizes["k"].iloc[0])
    kinds = {kind: look.name for kind, look in KINDS.items()}
    ranges = {
        inverse: results.for_readers("csv", scores[scores["inverse"] == inverse], kind=kinds)
        for inverse in INVERSES
    }
    return [
        section("By the number of tokens kept", NOTE, markdown_table(_wide(scores, "k"), digits)),
        section(
            "By the number of vectors",
            f"At k = {at}.",
            markdown_table(_wide(sizes, "n_vectors"), digits),
        ),
        *(
            folded(
                section(
                    f"Intervals, {MATRIX[inverse]}",
                    "Means over draws, and the range of the middle of them.",
                    markdown_table(rows, digits),
                )
            )
            for inverse, rows in ranges.items()
        ),
    ]


def _wide(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    named = rows.assign(
        vectors=[KINDS[kind].name for kind in rows["kind"]],
        matrix=[MATRIX[inverse] for inverse in rows["inverse"]],
    )
    table = named.pivot_table(
        index=["vectors", "matrix"], columns=column, values="value", sort=False
    )
    table.columns = [
        f"{column.removesuffix('_vectors')} = {count(int(str(number)))}" for number in table
    ]
    return table.reset_index()
