from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from embspace.draw.page.canvas import sentence_case
from embspace.draw.page.saving import Results
from embspace.draw.positional.regimes import draw_regimes
from embspace.measure.learned.similarity import measure_similarity
from embspace.measure.positional.regimes import REGIMES, measure_regimes
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.geometry.planted import noise, planted_table, smooth_table
from tests.measure.positional.test_regimes import SETTINGS
from tests.measure.vectors import vocabulary_of

QUANTITIES = ("norm", "euclidean_distance", "dot_product", "cosine")


def matrices_of(x: np.ndarray) -> dict[str, np.ndarray]:
    return {"input": noise(70, x.shape[1], seed=9), "positional": x}


def results_of(found: dict[str, Any], matrices: dict[str, np.ndarray]) -> Results:
    few = {"n_bins": 256, "n_histogram_bins": 20, "n_pairs": 1, "quantiles": [0.01, 0.5, 0.99]}
    settings = settings_of(measure_similarity, **few)
    similarity = measure_similarity(matrices, vocabulary_of(70), **settings)
    beside = {
        "similarity/summary": similarity["summary"],
        "similarity/histogram": similarity["histogram"],
    }
    return as_drawn(REGIMES, found | beside)


def drawn_of(results: Results):
    settings = settings_of(draw_regimes, digits=3)
    return draw_regimes(results, "a model of a long name", **settings)


def measured(x: np.ndarray, **changed: object) -> Results:
    matrices = matrices_of(x)
    return results_of(measure_regimes(matrices, **{**SETTINGS, **changed}), matrices)


@pytest.fixture(scope="module")
def planted():
    return measured(planted_table())


@pytest.fixture(scope="module")
def drawn(planted):
    return drawn_of(planted)


def test_positions_outlying_ones_and_bounds_are_those_of_the_tables(planted, drawn):
    along = drawn[0].axes[0]
    inside, outside = along.lines
    positions = planted["positions"]
    kept = positions[~positions["outlying"]]
    assert inside.get_xdata().tolist() == kept["position"].tolist()
    assert inside.get_ydata().tolist() == kept["neighbor_cosine"].tolist()
    assert outside.get_xdata().tolist() == [200]
    bound = "random vectors: upper bound of the mean"
    assert [text.get_text() for text in along.texts] == ["200", bound]
    means = [segment[0][1] for segment in along.collections[0].get_segments()]
    assert means == planted["summary"]["mean_neighbor_cosine"].tolist()


def panel_of(figure: Figure, quantity: str) -> Axes:
    title = {"norm": "Euclidean norm"}.get(quantity, sentence_case(quantity.replace("_", " ")))
    return [ax for ax in figure.axes if ax.get_title("left") == title][-1]


def test_each_change_stands_with_its_p_value_at_its_position(planted, drawn):
    changes = planted["summary"].query("start_p_value.notna()")
    upright = [text for ax in drawn[0].axes for text in ax.texts if text.get_rotation() == 90]
    assert len(upright) == planted["json"]["n_changes"] == 2
    for text, start in zip(upright, changes["first_position"], strict=True):
        assert text.get_text().startswith(f"{start}, p ")
        assert text.get_position()[0] == pytest.approx(start, abs=3)


def rows_of(table: Any, column: str, value: str, quantity: str) -> list[float]:
    return table[(table[column] == value) & (table["quantity"] == quantity)]["density"].tolist()


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_tokens_and_the_structured_positions_are_drawn(planted, drawn, quantity):
    expected = [
        rows_of(planted["similarity/histogram"], "space", "input", quantity),
        rows_of(planted["histogram"], "positions", "without_unstructured", quantity),
        rows_of(planted["token_histogram"], "positions", "without_unstructured", quantity),
        rows_of(planted["histogram"], "positions", "all", quantity),
    ]
    outlines = [
        patch.get_data().values.tolist()
        for patch in panel_of(drawn[0], quantity).patches
        if not patch.get_fill()
    ]
    assert outlines == [each for each in expected if each]
    assert len(outlines) == (3 if quantity == "norm" else 4)  # a pair has no norm


def test_the_legend_says_which_positions_are_meant(drawn):
    (legend,) = drawn[0].legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "token embeddings",
        "position embeddings without the unstructured",
        "token-position pairs without the unstructured",
        "all positions",
    ]


def test_named_positions_are_left_out_and_named_so():
    results = measured(smooth_table(seed=5), unstructured_positions=[384, 511])
    figure, text = drawn_of(results)
    assert "128 positions named unstructured" in " ".join(each.get_text() for each in figure.texts)
    assert text.count("| without_unstructured |") == 4 + 3
    assert_words_fit(figure)


def test_the_subtitle_says_what_was_found(planted, drawn):
    words = " ".join(text.get_text() for text in drawn[0].texts)
    n = planted["json"]["n_unstructured_positions"]
    for part in ("a model of a long name", "512 positions", "outlying: 1", "changes of regime: 2"):
        assert part in words
    assert f"{n} positions unstructured" in words


def test_the_title_names_what_lies_apart(drawn):
    words = " ".join(drawn[0].get_suptitle().split())
    assert words == "1 position of 512 lies apart (200); 2 changes of regime along the others"


def test_the_tables_name_the_outlier_and_the_false_alarms(planted, drawn):
    text = drawn[1]
    assert "|        200 |" in text
    rate = planted["json"]["false_alarm_rate"]
    assert f"{100 * rate:.1f} % had a change" in text
    assert text.count("| True ") == 1


def test_where_there_is_no_noise_it_says_so():
    figure, _ = drawn_of(measured(smooth_table(seed=5)))
    assert "unstructured: none found" in " ".join(text.get_text() for text in figure.texts)
    assert len(figure.axes) == 2
    assert not figure.legends
    assert_words_fit(figure)
