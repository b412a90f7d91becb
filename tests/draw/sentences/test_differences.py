from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.analysis import Outcome
from embspace.draw.page.canvas import use_style
from embspace.draw.page.looks import POOLINGS
from embspace.draw.sentences.differences import draw_differences
from embspace.files.scalars import load_scalars, save_scalars
from embspace.files.tables import load_table, save_table
from embspace.measure.sentences.differences import DIFFERENCES
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.planted_sentences import Planted, planted
from tests.measure.sentences.test_differences import AXES, OFFSETS
from tests.measure.sentences.test_differences import measure as measure_with_many_draws

SETTINGS: dict[str, Any] = {"arrows": [*OFFSETS][:2], "n_listed": 3}
MAP, BIAS, COSINES = 0, 1, 4


def measure(given: Planted, **change: Any) -> Outcome:
    """With few draws: a figure is as soon drawn of rough intervals."""
    few = {"n_half_samples": 10, "n_pairing_draws": 10, "n_sign_flips": 20}
    return measure_with_many_draws(given, **few | change)


def results_of(found: Any, folder: Any) -> dict[str, Any]:
    """As the stage finds them in its files."""
    tables = {}
    for name in ("categories", "cosines", "map", "examples"):
        save_table(found[name], f"{folder}/{name}.csv")
        tables[name] = load_table(f"{folder}/{name}.csv")
    save_scalars(found["json"], f"{folder}/json.json")
    return tables | {"json": load_scalars(f"{folder}/json.json")}


def draw(results: dict[str, Any], **change: Any) -> tuple[Figure, str]:
    use_style()
    settings = settings_of(draw_differences, **SETTINGS | change)
    return draw_differences(as_drawn(DIFFERENCES, results), "a model of a long name", **settings)


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
    boxes = [ax.get_tightbbox() for ax in figure.axes]
    assert len(boxes) == 5
    for box in boxes:
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width
    biases = boxes[BIAS:COSINES]
    assert all(boxes[MAP].x1 <= box.x0 for box in biases)
    assert boxes[COSINES].y1 <= boxes[MAP].y0
    assert boxes[COSINES].y1 <= biases[-1].y0
    # The label of the middle one stands beside all of them.
    panels = [ax.get_window_extent() for ax in figure.axes[BIAS:COSINES]]
    for upper, lower in pairwise(panels):
        assert lower.y1 <= upper.y0


def test_the_matrix_has_the_raw_cosines_of_both_triangles(results, drawn):
    ax = drawn[0].axes[COSINES]
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert sorted(names) == sorted(OFFSETS)
    assert [label.get_text() for label in ax.get_xticklabels()] == names
    image = np.ma.filled(ax.collections[0].get_array().astype(float), np.nan)
    for row in shown(results, "cosines").to_dict("records"):
        one, two = names.index(row["category_1"]), names.index(row["category_2"])
        assert image[two, one] == image[one, two] == row["cosine"]
    assert np.isnan(np.diagonal(image)).all()
    low, high = ax.collections[0].get_clim()
    assert -low == high >= np.nanmax(np.abs(image))


def test_alike_categories_stand_beside_each_other(drawn):
    names = [label.get_text() for label in drawn[0].axes[COSINES].get_yticklabels()]
    assert abs(names.index("female-male") - names.index("doctor-nurse")) == 1


def test_cosines_of_small_q_values_are_bold(results, drawn):
    texts = drawn[0].axes[COSINES].texts
    bold = sorted(text.get_text() for text in texts if text.get_fontweight() == "bold")
    rows = shown(results, "cosines").query("q_value < 0.05")
    assert bold == sorted([f"{value:.2f}".replace("-", "−") for value in rows["cosine"]] * 2)
    assert 0 < len(bold) < len(texts)
    figure, _ = draw(results, bold_q_value=1e-9)
    assert {text.get_fontweight() for text in figure.axes[COSINES].texts} == {"normal"}


def test_the_title_names_the_largest_cosines_or_says_that_there_are_none(results, drawn):
    rows = shown(results, "cosines").query("q_value < 0.05")
    largest = rows.loc[rows["cosine"].abs().idxmax()]
    words = " ".join(drawn[0].get_suptitle().split())
    assert f"are aligned or opposed in {len(rows)} of 10 pairs of categories" in words
    relation = "with" if largest["cosine"] > 0 else "against"
    said = f"{largest['category_1']} {relation} {largest['category_2']} ({largest['cosine']:.2f})"
    said = said.replace("(-", "(−")
    assert said in words
    figure, _ = draw(results, bold_q_value=1e-9)
    assert "none of 10 cosines" in " ".join(figure.get_suptitle().split())


def test_the_subtitle_has_the_number_of_pairs(drawn):
    words = " ".join(" ".join(text.get_text() for text in drawn[0].texts).split())
    assert "40 pairs of sentences in 5 categories" in words
    assert "layer 2, first token" in words


def test_many_categories_have_no_numbers(tmp_path):
    offsets = {f"c{number}-d": AXES[number] for number in range(14)}
    figure, _ = draw(results_of(measure(planted(offsets, 3)), tmp_path))
    assert not figure.axes[COSINES].texts


def test_the_bias_is_drawn_for_each_pooling_with_its_interval_and_its_own_null(results, drawn):
    rows = results["cosines"].query("category_1 == 'female-male' & category_2 == 'doctor-nurse'")
    for number, (pooling, look) in enumerate(POOLINGS.items()):
        ax = drawn[0].axes[BIAS + number]
        each = rows[rows["pooling"] == pooling]
        line = ax.lines[0]
        assert np.array_equal(line.get_ydata(), each["cosine"])
        assert (line.get_color(), line.get_marker()) == (look.color, look.marker)
        assert ax.get_title("left").lower() == look.name.lower()
        for band, column in zip(ax.collections, ("null_cosine", "cosine"), strict=True):
            heights = band.get_paths()[0].vertices[:, 1]
            assert heights.min() == pytest.approx(each[f"{column}_low"].min())
            assert heights.max() == pytest.approx(each[f"{column}_high"].max())
    assert drawn[0].axes[BIAS + 1].get_ylabel() == "cosine of female-male with doctor-nurse"


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
