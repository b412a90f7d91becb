from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.draw.words.evolution_shared import draw_evolution_shared
from tests.draw.fits import assert_words_fit
from tests.draw.words.evolved import assert_says_why_it_is_empty, tables_of, title_of, words_of
from tests.measure.words.test_evolution import module as module  # a fixture

TABLE = "evolution/shared_steps"


def draw(results: dict[str, Any]):
    return draw_evolution_shared(results, "a model of a long name", height_mm=95.0, digits=3)


@pytest.fixture(scope="module")
def results(module) -> dict[str, pd.DataFrame]:
    return tables_of(module, "shared_steps", "views")


@pytest.fixture(scope="module")
def figure(results):
    return draw(results)[0]


def test_shared_energy_of_each_set_and_the_band_of_the_null(figure, results):
    ax, table = figure.axes[0], results[TABLE]
    steps = table[table["last_layer"] - table["first_layer"] == 1].set_index("tokens")
    lines = [line.get_ydata() for line in ax.lines]
    assert np.array_equal(lines[0], steps.loc["a", "shared_energy"])
    assert np.array_equal(lines[1], steps.loc["a", "random_weights_shared_energy"])
    assert np.array_equal(lines[2], steps.loc["b", "shared_energy"])
    assert np.array_equal(lines[3], steps.loc["some", "shared_energy"])
    band, interval = (collection.get_paths()[0].vertices[:, 1] for collection in ax.collections)
    assert band.min() == steps.loc["a", "null_shared_energy_low"].min()
    assert interval.max() == steps.loc["some", "shared_energy_high"].max()


def test_the_whole_way_stands_beside_its_own_null_and_random_weights(figure, results):
    ax, table = figure.axes[1], results[TABLE]
    ways = table[table["last_layer"] - table["first_layer"] > 1]
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names[:2] == ["“a”, 0 to 2", "“a”, 0 to 3"]
    row = ways.iloc[0]
    null, random, _, value = ax.lines[:4]
    assert null.get_xdata() == pytest.approx(
        [row["null_shared_energy_low"], row["null_shared_energy_high"]]
    )
    assert random.get_xdata()[0] == row["random_weights_shared_energy"]
    assert value.get_xdata()[0] == row["shared_energy"]


def test_the_title_is_filled_from_the_first_text(results):
    table = results[TABLE].assign(null_shared_energy=-0.001, random_weights_shared_energy=0.5)
    first = table["tokens"] == "a"
    is_step = table["last_layer"] - table["first_layer"] == 1
    for low, high, said in ((0.1, 0.6, "10 to 60 %"), (0.2, 0.2, "20 %")):
        given = table.assign(shared_energy=0.9)
        given.loc[first, "shared_energy"] = low
        given.loc[first & (given["last_layer"] == 1), "shared_energy"] = high
        title = title_of(draw(results | {TABLE: given})[0])
        n_less = int((given.loc[first & is_step, "shared_energy"] < 0.5).sum())
        assert f"“a” share {said} of the energy of a step, those of some 90 %" in title
        assert "random weights: 50 %" in title
        assert title.endswith(f"more in {n_less} of 3 steps")


def test_the_figure_names_stage_and_population(figure):
    assert "“a”: 7 tokens" in words_of(figure)
    assert "some: 30 tokens" in words_of(figure)
    assert figure.get_label() == "measure_evolution"
    assert_words_fit(figure)


def test_without_tokens_the_figure_says_why(results):
    assert_says_why_it_is_empty(draw, results)
