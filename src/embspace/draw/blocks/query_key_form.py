"""Tells how heads compare queries with keys, from `measure_query_key_form`."""

from typing import Any

from pydantic import NonNegativeInt

from embspace.draw.blocks.query_key_form_tables import tables_of
from embspace.draw.page.canvas import sentence_case
from embspace.draw.page.markdown import tables_page
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import side_by_side

STAGE = "measure_query_key_form"
DRAWN_IN = "parameter_vectors"
NULL = "random_initialization"


def draw_query_key_form(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return how symmetric heads are beside random ones, and tables of layers and heads."""
    facts = results["json"]
    if not facts["known"]:
        page = tables_page(
            f"Queries and keys of {label}", STAGE, f"{sentence_case(_why(facts))}.\n"
        )
        return _finding(results, label), page
    return _finding(results, label), tables_of(results, label, digits)


def _finding(results: Results, label: str) -> str:
    """Return a sentence on the medians of symmetry over layers, and over heads, beside chance."""
    if not results["json"]["known"]:
        return f"How {label} compares queries with keys is not known here"
    nulls = results["nulls"].query(f"null == '{NULL}' and measure == 'symmetry'")
    [median] = nulls[nulls["part"] == "median_of_layers"].to_dict("records")
    median_head = float(results["heads"]["symmetry"].median())
    how = "as symmetric as random ones"
    if median["n_above"]:
        how = "more symmetric than random ones"
    elif median["n_below"]:
        how = "less symmetric than random ones"
    differ = bool(median["n_above"] or median["n_below"])
    layer, random = side_by_side([median["median"], median["null_mean"]], 2, differ=differ)
    place = "its one block" if results["json"]["n_layers"] == 1 else "the median layer"
    return (
        f"Heads of {label} taken together are {how}: symmetry {layer} in {place}, "
        f"{median_head:.2f} in the median head, {random} at random"
    )


def _why(facts: dict[str, Any]) -> str:
    if facts["architecture"] is None:
        return "vectors alone have no attention"
    return f"the attention of {facts['architecture']} is not rebuilt here"
