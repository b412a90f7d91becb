from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.draw.page.looks import NULLS, corpus_looks
from embspace.draw.words.evolution_steps import QUANTITIES, draw_evolution_steps
from tests.draw.fits import assert_words_fit
from tests.draw.words.evolved import assert_says_why_it_is_empty, tables_of, title_of, words_of
from tests.measure.words.test_evolution import module as module  # a fixture


def draw(results: dict[str, Any]):
    return draw_evolution_steps(results, "a model of a long name", height_mm=115.0, digits=3)


@pytest.fixture(scope="module")
def results(module) -> dict[str, pd.DataFrame]:
    return tables_of(module, "steps", "layers")


@pytest.fixture(scope="module")
def figure(results):
    return draw(results)[0]


@pytest.mark.parametrize("quantity", list(QUANTITIES))
def test_quantities_by_layer_are_those_of_the_tables(figure, results, quantity):
    ax = figure.axes[list(QUANTITIES).index(quantity)]
    steps = results["evolution/steps"].query("text == 'a'")
    for line, (_, path) in zip(ax.lines[:7], steps.groupby("position"), strict=True):
        assert np.array_equal(line.get_ydata(), path[quantity], equal_nan=True)
    layers = results["evolution/layers"].query("quantity == @quantity").set_index("tokens")
    means = [layers.loc["a", "mean"], layers.loc["some", "mean"]]
    means.append(layers.loc["a", "random_weights_mean"])
    for line, values in zip(ax.lines[7:10], means, strict=True):
        assert np.array_equal(line.get_ydata(), values)
    assert ax.lines[8].get_color() == corpus_looks(["some"])["some"].color
    assert ax.lines[9].get_color() == NULLS["random_initialization"].color
    if quantity == "norm":
        assert ax.lines[10].get_ydata() == pytest.approx(4)  # the root of 16 dimensions


def test_the_title_claims_no_longest_step_that_it_cannot_show(results):
    layers = results["evolution/layers"]
    is_length = layers["quantity"] == "euclidean_distance"
    mean = layers["mean"].mask(is_length, 0.2 + 0.001 * layers["layer"])
    title = title_of(draw(results | {"evolution/layers": layers.assign(mean=mean)})[0])
    last = layers["layer"].max()
    assert f"stands out: 0.2 on average to layer {last}, the others 0.2; with" in title


def of_two_layers(results: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return results of a model that hardly turns a vector."""
    steps, layers = (rows[rows["layer"] <= 2] for rows in results.values())
    means = ["mean", "random_weights_mean"]
    layers = layers.assign(**layers[means].where(layers["quantity"] != "cosine", 0.9995))
    steps = steps.assign(cosine=0.9995 + steps["cosine"] / 10_000)
    return {"evolution/steps": steps, "evolution/layers": layers}


def test_the_one_cosine_of_steps_of_two_layers_is_points_at_a_whole_layer(results):
    ax = draw(of_two_layers(results))[0].axes[2]
    assert list(ax.get_xticks()) == [2]
    assert [line.get_marker() for line in ax.lines] == ["."] * (len(ax.lines) - 1) + ["None"]


def test_cosines_near_one_have_an_axis_that_ends_at_one(results, figure):
    bottom, top = draw(of_two_layers(results))[0].axes[1].get_ylim()
    assert 0.999 < bottom < 0.9996 < 1 < top < 1.0001
    assert 1 < figure.axes[1].get_ylim()[1] <= 1.02


@pytest.mark.parametrize("longest", [1, 3])
def test_the_title_names_the_longest_step(results, longest):
    layers = results["evolution/layers"].copy()
    of_steps = (layers["quantity"] == "euclidean_distance") & (layers["tokens"] == "a")
    layers.loc[of_steps, ["mean", "random_weights_mean"]] = [2.0, 1.5]
    layers.loc[of_steps & (layers["layer"] == longest), "mean"] = 7.0
    title = title_of(draw(results | {"evolution/layers": layers})[0])
    assert title.startswith(
        f"Tokens of “a” go furthest in the step to layer {longest}: 7.0 on average, the others "
        "2.0; with random weights 1.5"
    )


def test_a_length_that_no_layer_norm_sets_is_not_explained(results):
    steps = results["evolution/steps"].assign(layer_norm_scale=np.nan)
    for given, expected in ((results, True), (results | {"evolution/steps": steps}, False)):
        words = [text.get_text() for text in draw(given)[0].axes[5].get_legend().get_texts()]
        assert ("length that LayerNorm sets" in words) == expected


def test_the_figure_names_stage_and_population(figure):
    assert "“a”: 7 tokens · some: 30 tokens of as many texts" in words_of(figure)
    assert figure.get_label() == "measure_evolution"
    assert_words_fit(figure)


def test_without_tokens_the_figure_says_why(results):
    assert_says_why_it_is_empty(draw, results)
