"""Tells what k tokens keep of a vector, under two inverses, from `measure_keep_k`."""

from typing import Any

import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from embspace.draw.page.canvas import count, counted, percent
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results

STAGE = "measure_keep_k"
DRAWN_IN = "parameter_vectors"
KINDS = {
    "normal": "normal vectors",
    "feed_forward_key": "keys of the MLPs",
    "feed_forward_gate": "gates of the MLPs",
    "feed_forward_up": "factors of the MLPs",
    "feed_forward_value": "values of the MLPs",
    "hidden_state": "hidden states",
}
ALIKE = 0.01  # a cosine, by which inverses differ at least to be told apart in the title
INVERSES = {"transpose": "the transpose", "pseudo_inverse": "the pseudo-inverse"}
MATRIX = {"transpose": "E' = transpose of E", "pseudo_inverse": "E' = pseudo-inverse of E"}
NOTE = (
    "The cosine between X X^T and keep_k(X E) keep_k(X E')^T, over all entries. Means over draws "
    "of the vectors. Dar et al. 2023 (appendix A) found, of 300 normal vectors at k = 1000 with "
    "the matrix of GPT-2 medium, 0.83 with the transpose and 0.10 with the pseudo-inverse."
)


def draw_keep_k(
    results: Results, label: str, *, shown_k: PositiveInt, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return up to how many words which inverse keeps more, and tables by k and by vectors.

    The table by the number of vectors is of the largest k up to `shown_k`.
    """
    facts, sizes = results["json"], results["sizes"]
    title = f"What k tokens keep of vectors of {label}"
    if not facts["known"]:
        reason = f"{label}: the parameters of its architecture are not known here"
        finding = f"How well words stand for vectors of {label} is not known here"
        return finding, tables_page(title, STAGE, f"{reason}.\n")
    sizes = sizes[sizes["k"] == _shown(sizes, shown_k)]
    tables = _tables(results, sizes, digits)
    return _finding(results["csv"]), tables_page(title, STAGE, _chosen(facts, digits), *tables)


def _finding(scores: pd.DataFrame) -> str:
    """Return the title: up to which k the transpose keeps more of MLPs' vectors, and when less."""
    if _largest_difference(_of_mlps(scores)) < ALIKE:
        too = ", and of Gaussian vectors, too" * (
            _largest_difference(_of(scores, "normal")) < ALIKE
        )
        said = f"Transpose and pseudo-inverse keep vectors of MLPs alike{too}"
        return f"{said}: mean cosines differ by less than {ALIKE:g}"
    up_to, since = crossing(scores)
    if since is None:
        return "The transpose keeps more of the vectors of MLPs than the pseudo-inverse, at every k"
    if _is_less(_of_mlps(scores)).all():
        return "The transpose keeps less of the vectors of MLPs than the pseudo-inverse, at every k"
    less = f"less from {counted(since, 'word')} on"
    if up_to is None:
        return f"Of the vectors of MLPs the transpose keeps {less} than the pseudo-inverse"
    more = f"more in up to {counted(up_to, 'word')} than the pseudo-inverse"
    return f"Of the vectors of MLPs the transpose keeps {more}, and {less}"


def crossing(scores: pd.DataFrame) -> tuple[int | None, int | None]:
    """Return the last k with which the transpose keeps more of MLPs, and the first with less."""
    means = _of_mlps(scores)
    is_less = _is_less(means)
    since = int(means.index[is_less].min()) if is_less.any() else None
    before = means.index if since is None else means.index[means.index < since]
    return (int(before.max()) if len(before) else None), since


def _is_less(means: pd.DataFrame) -> pd.Series:
    """Return by k whether the transpose keeps less than the pseudo-inverse."""
    return means["transpose"] < means["pseudo_inverse"]


def _of_mlps(scores: pd.DataFrame) -> pd.DataFrame:
    return _of(scores, "feed_forward")


def _of(scores: pd.DataFrame, kinds: str) -> pd.DataFrame:
    """Return the mean scores of the kinds that begin with a word, by k and inverse."""
    rows = scores[scores["kind"].str.startswith(kinds)]
    return rows.pivot_table(index="k", columns="inverse", values="value").sort_index()


def _largest_difference(means: pd.DataFrame) -> float:
    return float((means["transpose"] - means["pseudo_inverse"]).abs().max())


def _shown(sizes: pd.DataFrame, most: int) -> int:
    ks = sizes["k"]
    return int(ks[ks <= most].max() if (ks <= most).any() else ks.min())


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
        "interval holds 0, either will do. " + _said(facts)
    )
    return section("The choice of E'", note, markdown_table(pd.DataFrame([row]), digits))


def _said(facts: dict[str, Any]) -> str:
    read = f"{count(facts['n_tokens'])} tokens, {count(facts['n_vectors'])} vectors"
    if facts["corpus"]:
        read += f", hidden states of {corpus_called(facts['corpus'])} of all layers"
    return (
        f"Of {read}; mean of {counted(facts['n_draws'], 'draw')} out of {count(facts['n_pool'])}, "
        f"and the middle {percent(facts['level'])} of them. A cosine of 1 keeps inner products; it "
        "falls with the number of independent vectors."
    )


def _tables(results: Results, sizes: pd.DataFrame, digits: int) -> list[str]:
    scores, at = results["csv"], count(sizes["k"].iloc[0])
    ranges = {
        inverse: results.for_readers("csv", scores[scores["inverse"] == inverse], kind=KINDS)
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
            section(
                f"Intervals, {MATRIX[inverse]}",
                "Means over draws, and the range of the middle of them.",
                markdown_table(rows, digits),
            )
            for inverse, rows in ranges.items()
        ),
    ]


def _wide(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    named = rows.assign(
        vectors=[KINDS[kind] for kind in rows["kind"]],
        matrix=[MATRIX[inverse] for inverse in rows["inverse"]],
    )
    table = named.pivot_table(
        index=["vectors", "matrix"], columns=column, values="value", sort=False
    )
    table.columns = [
        f"{column.removesuffix('_vectors')} = {count(int(str(number)))}" for number in table
    ]
    return table.reset_index()
