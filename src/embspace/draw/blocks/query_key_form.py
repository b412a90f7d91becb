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
    """Return a sentence on symmetry in the median layer, and on directionality if beyond chance."""
    if not results["json"]["known"]:
        return f"How {label} compares queries with keys is not known here"
    facts = results["json"]
    symmetry, directionality = (_median(results, name) for name in ("symmetry", "directionality"))
    how = f"{_beside(symmetry, 'more', 'less', 'as')} symmetric {_than(symmetry)} random ones"
    place = "its one block" if facts["n_layers"] == 1 else "the median layer"
    without = "Without the rotation of positions, heads" if facts["rotary_positions"] else "Heads"
    taken = f"{without} of {label} taken together"
    if not _is_apart(directionality):
        layer, random = _two(symmetry)
        median_head = float(results["heads"]["symmetry"].median())
        return (
            f"{taken} are {how}: symmetry {layer} in {place}, {median_head:.2f} in the median "
            f"head, {random} at random"
        )
    sides = _beside(directionality, "keys more than of queries", "queries more than of keys", "")
    layer, random = _two(directionality)
    return (
        f"{taken}, {how}, single out dimensions of {sides} (directionality {layer} in {place}, "
        f"{random} at random)"
    )


def _median(results: Results, measure: str) -> dict[str, Any]:
    """Return the row of a measure's median over layers, beside random weights."""
    nulls = results["nulls"].query(f"null == '{NULL}' and measure == @measure")
    [median] = nulls[nulls["part"] == "median_of_layers"].to_dict("records")
    return dict(median)


def _is_apart(median: dict[str, Any]) -> bool:
    return bool(median["n_above"] or median["n_below"])


def _beside(median: dict[str, Any], above: str, below: str, within: str) -> str:
    if median["n_above"]:
        return above
    return below if median["n_below"] else within


def _than(median: dict[str, Any]) -> str:
    return "than" if _is_apart(median) else "as"


def _two(median: dict[str, Any]) -> list[str]:
    """Return the median over layers and the mean of random weights as printed side by side."""
    return side_by_side([median["median"], median["null_mean"]], 2, differ=_is_apart(median))


def _why(facts: dict[str, Any]) -> str:
    if facts["architecture"] is None:
        return "vectors alone have no attention"
    return f"the attention of {facts['architecture']} is not rebuilt here"
