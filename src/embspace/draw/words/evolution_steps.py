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
LENGTHS = ("n", "mean", "maximum", "random_weights_mean")
ALONE = 10.0  # as far as the others on average goes a token whose step is its own


def draw_evolution_steps(results: Tables, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return the longest step on average, and the means of all quantities by layer."""
    steps, layers = results["evolution/steps"], results["evolution/layers"]
    return _finding(steps, layers), step_tables(steps, layers, label, digits)


def _finding(steps: pd.DataFrame, layers: pd.DataFrame) -> str:
    """Return the longest step on average, beside further steps and random weights.

    If a single token dominates the mean, this token is held against the rest.
    """
    lengths = layers[layers["quantity"] == "euclidean_distance"].dropna(subset="mean")
    if lengths.empty:
        return "No token whose steps could be measured"
    text = str(lengths["tokens"].iloc[0])
    own, name = lengths[lengths["tokens"] == text].set_index("layer"), text_looks([text])[text].name
    longest = own["mean"].idxmax()
    n, mean, furthest, at_random = own[[*LENGTHS]].to_numpy()[own["mean"].argmax()]
    if furthest > ALONE * (rest := (n * mean - furthest) / max(n - 1, 1)) > 0:
        alone, less, random = side_by_side([furthest, rest, at_random], 1, differ=False)
        is_step = (steps["text"] == text) & (steps["layer"] == longest)
        step_lengths = steps[is_step].set_index("position")["euclidean_distance"]
        which = (
            "the first token" if len(step_lengths) and step_lengths.idxmax() == 0 else "one token"
        )
        return (
            f"In the step to layer {longest} {which} of {name} goes {alone}, the others {less} "
            f"on average; with random weights tokens go {random}"
        )
    others = own["mean"].drop(longest)
    values = [mean, at_random, *([others.mean()] if len(others) else [])]
    most, random, *shorter = side_by_side(values, 1, differ=False)
    beside = f", the others {shorter[0]}" if shorter else ""
    finding = f"Tokens of {name} go furthest in the step to layer {longest}: {most} on average"
    if [most] == shorter or not stands_out(own["mean"], own["random_weights_mean"]):
        finding = f"No step of tokens of {name} stands out: {most} on average to layer {longest}"
    return f"{finding}{beside}; with random weights {random}"
