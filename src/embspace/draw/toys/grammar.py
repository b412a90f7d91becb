"""Compares texts of the generated language with the language's exact values, with tables."""

import pandas as pd
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

DRAWN_IN = "estimators"


def draw_grammar(
    results: Results, label: str, *, smallest_probability: PositiveFloat, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return whether the entropy of texts is within the exact bounds, and tables."""
    summary, agreement = results["summary"], results["agreement"]
    agreement = agreement[agreement["exact"] >= smallest_probability]
    return _finding(summary.set_index("quantity")), _tables(summary, agreement, label, digits)


def _finding(quantities: pd.DataFrame) -> str:
    exact, entropy = quantities["exact"], quantities.loc["entropy"]
    low, high = exact["entropy_lower_bound"], exact["entropy_upper_bound"]
    error = 2 * entropy["standard_error"]
    inside = low - error <= entropy["measured"] <= high + error
    return (
        f"The generated texts have {entropy['measured']:.2f} nats per word, "
        f"{'between' if inside else 'outside'} the exact bounds {low:.2f} and {high:.2f}"
    )


def _tables(summary: pd.DataFrame, agreement: pd.DataFrame, label: str, digits: int) -> str:
    words = summary.assign(quantity=summary["quantity"].str.replace("_", " "))
    first = section(
        "Quantities",
        "Exact values follow from the rules; measured ones are means over n documents, "
        "sentences or main clauses. The entropy lies between its bounds.",
        markdown_table(words.astype({"n": "Int64"}), digits),
    )
    more = section(
        "Agreement of noun and verb",
        "The share of main clauses with each distance from noun to verb, in words, "
        "and with each number of attractors, nouns of the other number between them. "
        "Those of a small probability are left out.",
        markdown_table(agreement, digits),
    )
    return tables_page(f"The generated language, {label}", "measure_grammar", first, more)
