"""Tells which step of tokens is the longest, from `measure_evolution`: Luisto's figure 22."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.looks import text_looks
from embspace.draw.page.wording import side_by_side
from embspace.draw.words.evolution_tables import step_tables
from embspace.draw.words.standing_out import stands_out
from embspace.files.tables import Tables

STAGE = "measure_evolution"
DRAWN_IN = "token_paths"
RESULTS = ("evolution/steps.csv", "evolution/layers.csv")


def draw_evolution_steps(results: Tables, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return the longest step on average, and the means of all quantities by layer."""
    steps, layers = results["evolution/steps"], results["evolution/layers"]
    return _finding(layers), step_tables(steps, layers, label, digits)


def _finding(layers: pd.DataFrame) -> str:
    """Return the longest step on average, beside the others and random weights."""
    lengths = layers[layers["quantity"] == "euclidean_distance"].dropna(subset="mean")
    if lengths.empty:
        return "No token whose steps could be measured"
    own = lengths[lengths["tokens"] == lengths["tokens"].iloc[0]].set_index("layer")
    longest = own["mean"].idxmax()
    others = own["mean"].drop(longest)
    values = [own["mean"].max(), own["random_weights_mean"][longest]]
    values += [others.mean()] if len(others) else []
    most, random, *rest = side_by_side(values, 1, differ=False)
    beside = f", the others {rest[0]}" if rest else ""
    name = text_looks([lengths["tokens"].iloc[0]])[lengths["tokens"].iloc[0]].name
    finding = f"Tokens of {name} go furthest in the step to layer {longest}: {most} on average"
    if [most] == rest or not stands_out(own["mean"], own["random_weights_mean"]):
        finding = f"No step of tokens of {name} stands out: {most} on average to layer {longest}"
    return f"{finding}{beside}; with random weights {random}"
