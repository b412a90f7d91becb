import io
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.draw.page.saving import Results
from embspace.draw.positional.positions import by_frequency, draw_positions
from embspace.measure.positional.positions import POSITIONS, measure_positions
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.positional.test_positions import SETTINGS as MEASURE
from tests.measure.positional.test_positions import regimes_of

SETTINGS = settings_of(draw_positions, n_profiles=3, profile_length=8, limit_quantile=0.9)


def results_of(matrices: dict[str, np.ndarray], regimes: pd.DataFrame) -> Results:
    positions = measure_positions(matrices, regimes, **MEASURE)
    n = len(regimes)
    along = regimes.assign(norm=np.linalg.norm(matrices["positional"], axis=1))
    ends = {"first_position": [0, n // 2], "last_position": [n // 2 - 1, n - 1]}
    spans = pd.DataFrame({**ends, "mean_norm": [3.25, 3.5], "unstructured": False})
    facts = {"n_simulations": 300, "false_alarm_rate": 0.01}
    further = {"regimes/positions": along, "regimes/summary": spans, "regimes/.json": facts}
    return as_drawn(POSITIONS, positions | further)


def draw(results: Results, **change: Any):
    return draw_positions(results, "a model of a long name", **SETTINGS | change)


def vectors(n: int, dim: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, dim)).astype(np.float32)


@pytest.fixture(scope="module")
def results() -> Results:
    return results_of({"positional": vectors(40, 12)}, regimes_of(40, (0,), (3, 39)))


@pytest.fixture(scope="module")
def drawn(results):
    return draw(results)


def test_the_heat_maps_show_the_matrix_and_its_cosines(results, drawn):
    matrix, cosines = (ax.images[0] for ax in drawn[0].axes[:2])
    tensors = results["safetensors"]
    assert np.array_equal(matrix.get_array(), by_frequency(tensors["positional"]))
    assert np.array_equal(cosines.get_array(), tensors["cosines"])
    assert cosines.get_clim() == (-1, 1)
    low, high = matrix.get_clim()
    assert low == -high
    assert np.mean(np.abs(tensors["positional"]) <= high) == pytest.approx(0.9, abs=0.01)


def test_columns_stand_in_the_order_of_their_frequency():
    positions = np.arange(64)[:, np.newaxis]
    frequencies = np.array([9, 3, 20, 1])
    x = np.cos(2 * np.pi * positions * frequencies / 64)
    assert np.array_equal(by_frequency(x), x[:, [3, 1, 0, 2]])


def test_one_wild_value_does_not_wash_out_the_others():
    x = vectors(40, 12)
    x[7, 7] = 1e6
    figure, _ = draw(results_of({"positional": x}, regimes_of(40)))
    assert figure.axes[0].images[0].get_clim()[1] < 3


def test_by_offset_there_are_the_next_structured_positions(results, drawn):
    cosines = results["safetensors"]["cosines"]
    for position, line in zip((1, 2, 4), drawn[0].axes[2].lines[:3], strict=True):
        assert line.get_xdata().tolist() == list(range(1, 9))
        others = position + line.get_xdata()
        left_out = np.isin(others, [0, 3, 39])
        assert np.isnan(line.get_ydata()[left_out]).all()
        assert np.array_equal(line.get_ydata()[~left_out], cosines[position, others[~left_out]])


def test_the_mean_profile_is_on_top(results, drawn):
    line = drawn[0].axes[2].lines[-1]
    profile = results["profiles"][:8]
    assert np.array_equal(line.get_xdata(), profile["offset"])
    assert np.array_equal(line.get_ydata(), profile["mean"])


def test_the_strip_has_the_norms_the_regimes_and_the_names_of_what_is_beyond():
    x = vectors(40, 12)
    x[[7, 30, 31]] *= 100
    results = results_of({"positional": x}, regimes_of(40, (7, 30, 31)))
    strip = draw(results)[0].axes[3]
    norm = results["regimes/positions"]["norm"]
    shown = dict(zip(*strip.lines[0].get_data(), strict=True))
    assert not {7, 30, 31} & {*shown}
    assert all(norm[position] == value for position, value in shown.items())
    words = [text.get_text() for text in strip.texts]
    assert {f"7: {norm[7]:.2f} ↑", f"30–31: {norm[30]:.2f}, {norm[31]:.2f} ↑"} <= {*words}
    assert {"mean 3.250", "mean 3.500"} <= {*words}
    assert (
        strip.get_title("left")
        == "Norm: 2 regimes, changes at 20; of 300 stationary tables 3 have any"
    )


def test_the_title_says_what_the_offset_explains_or_that_it_does_not(results, drawn):
    properties = results["properties"]
    assert "no more than in shuffled order" in " ".join(drawn[0].get_suptitle().split())
    figure, _ = draw(as_drawn(POSITIONS, results.tables, properties=properties.assign(value=0.75)))
    title = " ".join(figure.get_suptitle().split())
    assert "explains 75 % of the variance of near positions' cosines, in shuffled order" in title
    chance = title.rpartition("order ")[2].removesuffix("; norms lie in regimes (d)")
    assert title.endswith("; norms lie in regimes (d)")
    said = figure.axes[2].texts[0].get_text()
    assert f"up to 4 apart 75 %, in shuffled order {chance}" in said
    nulls = results["nulls"]
    walks = nulls[nulls["measure"] == nulls["measure"].iloc[0]].assign(
        measure="translation_invariance", largest_offset=4, null_value=0.05
    )
    given = {"properties": properties.assign(value=0.75), "nulls": walks}
    figure, _ = draw(as_drawn(POSITIONS, results.tables, **given))
    assert " ".join(figure.get_suptitle().split()).endswith(
        "cosines, in random walks 5 %; norms lie in regimes (d)"
    )


def test_regimes_without_structure_are_none_of_the_title(results):
    properties = results["properties"].assign(value=0.75)
    regimes = results["regimes/summary"].assign(unstructured=[False, True])
    given = {"properties": properties, "regimes/summary": regimes}
    figure, _ = draw(as_drawn(POSITIONS, results.tables, **given))
    assert "regimes" not in figure.get_suptitle()


def test_the_subtitle_says_model_n_and_what_was_left_out(drawn):
    words = " ".join(" ".join(text.get_text() for text in drawn[0].texts).split())
    for part in ("a model of a long name", "40 positions", "3 outlying or unstructured", "raw"):
        assert part in words
    assert drawn[0].get_label() == "measure_positions"


def test_no_mark_of_another_model_is_on_the_figure():
    figure = draw(results_of({"positional": vectors(200, 12)}, regimes_of(200)))[0]
    assert not figure.axes[1].texts and not figure.axes[1].lines
    assert not any("Luisto" in ax.get_title() for ax in figure.axes)


def test_the_table_has_all_properties(results, drawn):
    _, text = drawn
    assert sum(line.startswith("| ") for line in text.splitlines()) == 1 + 12 + 1 + len(
        results["nulls"]
    )
    assert "translation invariance" in text


def test_without_structured_positions_there_is_no_panel_by_offset(results):
    bare = results_of(
        {"positional": vectors(40, 12)}, regimes_of(40, unstructured=tuple(range(40)))
    )
    figure, _ = draw(bare)
    titles = [ax.get_title("left") or ax.get_title() for ax in figure.axes]
    assert "Cosine by offset" not in titles and any("Norm" in title for title in titles)
    assert figure.get_figheight() < draw(results)[0].get_figheight()
    assert_words_fit(figure)
    words = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    assert words.endswith("40 positions, all without structure")


def test_files_of_noise_stay_small():
    # Nothing compresses worse; 512 positions of BERT base.
    positions = measure_positions({"positional": vectors(40, 12)}, regimes_of(40), **MEASURE)
    noise = np.clip(vectors(512, 512) / 3, -1, 1)
    tensors = {"positional": vectors(512, 768), "cosines": noise, "structured": np.ones(512)}
    beside = results_of({"positional": vectors(40, 12)}, regimes_of(40)).tables
    results = as_drawn(POSITIONS, {**beside, **positions}, safetensors=tensors)
    figure, _ = draw(results, profile_length=128, limit_quantile=0.99)
    for suffix in ("png", "svg", "pdf"):
        stream = io.BytesIO()
        figure.savefig(stream, format=suffix, dpi=200)
        assert len(stream.getvalue()) < 800_000, suffix


def test_the_words_fit(drawn):
    assert_words_fit(drawn[0])
