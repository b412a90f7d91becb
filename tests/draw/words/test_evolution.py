from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.app.page.nothing import says_nothing
from embspace.draw.page.looks import TEXTS
from embspace.draw.words.evolution import _bundles, draw_evolution
from embspace.measure.words.evolution import EVOLUTION
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.draw.words import evolved
from tests.measure.words.test_evolution import measured, stimuli_of
from tests.measure.words.test_evolution import module as module  # a fixture


def draw(results: dict[str, Any]):
    settings = settings_of(draw_evolution, digits=3)
    return draw_evolution(as_drawn(EVOLUTION, results), "a model of a long name", **settings)


@pytest.fixture(scope="module")
def results(module) -> dict[str, pd.DataFrame]:
    return measured(module, stimuli_of(1.0))


@pytest.fixture(scope="module")
def figure(results):
    return draw(results)[0]


def panel(figure: Any, start: str) -> Any:
    (ax,) = (ax for ax in figure.axes if (ax.get_title("left") or ax.get_title()).startswith(start))
    return ax


def test_each_token_of_the_first_text_has_its_path_and_a_dot_a_layer(figure, results):
    rows = results["path"].query("view == 'all_layers' and text == 'a'")
    ax = panel(figure, "Tokens of")
    for line, (_, path) in zip(ax.lines, rows.groupby("position"), strict=True):
        assert np.array_equal(
            np.column_stack(line.get_data()), path[["component_1", "component_2"]]
        )
    (dots,) = ax.collections
    assert np.array_equal(dots.get_offsets(), rows[["component_1", "component_2"]])
    assert np.array_equal(dots.get_array(), rows["layer"])


def test_axes_say_how_much_they_show(figure, results):
    table = results["views"].set_index(["view", "space", "quantity"])["value"]
    share = table["mouse", "component_1", "explained_variance"]
    assert f"{100 * share:.0f} % of variance" in panel(figure, "“mouse” by layer").get_xlabel()


def test_starts_are_named_and_no_name_stands_in_the_place_of_another(figure):
    ax = panel(figure, "Tokens of")
    names = [text for text in ax.texts if text.get_text()]
    tokens = ["[CLS]", "the", "mouse", ".", "cat", "[SEP]"]
    assert {word for text in names for word in text.get_text().split()} == {*tokens}
    assert len({text.xyann for text in names}) == len(names)


def test_tokens_that_start_close_together_share_a_name(results):
    rows = results["path"]
    starts = rows[(rows["view"] == "all_layers") & (rows["text"] == "a") & (rows["layer"] == 0)]
    columns = starts[["component_1", "component_2"]].to_numpy()
    apart = _bundles(starts, np.ptp(columns, axis=0) * 1e-9)
    assert len(apart) == len(columns)
    [(name, *_)] = _bundles(starts, np.ptp(columns, axis=0) * 1e9)
    assert sorted(name.split()) == sorted(set(starts["token"]))


def test_one_word_is_drawn_in_each_text_with_the_look_of_the_text(figure, results):
    ax = panel(figure, "“mouse” by layer")
    rows = results["path"].query("view == 'mouse'")
    for number, (text, path) in enumerate(rows.groupby("text", sort=False)):
        line, dots = ax.lines[2 * number : 2 * number + 2]
        assert np.array_equal(line.get_xdata(), path["component_1"])
        assert dots.get_label() == f"“{text}”"
        assert (line.get_color(), dots.get_marker()) == (TEXTS[number].color, TEXTS[number].marker)


def test_the_distance_of_the_word_between_texts_is_that_of_the_table(figure, results):
    rows = results["drift"].query("token == 'mouse'").sort_values("layer")
    ax = panel(figure, "“mouse” between texts")
    for line, prefix in zip(ax.lines, ("", "random_weights_"), strict=True):
        expected = rows.groupby("layer")[f"{prefix}relative_distance"].mean()
        assert line.get_ydata() == pytest.approx(expected.to_numpy())
    assert len(ax.lines[0].get_ydata()) > 1


def test_paths_turned_at_random_have_their_range(figure, results):
    row = results["views"].query("view == 'all_layers' and space == 'all'")
    (row,) = row.query("quantity == 'layer_share'").to_dict("records")
    (line,) = panel(figure, "Between layers").lines
    assert list(line.get_xdata()) == pytest.approx([row["null_value_low"], row["null_value_high"]])


def test_the_title_has_the_variance_between_layers_beside_its_nulls(figure, results):
    table = results["views"].set_index(["view", "space", "quantity"])
    row = table.loc[("all_layers", "all", "layer_share")]
    nulls = (row["random_weights_value"], row["null_value"])
    ax = panel(figure, "Between layers")
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([row["value"], *nulls])
    said, random = ax.texts[0].get_text(), ax.texts[1].get_text()
    assert f"{said} of the variance of the followed tokens" in evolved.title_of(figure)
    assert f"random weights: {random}" in evolved.title_of(figure)


@pytest.mark.parametrize(
    ("share", "random", "says"),
    [
        (0.9, 0.5, ", 50 % with random weights (b)"),
        (0.2, 0.5, ", 50 % with random weights (b)"),
        (0.4, 0.5, ", no more than with random weights: 50 % (b)"),
        (0.1, 0.5, ", 50 % with random weights; no more than in paths turned at random (b)"),
    ],
)
def test_the_share_between_layers_is_held_against_turned_paths_and_random_weights(
    results, share, random, says
):
    views = results["views"].copy()
    is_share = views["quantity"] == "layer_share"
    views.loc[is_share, "value"] = share
    views.loc[is_share, ["random_weights_value", "null_value_high"]] = [random, 0.1]
    title = evolved.title_of(draw(results | {"views": views})[0])
    assert title.endswith(f" lies between layers{says}")
    assert says_nothing(title) == ("no more" in says)


def test_next_to_nothing_between_layers_is_no_finding(results):
    views = results["views"].copy()
    is_share = views["quantity"] == "layer_share"
    views.loc[is_share, ["value", "random_weights_value"]] = [0.00027, 0.00023]
    title = evolved.title_of(draw(results | {"views": views})[0])
    assert title == (
        "Next to nothing of the variance of the followed tokens lies between layers, as with "
        "random weights: 0.027 % and 0.023 % (b)"
    )
    assert says_nothing(title)
    views.loc[is_share, "random_weights_value"] = 0.02
    assert "nothing" not in evolved.title_of(draw(results | {"views": views})[0])


def test_the_texts_are_printed(figure):
    assert "“a”: [CLS] the mouse . the cat [SEP], “b”: " in evolved.words_of(figure)


def test_the_figure_names_stage_and_population(figure):
    assert "2 texts, 14 tokens" in evolved.words_of(figure)
    assert figure.get_label() == "measure_evolution"
    assert_words_fit(figure)


def test_a_word_of_several_tokens_has_one_name_in_the_legend(results):
    path = results["path"].copy()
    mouse = path["view"] == "mouse"
    pieces = path[mouse].assign(position=path["position"] + 1, token="##se")
    path.loc[mouse, "token"] = "mou"
    figure, _ = draw(results | {"path": pd.concat([path, pieces], ignore_index=True)})
    word = panel(figure, "“mouse” by layer")
    assert [text.get_text() for text in word.get_legend().get_texts()] == ["“a”", "“b”"]
    assert len(word.lines) == 2 * 4


def test_without_a_followed_word_there_is_a_panel_less(module):
    figure, _ = draw(measured(module, followed=[]))
    assert sum(bool(ax.get_title("left") or ax.get_title()) for ax in figure.axes) == 2
    assert_words_fit(figure)


def test_the_subtitle_has_panel_d_only_where_distances_are_drawn(results, figure):
    assert "· d: of one word, over" in evolved.words_of(figure)
    alone, _ = draw(results | {"drift": results["drift"][:0]})
    assert not [ax for ax in alone.axes if (ax.get_title("left") or "").endswith("between texts")]
    assert "c: " in evolved.words_of(alone) and "d: " not in evolved.words_of(alone)


def test_what_has_no_random_weights_has_no_number_of_these(results):
    views, drift = (
        results[name].assign(**dict.fromkeys(columns, np.nan))
        for name, columns in (
            ("views", ["random_weights_value"]),
            ("drift", ["random_weights_relative_distance"]),
        )
    )
    figure, _ = draw(results | {"views": views, "drift": drift})
    assert_words_fit(figure)
    said = f"{evolved.title_of(figure)} {evolved.words_of(figure)}"
    assert "nan" not in said and "random weights" not in said
    (line,) = panel(figure, "“mouse” between texts").lines
    expected = results["drift"].query("token == 'mouse'").groupby("layer")["relative_distance"]
    assert line.get_ydata() == pytest.approx(expected.mean().to_numpy())
    bars = panel(figure, "Between layers")
    assert len(bars.patches) == len([text for text in bars.texts if text.get_text()]) == 2


def test_without_tokens_the_figure_says_why(results):
    evolved.assert_says_why_it_is_empty(draw, results)
