"""Tells how parallel the sentence differences of a category are, by `measure_differences`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import sentence_case
from embspace.draw.page.looks import TEXT_POOLINGS, all_pooling_looks, pooling_looks
from embspace.draw.page.markdown import folded, interval, markdown_table, section

STAGE = "measure_differences"
DRAWN_IN = "sentence_meaning"
RESULTS = ("differences/categories.csv",)
TIMES = 2.0  # random weights, one draw, which a mean must surpass
TABLE = RESULTS[0].removesuffix(".csv")
COLUMNS = {
    "category": "category",
    "n": "pairs",
    **interval("consistency", "consistency"),
    **interval("null_consistency_sign_flips", "signs flipped"),
    "random_weights_consistency": "random weights",
    "consistency_different_tokens": "no token in common",
    "p_value_different_tokens": "p of that",
}
MORE = {
    "category": "category",
    "norm_of_mean": "length of the mean",
    "mean_norm": "mean length",
    "reliability": "reliability of the mean",
    **interval("null_consistency_re_paired", "re-paired"),
    **interval("null_consistency_unrelated", "unrelated sentences"),
    "n_compared_different_tokens": "comparisons without a common token",
    "random_weights_consistency_different_tokens": "these at random weights",
}
NOTE = (
    "Mean cosine between the differences of different pairs of a category. Nulls: signs of the "
    "differences flipped, second sentences re-paired within the category, unrelated sentences of "
    "like lengths."
)


def draw_difference_consistency(
    results: dict[str, pd.DataFrame], label: str, *, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return in how many categories differences are parallel, and tables of the last layer."""
    categories = results[TABLE]
    last = categories[categories["layer"] == categories["layer"].max()]
    return _finding(last), _tables(last, label, digits)


def _finding(last: pd.DataFrame) -> str:
    """Return the categories above chance, in the pooling of the largest mean.

    The first token of a decoder knows nothing of a sentence, and is left out.
    """
    last = last[last["pooling"].isin([*pooling_looks(last["pooling"])])]
    means = last.groupby("pooling", sort=False)["consistency"].mean().dropna()
    if means.empty:
        return "No two differences of one category can be compared"
    pooling = str(means.idxmax())
    rows = last[(last["pooling"] == pooling) & last["consistency"].notna()]
    high, random = rows["null_consistency_sign_flips_high"], rows["random_weights_consistency"]
    above = int((rows["consistency"] > high).sum())
    n_random, is_known = int((random > high).sum()), bool(random.notna().any())
    untrained = f", at random weights in {n_random}" if is_known else ""
    by = f"({TEXT_POOLINGS[pooling].name})"
    if not above:
        no_more = "in no category more parallel than by chance (signs flipped)"
        return f"Sentence differences are {no_more}{untrained} {by}"
    n_whole = int((rows["consistency_low"] > high).sum())
    whole = "" if n_whole == above else f", the whole interval in {n_whole or 'none'}"
    more = "no more parallel than at random weights: the mean lies beyond signs flipped"
    is_larger = rows["consistency"].mean() > TIMES * random.mean()
    if not is_known or above > n_random or is_larger:
        more = "more parallel than by chance (signs flipped)"
    counts = f"in {above} of {len(rows)} categories{whole}{untrained}"
    return f"Sentence differences are {more} {counts} {by}"


def _tables(last: pd.DataFrame, label: str, digits: int) -> str:
    """Return the table of the first pooling and, behind a fold, all others."""
    heading = f"# Consistency of sentence differences in {label}\n\nStage `{STAGE}`.\n"
    sections = []
    for pooling, look in all_pooling_looks(last["pooling"]).items():
        for part, names in (("", COLUMNS), (", further numbers", MORE)):
            rows = last[last["pooling"] == pooling][[*names]].rename(columns=names)
            table = markdown_table(rows, digits, exact=["p of that"])
            sections.append(section(f"{sentence_case(look.name)}{part}", NOTE, table))
    return "\n".join([heading, sections[0], folded("\n".join(sections[1:]))])
