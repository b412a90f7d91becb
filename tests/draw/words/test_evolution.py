from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import rc_context

from embspace.draw.page.canvas import use_style
from embspace.draw.words.evolution import N_PATHS, QUANTITIES, draw_evolution
from tests.draw.fits import assert_words_fit
from tests.measure.words.test_evolution import measured, stimuli_of
from tests.measure.words.test_evolution import module as module  # a fixture

SETTINGS: dict[str, Any] = {"height_mm": 225.0, "digits": 3}


def draw(results: dict[str, Any]):
    return draw_evolution(results, "a model of a long name", **SETTINGS)


@pytest.fixture(scope="module")
def results(module) -> dict[str, pd.DataFrame]:
    return asdict(measured(module, stimuli_of(1.0)))


@pytest.fixture(scope="module")
def figure(results):
    return draw(results)[0]


def panel(figure: Any, title: str) -> Any:
    (ax,) = (ax for ax in figure.axes if ax.get_title() == title)
    return ax


@pytest.mark.parametrize(
    ("title", "view"), [("Paths: all layers", "all_layers"), ("Paths: mouse, cat", "mouse+cat")]
)
def test_each_token_has_its_path_and_a_dot_where_it_starts(figure, results, title, view):
    rows = results["path"][results["path"]["view"] == view]
    paths = [path for _, path in rows.groupby(["text", "position"], sort=False)]
    lines, dots = panel(figure, title).lines[::2], panel(figure, title).lines[1::2]
    assert len(lines) == len(dots) == len(paths)
    for line, dot, path in zip(lines, dots, paths, strict=True):
        drawn = np.column_stack(line.get_data())
        assert np.array_equal(drawn, path[["component_1", "component_2"]])
        assert (dot.get_xdata()[0], dot.get_ydata()[0]) == tuple(drawn[0])


def test_axes_say_how_much_they_show(figure, results):
    table = results["views"].set_index(["view", "space", "quantity"])["value"]
    share = table["mouse", "component_1", "explained_variance"]
    assert f"{100 * share:.0f} % of variance" in panel(figure, "Paths: mouse").get_xlabel()


def test_tokens_of_few_are_named_and_no_name_stands_twice_in_a_place(figure):
    names = [text.get_text() for text in panel(figure, "Paths: mouse, cat").texts]
    assert sorted(names) == ["cat", "mouse"]


@pytest.mark.parametrize("quantity", list(QUANTITIES))
def test_quantities_by_layer_are_those_of_the_tables(figure, results, quantity):
    ax = panel(figure, QUANTITIES[quantity][0])
    steps = results["steps"][results["steps"]["text"] == "a"]
    for line, (_, path) in zip(ax.lines[:7], steps.groupby("position"), strict=True):
        assert np.array_equal(line.get_ydata(), path[quantity], equal_nan=True)
    layers = results["layers"][results["layers"]["quantity"] == quantity]
    layers = layers.set_index("tokens")
    expected = [layers.loc["a", "mean"], layers.loc["a", "random_weights_mean"]]
    for line, values in zip(ax.lines[7:], [*expected, layers.loc["some", "mean"]], strict=False):
        assert np.array_equal(line.get_ydata(), values)
    if quantity == "norm":
        assert ax.lines[10].get_ydata() == pytest.approx(4)  # the root of 16 dimensions


def of_two_layers(results: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """As of a model that hardly turns a vector."""
    ended = {name: rows for name, rows in results.items() if "layer" in rows}
    few = {name: rows[rows["layer"] <= 2] for name, rows in ended.items()}
    steps, layers = few["steps"], few["layers"]
    means = ["mean", "random_weights_mean"]
    layers = layers.assign(**layers[means].where(layers["quantity"] != "cosine", 0.9995))
    steps = steps.assign(cosine=0.9995 + steps["cosine"] / 10_000)
    return results | few | {"steps": steps, "layers": layers}


def test_the_one_cosine_of_steps_of_two_layers_is_points_at_a_whole_layer(results):
    ax = panel(draw(of_two_layers(results))[0], "Cosines of steps")
    assert list(ax.get_xticks()) == [2]
    assert [line.get_marker() for line in ax.lines] == ["."] * (len(ax.lines) - 1) + ["None"]


def test_cosines_near_one_have_an_axis_that_ends_at_one(results, figure):
    bottom, top = panel(draw(of_two_layers(results))[0], "Cosines of states").get_ylim()
    assert 0.999 < bottom < 0.9996 < 1 < top < 1.0001
    assert 1 < panel(figure, "Cosines of states").get_ylim()[1] <= 1.02


def test_names_of_the_whole_way_lie_between_the_bars(figure):
    ax = panel(figure, "Common to the whole way")
    figure.draw_without_rendering()
    for text in ax.texts:
        box = text.get_window_extent()
        for line in ax.lines:
            y = ax.transData.transform((0, line.get_ydata()[0]))[1]
            half = line.get_linewidth() / 2 * figure.dpi / 72 if len(line.get_xdata()) > 1 else 0
            assert not box.y0 < y + half < box.y1
            assert not box.y0 < y - half < box.y1


def test_shared_energy_of_each_set_and_the_band_of_the_null(figure, results):
    ax = panel(figure, "Common to the steps")
    table = results["shared_steps"]
    steps = table[table["last_layer"] - table["first_layer"] == 1].set_index("tokens")
    lines = [line.get_ydata() for line in ax.lines]
    assert np.array_equal(lines[0], steps.loc["a", "shared_energy"])
    assert np.array_equal(lines[1], steps.loc["a", "random_weights_shared_energy"])
    assert np.array_equal(lines[2], steps.loc["b", "shared_energy"])
    assert np.array_equal(lines[3], steps.loc["some", "shared_energy"])
    band, interval = (collection.get_paths()[0].vertices[:, 1] for collection in ax.collections)
    assert band.min() == steps.loc["a", "null_shared_energy_low"].min()
    assert interval.max() == steps.loc["some", "shared_energy_high"].max()


def test_the_whole_way_in_the_plane_and_in_full(figure, results):
    ax = panel(figure, "Common to the whole way")
    words = [text.get_text() for text in ax.texts]
    assert words[:2] == ["all layers: plane", "all layers: full space"]
    # One token alone has no null, and no place here.
    assert words[-1] == "mouse, cat: full space"
    assert not any(word.startswith("mouse:") for word in words)
    table = results["views"].set_index(["view", "space", "quantity"])
    row = table.loc[("all_layers", "all", "shared_energy")]
    null, random, value = ax.lines[3:6]
    assert null.get_xdata() == pytest.approx([row["null_value_low"], row["null_value_high"]])
    assert random.get_xdata()[0] == row["random_weights_value"]
    assert value.get_xdata()[0] == row["value"]


def test_the_first_followed_word_is_marked_in_the_drift(figure, results):
    ax = panel(figure, "Drift between the texts")
    (marked,) = (line for line in ax.lines if line.get_label() == "mouse")
    drift = results["drift"]
    assert np.array_equal(
        marked.get_ydata(), drift.loc[drift["token"] == "mouse", "relative_distance"]
    )
    assert len(ax.lines) == 2 * 6


def test_the_legend_of_the_drift_lies_above_its_lines(results):
    with rc_context():
        use_style()
        figure, _ = draw(results)
        assert_words_fit(figure)
    ax = panel(figure, "Drift between the texts")
    tops = [ax.transData.transform((0, line.get_ydata().max()))[1] for line in ax.lines]
    assert max(tops) < ax.get_legend().get_window_extent().y0


def test_a_length_that_no_layer_norm_sets_is_not_explained(results):
    steps = results["steps"].assign(layer_norm_scale=np.nan)
    for given, expected in ((results, True), (results | {"steps": steps}, False)):
        (legend,) = draw(given)[0].legends
        words = [text.get_text() for text in legend.get_texts()]
        assert ("length that LayerNorm sets" in words) == expected


def test_the_figure_names_stage_and_population(figure):
    words = " ".join(text.get_text() for text in figure.texts)
    assert "2 texts, 14 tokens" in words
    assert figure.get_supxlabel() == "measure_evolution"
    (legend,) = figure.legends
    assert "mean of 30 tokens of some" in [text.get_text() for text in legend.get_texts()]
    assert_words_fit(figure)


def test_few_and_many_followed_words_fit_their_panels(module):
    none = draw(asdict(measured(module, followed=[])))[0]
    assert [ax.axison for ax in none.axes[:N_PATHS]] == [True, True, False, False]
    many = draw(asdict(measured(module, followed=[["mouse"], ["cat"], ["box"], ["the"]])))[0]
    assert [ax.get_title() for ax in many.axes[2:5]] == [
        "Paths: mouse",
        "Paths: cat",
        "Length of steps",
    ]
    for figure in (none, many):
        assert_words_fit(figure)


def test_without_tokens_the_figure_says_why(results):
    figure, text = draw({name: table[:0] for name, table in results.items()})
    assert "no tokenizer" in figure.axes[0].texts[0].get_text()
    assert "No tokenizer" in text
    assert_words_fit(figure)


def test_one_text_has_no_drift_to_show(results):
    figure, _ = draw(results | {"drift": results["drift"][:0]})
    assert figure.axes[11].texts[0].get_text() == "no two texts to compare"
