"""The tables of `measure_differences` for readers: Luisto's tables 6 and 7, and consistency."""

from typing import Any

import pandas as pd

from embspace.draw.page.markdown import interval, markdown_table, section
from embspace.draw.sentences.sentence_similarity import POOLING_NAMES

EXAMPLES = {
    "category": "category",
    "first": "first sentence",
    "second": "second sentence",
    "euclidean_distance": "length of the difference",
}
COSINES = {
    "category_1": "category",
    "category_2": "with",
    **interval("cosine", "cosine"),
    **interval("corrected_cosine", "corrected"),
    "random_weights_cosine": "random weights",
    "p_value": "p",
    "q_value": "q",
}
BIAS = {"layer": "layer", "pooling": "pooling"} | {
    key: name for key, name in COSINES.items() if not key.startswith("category")
}
CATEGORIES = {
    "category": "category",
    "n": "pairs",
    "norm_of_mean": "length of the mean",
    "mean_norm": "mean length",
    "reliability": "reliability",
    **interval("consistency", "consistency"),
    "null_consistency_sign_flips_high": "signs flipped, up to",
    "null_consistency_re_paired_high": "paired anew, up to",
    "null_consistency_unrelated_high": "unrelated, up to",
    "random_weights_consistency": "random weights",
    "n_compared_different_tokens": "comparisons without a common token",
    "consistency_different_tokens": "their consistency",
    "random_weights_consistency_different_tokens": "at random weights",
    "p_value_different_tokens": "p",
}


def difference_tables(results: dict[str, Any], label: str, n_listed: int, digits: int) -> str:
    """Examples, cosines of the means, the bias by layer, consistency."""
    summary = results["json"]
    where = f"Layer {summary['layer']}, {POOLING_NAMES[summary['pooling']]}."
    categories, cosines = (
        table[(table["layer"] == summary["layer"]) & (table["pooling"] == summary["pooling"])]
        for table in (results["categories"], results["cosines"])
    )
    by_size = cosines.sort_values("cosine", key=abs, ascending=False, kind="stable")
    return "\n".join(
        [
            f"# Differences of sentence pairs in {label}\n\nStage `measure_differences`. A "
            "difference is the second sentence minus the first, so that `female-male` points "
            "from female to male.\n",
            section(
                "Example pairs",
                f"The first of each category. {where}",
                _renamed(results["examples"], EXAMPLES, digits),
            ),
            section(
                "Cosines of the mean differences",
                f"{where} {_how_many(n_listed, len(cosines))}. "
                "Corrected for attenuation by the reliabilities of both means; may exceed 1. p, "
                "two-sided, against differences of unrelated sentences of like lengths; q over "
                "all cosines of the layer and pooling.",
                _renamed(by_size[:n_listed], COSINES, digits),
            ),
            section(
                "Bias",
                _bias_note(summary),
                _renamed(_bias(results["cosines"], summary), BIAS, digits),
            ),
            section(
                "Consistency",
                f"{where} Mean cosine between the differences of different pairs of a category.",
                _renamed(categories, CATEGORIES, digits),
            ),
        ]
    )


def _renamed(table: pd.DataFrame, names: dict[str, str], digits: int) -> str:
    shown = table[[*names]].rename(columns=names)
    for name in {"p", "q"} & {*shown}:
        # Three digits that count, however small.
        shown[name] = [f"{value:.3g}" if value == value else "–" for value in shown[name]]
    return markdown_table(shown, digits)


def _how_many(n_listed: int, n: int) -> str:
    return f"The {n_listed} of the largest size, of {n}" if n > n_listed else f"All {n}, by size"


def _bias(cosines: pd.DataFrame, summary: dict[str, Any]) -> pd.DataFrame:
    bias = summary["bias"]
    if not bias:
        return cosines[:0]
    chosen = cosines["category_1"] == bias["category_1"]
    return cosines[chosen & (cosines["category_2"] == bias["category_2"])]


def _bias_note(summary: dict[str, Any]) -> str:
    bias = summary["bias"]
    if not bias:
        return "The set lacks one of the categories in `bias_categories`."
    one, two = bias["category_1"], bias["category_2"]
    note = f"Cosine of {one} with {two}"
    if "-" not in one or "-" not in two:
        return f"{note}."
    (a, b), (c, d) = one.split("-", 1), two.split("-", 1)
    return (
        f"{note}: under 0 where from {c} to {d} is against from {a} to {b}, so that {d} lies "
        f"with {a}."
    )
