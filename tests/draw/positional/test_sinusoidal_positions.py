import io
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.draw.page.saving import Results
from embspace.draw.positional.positions import by_frequency
from embspace.draw.positional.sinusoidal_positions import (
    POSITION_NULLS,
    _finding,
    _walk_row,
    draw_sinusoidal_positions,
)
from embspace.measure.positional.sinusoidal_positions import (
    SINUSOIDAL_POSITIONS,
    measure_sinusoidal_positions,
)
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.geometry.planted import helix
from tests.measure.positional.test_sinusoidal_positions import DIM, SETTINGS, N
from tests.measure.regimes import regimes_of

DRAW = settings_of(draw_sinusoidal_positions, longest_offset=20, limit_quantile=0.9)


def results_of(matrices: dict[str, np.ndarray], n: int, **change: Any) -> Results:
    regimes = regimes_of(n, outlying=[0])
    sinusoids = measure_sinusoidal_positions(matrices, regimes, **SETTINGS | change)
    return as_drawn(SINUSOIDAL_POSITIONS, sinusoids, **{POSITION_NULLS: NULL_ROWS})


WALKS = {"null_value": 0.18, "null_value_low": 0.04, "null_value_high": 0.38}
NULL_ROWS = pd.DataFrame(
    [
        {"measure": "translation_invariance", "null": "random_walk", "largest_offset": 4, **WALKS},
        {"measure": "translation_invariance", "null": "random_walk", "largest_offset": 99, **WALKS},
    ]
)


@pytest.fixture(scope="module")
def results() -> Results:
    return results_of({"positional": helix(N, dim=DIM)}, N)


@pytest.fixture(scope="module")
def drawn(results):
    return draw_sinusoidal_positions(results, "a model of a long name", **DRAW)


NAMES = ("sinusoidal", "learned")


def test_matrices_and_cosines_are_those_of_the_tensors(results, drawn):
    axes = drawn[0].axes
    for column, name in enumerate(NAMES):
        matrix, cosines = (axes[column + 2 * row].images[0] for row in (0, 1))
        x = results["safetensors"][name]
        halves = np.hstack([x[:, 1::2][:, ::-1], x[:, ::2][:, ::-1]])
        expected = by_frequency(x) if name == "learned" else halves
        assert np.array_equal(matrix.get_array(), expected)
        assert np.array_equal(cosines.get_array(), results["safetensors"][f"{name}_cosines"])
        assert cosines.get_clim() == (-1, 1)
    learned = np.abs(results["safetensors"]["learned"])
    assert axes[1].images[0].get_clim()[1] == pytest.approx(np.quantile(learned, 0.9))


def test_each_row_of_maps_has_one_color_bar(drawn):
    bars = [ax for ax in drawn[0].axes if ax.get_label() == "<colorbar>"]
    limit = drawn[0].axes[1].images[0].get_clim()[1]
    assert [ax.get_ylabel() for ax in bars] == [f"component (b: × {limit:.2g})", "cosine"]


def test_profiles_are_those_of_the_table_and_the_formula_is_dotted(results, drawn):
    for ax, name in zip(drawn[0].axes[4:6], NAMES, strict=True):
        rows = results["profiles"].query("encoding == @name and offset <= 20")
        assert np.array_equal(ax.lines[0].get_xdata(), rows["offset"])
        assert np.array_equal(ax.lines[0].get_ydata(), rows["mean"])
        band = ax.collections[0].get_paths()[0].vertices[:, 1]
        assert band.min() == rows["minimum"].min()
        assert band.max() == rows["maximum"].max()
        assert len(ax.lines) == (2 if name == "sinusoidal" else 1)
        assert ax.get_ylim()[0] < rows["minimum"].min()
    assert drawn[0].axes[4].lines[1].get_linestyle() == ":"


def test_the_table_has_a_column_an_encoding_and_a_dash_where_nothing_is(results, drawn):
    text = drawn[1]
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    for name in (*NAMES, "sinusoidal_as_printed", "learned_structured"):
        assert name.replace("_", " ") in rows[0]
    assert len(rows) == 1 + len(results["properties"].query("encoding == 'sinusoidal'"))
    size = f"{np.sqrt(DIM / 2):.4g}"
    assert any(line.startswith("| mean norm") and size in line for line in rows)
    assert any("offsets up to 4" in line for line in rows)
    assert any(line.startswith("| adjacent neighbor share") for line in rows)
    assert next(line for line in rows if "shortest wavelength" in line).count("–") == 2
    assert "nan" not in text


def test_files_stay_small():
    noise = np.random.default_rng(0).normal(size=(160, 768)).astype(np.float32)
    results = results_of({"positional": noise}, 160, n_shown=128, n_shuffles=1)
    figure, _ = draw_sinusoidal_positions(results, "tiny", **DRAW | {"longest_offset": 128})
    for suffix in ("png", "svg", "pdf"):
        stream = io.BytesIO()
        figure.savefig(stream, format=suffix, dpi=200)
        assert len(stream.getvalue()) < 800_000, suffix


def test_words(drawn):
    assert_words_fit(drawn[0])
    assert drawn[0].get_label() == "measure_sinusoidal_positions"
    words = " ".join(text.get_text() for text in drawn[0].texts)
    assert f"n = {N} positions in {DIM} dimensions" in words
    assert "explains 100 % of the variance of sinusoidal" in drawn[0].get_suptitle()
    assert "the first 16" in words


def test_the_null_is_that_of_the_offset_that_the_title_names():
    row = {"property": "translation_invariance", "encoding": "learned", "value": 0.48}
    properties = pd.DataFrame([row | {"largest_offset": offset} for offset in (4, 99, 200)])
    nulls = NULL_ROWS.assign(null_value=[0.3, 0.18])
    walks = _walk_row(nulls, properties, 128)
    assert walks is not None and walks["null_value"] == 0.18
    assert _walk_row(nulls, properties, 200) is None
    assert _walk_row(nulls, properties.assign(value=np.nan), 128) is None


@pytest.mark.parametrize(("share", "words"), [(0.48, "less"), (0.2, "as much"), (0.03, "more")])
def test_walks_have_less_or_more_beyond_their_interval_alone(share: float, words: str):
    shares = pd.Series({"sinusoidal": 1.0, "learned": share})
    title = _finding(shares, pd.Series(WALKS))
    assert title.endswith(f"of that of learned ones, {words} in random walks")
