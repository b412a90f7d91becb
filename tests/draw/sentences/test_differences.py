from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from embspace.draw.page.canvas import use_style
from embspace.draw.sentences.differences import draw_differences
from embspace.files.scalars import load_scalars, save_scalars
from embspace.files.tables import load_table, save_table
from embspace.measure.sentences.differences import Differences
from tests.draw.fits import assert_words_fit
from tests.measure.planted_sentences import Planted, planted
from tests.measure.sentences.test_differences import AXES, OFFSETS
from tests.measure.sentences.test_differences import measure as measure_with_many_draws

SETTINGS: dict[str, Any] = {
    "height_mm": 220.0,
    "starred_q_value": 0.05,
    "n_listed": 3,
    "digits": 2,
}
MAP, CHANCE, COSINES, BIAS, BY_LAYER, DIFFERENT = range(6)


def measure(given: Planted, **change: Any) -> Differences:
    """With few draws: a figure is as soon drawn of rough intervals."""
    few = {"n_half_samples": 10, "n_pairing_draws": 10, "n_sign_flips": 20}
    return measure_with_many_draws(given, **few | change)


def results_of(found: Any, folder: Any) -> dict[str, Any]:
    """As the stage finds them in its files."""
    tables = {}
    for name in ("categories", "cosines", "map", "examples"):
        save_table(getattr(found, name), f"{folder}/{name}.csv")
        tables[name] = load_table(f"{folder}/{name}.csv")
    save_scalars(found.summary, f"{folder}/json.json")
    return tables | {"json": load_scalars(f"{folder}/json.json")}


def draw(results: dict[str, Any], **change: Any) -> tuple[Figure, str]:
    use_style()
    return draw_differences(results, "a model of a long name", **SETTINGS | change)


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[str, Any]:
    found = measure(planted(OFFSETS, 8, n_layers=3))
    return results_of(found, tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def drawn(results) -> tuple[Figure, str]:
    return draw(results)


def shown(results: dict[str, Any], name: str) -> pd.DataFrame:
    return results[name].query("layer == 2 and pooling == 'cls'")


def test_words_fit_and_panels_do_not_lie_on_each_other(drawn):
    figure, _ = drawn
    assert_words_fit(figure)
    boxes = [ax.get_tightbbox() for ax in figure.axes[:6]]
    for box in boxes:
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width
    for left, right in ((MAP, CHANCE), (COSINES, BIAS), (BY_LAYER, DIFFERENT)):
        assert boxes[left].x1 <= boxes[right].x0


def test_the_heat_map_has_raw_cosines_below_and_corrected_ones_above(results, drawn):
    ax = drawn[0].axes[COSINES]
    image = np.ma.filled(ax.images[0].get_array().astype(float), np.nan)
    names = [*OFFSETS]
    assert [label.get_text() for label in ax.get_yticklabels()] == names
    for row in shown(results, "cosines").to_dict("records"):
        one, two = names.index(row["category_1"]), names.index(row["category_2"])
        assert image[two, one] == row["cosine"]
        assert image[one, two] == pytest.approx(row["corrected_cosine"], nan_ok=True)
    assert np.isnan(np.diagonal(image)).all()
    assert ax.images[0].get_clim() == (-1, 1)


def test_stars_are_on_small_q_values(results, drawn):
    names = [*OFFSETS]
    stars = [text for text in drawn[0].axes[COSINES].texts if text.get_text() == "*"]
    found = {tuple(np.round(text.get_position()).astype(int)) for text in stars}
    rows = shown(results, "cosines").query("q_value < 0.05").to_dict("records")
    expected = {(names.index(row["category_1"]), names.index(row["category_2"])) for row in rows}
    assert found == expected
    assert (0, 1) in found
    assert len(found) < 10
    figure, _ = draw(results, starred_q_value=1e-9)
    assert not [text for text in figure.axes[COSINES].texts if text.get_text() == "*"]


def test_numbers_in_the_heat_map_are_short(results, drawn):
    written = {text.get_position(): text.get_text() for text in drawn[0].axes[COSINES].texts}
    row = shown(results, "cosines").iloc[0]
    assert (row["category_1"], row["category_2"]) == ("female-male", "doctor-nurse")
    assert written[(0, 1)] == f"{row['cosine']:.2f}".replace("-0.", "-.")
    reliability = shown(results, "categories")["reliability"].iloc[0]
    assert written[(0, 0)] == f"{reliability:.2f}".replace("0.", ".")
    # The last category has no offset, so that its cosines are not corrected.
    assert written[(4, 0)] == "–"


def test_many_categories_have_no_numbers(tmp_path):
    offsets = {f"c{number}-d": AXES[number] for number in range(14)}
    figure, _ = draw(results_of(measure(planted(offsets, 3)), tmp_path))
    assert not [text for text in figure.axes[COSINES].texts if text.get_text() != "*"]
    lines = figure.axes[BY_LAYER].lines
    looks = {(to_hex(line.get_color()), line.get_linestyle()) for line in lines[1:]}
    assert len(looks) == 14


def test_consistency_is_shown_beside_chance(results, drawn):
    ax = drawn[0].axes[CHANCE]
    categories = shown(results, "categories")
    for line, name in zip(
        ax.lines,
        ["consistency", "consistency_different_tokens", "random_weights_consistency"],
        strict=True,
    ):
        assert np.array_equal(line.get_xdata(), categories[name])
    flipped, paired, interval = (np.array(each.get_segments())[:, :, 0] for each in ax.collections)
    for segments, name in (
        (flipped, "null_consistency_sign_flips"),
        (paired, "null_consistency_re_paired"),
        (interval, "consistency"),
    ):
        assert np.allclose(segments, categories[[f"{name}_low", f"{name}_high"]])
    assert len(ax.get_legend().get_texts()) == 5


def test_lines_by_layer_are_those_of_the_table(results, drawn):
    for panel, column in ((BY_LAYER, "consistency"), (DIFFERENT, "consistency_different_tokens")):
        ax = drawn[0].axes[panel]
        rows = results["categories"].query("pooling == 'cls' and category == 'c-d'")
        line = ax.lines[1 + [*OFFSETS].index("c-d")]
        assert np.array_equal(line.get_xdata(), [0, 1, 2])
        assert np.array_equal(line.get_ydata(), rows[column])
    assert len(drawn[0].axes[BY_LAYER].collections) == 1
    assert len(drawn[0].axes[DIFFERENT].collections) == 0


def test_layers_begin_where_there_is_a_value_and_names_stay_on_the_axis(results):
    table = results["categories"]
    rows = table["pooling"] == "cls"
    low = -0.2 - 0.0001 * table["category"].astype("category").cat.codes
    changed = {name: table[name].where(~rows, low) for name in ("consistency",)}
    changed["consistency"] = changed["consistency"].where(~rows | (table["layer"] > 0))
    figure = draw(results | {"categories": table.assign(**changed)})[0]
    ax = figure.axes[BY_LAYER]
    assert list(ax.get_xticks()) == sorted({*table["layer"]} - {0})
    assert 0 < ax.get_xlim()[0] < 1
    figure.draw_without_rendering()
    names = [text.get_window_extent() for text in ax.texts]
    assert names
    legend = ax.get_legend().get_window_extent()
    assert ax.bbox.y0 < min(name.y0 for name in names)
    assert not any(legend.overlaps(name) for name in names)


def test_the_bias_is_drawn_for_each_pooling_with_its_interval(results, drawn):
    ax = drawn[0].axes[BIAS]
    rows = results["cosines"].query("category_1 == 'female-male' & category_2 == 'doctor-nurse'")
    assert ax.get_title(loc="left") == "female-male with doctor-nurse"
    for container, pooling in zip(ax.containers, ("cls", "mean", "max"), strict=True):
        each = rows[rows["pooling"] == pooling]
        line, _, (bars,) = container
        assert np.array_equal(line.get_ydata(), each["cosine"])
        ends = np.array(bars.get_segments())[:, :, 1]
        assert np.allclose(ends, each[["cosine_low", "cosine_high"]])


def test_without_the_categories_of_the_bias_the_panel_says_so(tmp_path):
    found = measure(planted({"a-b": AXES[0], "c-d": AXES[1]}, 6))
    figure, text = draw(results_of(found, tmp_path))
    assert "no cosine of" in figure.axes[BIAS].texts[0].get_text()
    assert "lacks one of the categories" in text


def test_one_pair_of_one_category_is_drawn(tmp_path):
    figure, text = draw(results_of(measure(planted({"a-b": AXES[0]}, 1)), tmp_path))
    assert_words_fit(figure)
    assert "no map" in figure.axes[MAP].texts[0].get_text()
    assert "None." in text


def test_a_model_that_read_nothing_says_so(tmp_path):
    given = planted(OFFSETS, 3)
    states = {name: x[:, :0] for name, x in given.states.items()}
    found = measure(type(given)(given.stimuli, given.tokens[:0], states))
    figure, text = draw(results_of(found, tmp_path))
    assert_words_fit(figure)
    assert "no pairs of sentences" in figure.axes[0].texts[0].get_text()
    assert "None." in text
