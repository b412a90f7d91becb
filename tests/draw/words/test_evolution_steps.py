from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.draw.words.evolution_steps import draw_evolution_steps
from tests.draw.words.evolved import tables_of
from tests.measure.words.test_evolution import module as module  # a fixture


def draw(results: dict[str, Any]) -> tuple[str, str]:
    return draw_evolution_steps(results, "a model of a long name", digits=3)


@pytest.fixture(scope="module")
def results(module) -> dict[str, pd.DataFrame]:
    return tables_of(module, "steps", "layers")


def test_the_finding_claims_no_longest_step_that_it_cannot_show(results):
    layers = results["evolution/layers"]
    is_length = layers["quantity"] == "euclidean_distance"
    mean = layers["mean"].mask(is_length, 0.2 + 0.001 * layers["layer"])
    finding, _ = draw(results | {"evolution/layers": layers.assign(mean=mean, maximum=mean)})
    last = layers["layer"].max()
    assert f"stands out: 0.2 on average to layer {last}, the others 0.2; with" in finding


@pytest.mark.parametrize("longest", [1, 3])
def test_the_finding_names_the_longest_step(results, longest):
    layers = results["evolution/layers"].copy()
    is_step = (layers["quantity"] == "euclidean_distance") & (layers["tokens"] == "a")
    layers.loc[is_step, ["mean", "random_weights_mean"]] = [2.0, 1.5]
    layers.loc[is_step & (layers["layer"] == longest), ["mean", "maximum"]] = 7.0
    assert draw(results | {"evolution/layers": layers})[0] == (
        f"Tokens of “a” go furthest in the step to layer {longest}: 7.0 on average, the others "
        "2.0; with random weights 1.5"
    )


@pytest.mark.parametrize(("position", "which"), [(0, "the first token"), (1, "one token")])
def test_a_token_that_goes_far_alone_is_told_from_the_others(results, position, which):
    layers, steps = results["evolution/layers"].copy(), results["evolution/steps"].copy()
    is_step = (layers["quantity"] == "euclidean_distance") & (layers["tokens"] == "a")
    layers.loc[is_step, ["n", "mean", "maximum", "random_weights_mean"]] = [5, 2.0, 3.0, 1.5]
    layers.loc[is_step & (layers["layer"] == 2), ["mean", "maximum"]] = [10.0, 46.0]
    steps["euclidean_distance"] = 1.0 + 45.0 * (steps["position"] == position)
    given = {"evolution/layers": layers, "evolution/steps": steps}
    assert draw(results | given)[0] == (
        f"In the step to layer 2 {which} of “a” goes 46.0, the others 1.0 on average; with random "
        "weights tokens go 1.5"
    )
    layers.loc[is_step & (layers["layer"] == 2), "maximum"] = 30.0
    assert draw(results | given)[0].startswith("Tokens of “a” go furthest in the step to layer 2")


def test_a_length_that_no_layer_norm_sets_is_a_dash(results):
    steps = results["evolution/steps"].assign(layer_norm_scale=np.nan)
    with_scale, without = (
        draw(results | {"evolution/steps": table})[1]
        for table in (results["evolution/steps"], steps)
    )
    assert without.count("–") > with_scale.count("–")


def test_without_tokens_the_page_says_why(results):
    finding, text = draw({name: table[:0] for name, table in results.items()})
    assert finding == "No token whose steps could be measured"
    assert "No tokenizer" in text
