from typing import Any

import numpy as np
import pytest

from embspace.draw.learned.nearest_neighbors import VECTORS, draw_nearest_neighbors
from embspace.draw.page.saving import Results
from embspace.measure.learned.nearest_neighbors import (
    NEAREST_NEIGHBORS,
    measure_nearest_neighbors,
)
from tests.analyses import as_drawn
from tests.draw.fits import assert_words_fit
from tests.measure.learned.test_nearest_neighbors import SETTINGS
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of

QUANTILES = [0.05, 0.5, 0.95]


@pytest.fixture(scope="module")
def results():
    return results_of(random_matrices())


def results_of(matrices: dict[str, Any]) -> Results:
    settings = {**SETTINGS, "quantiles": QUANTILES}
    found = measure_nearest_neighbors(matrices, vocabulary_of(120), regimes_of(30), **settings)
    return as_drawn(NEAREST_NEIGHBORS, found | {VECTORS: matrices})


@pytest.fixture(scope="module")
def drawn(results):
    return draw_nearest_neighbors(
        results, "a model of a long name", height_mm=75.0, n_hubs=2, digits=2
    )


def test_occurrences_and_distances_are_those_of_the_tables(results, drawn):
    occurrence, distances = drawn[0].axes
    rows = results["occurrence"]
    joint = rows[rows["cloud"] == "joint"]
    line = occurrence.lines[0]
    assert 0 not in line.get_xdata()  # no place on a logarithm
    for times, share in zip(line.get_xdata(), line.get_ydata(), strict=True):
        assert share == joint.loc[joint["k_occurrence"] >= times, "count"].sum() / 150
    first = results["summary"].iloc[0]
    span = [first["quantile_0.05"], first["quantile_0.95"]]
    assert distances.lines[0].get_xdata() == pytest.approx(span)


def test_the_title_names_the_hub(results, drawn):
    first, k = results["hubs"].iloc[0], results["occurrence"]["k"].max()
    name = f"position {first['id']}" if first["space"] == "positional" else first["token"]
    said = f"The vector of {name} is among the {k} nearest by distance of"
    said += f" {first['k_occurrence']} of 150 vectors"
    assert drawn[0].get_suptitle().strip() == said


def test_a_vector_of_length_zero_is_no_hub_of_the_title():
    matrices = random_matrices()
    matrices["input"][7] = 0
    results = results_of(matrices)
    hubs = results["hubs"]
    zero, second = (row for _, row in hubs[:2].iterrows())
    assert (zero["space"], zero["id"]) == ("input", 7)
    name = f"position {second['id']}" if second["space"] == "positional" else second["token"]
    figure, _ = draw_nearest_neighbors(results, "x", height_mm=75.0, n_hubs=2, digits=2)
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith(f"The vector of {name} is among")
    assert title.endswith(f"; {zero['token']}, of length zero, left out")
    assert any("(length zero)" in each.get_text() for each in figure.axes[0].texts)


def test_random_neighbors_are_beside(results, drawn):
    k = int(results["occurrence"]["k"].max())
    (null,) = (line for line in drawn[0].axes[0].lines if "random" in str(line.get_label()))
    assert null.get_ydata()[0] == pytest.approx(1 - np.exp(-k))


def test_the_subtitle_says_how_many_of_what(drawn):
    words = " ".join(" ".join(text.get_text() for text in drawn[0].texts).split())
    for part in ("exact, from all pairs", "150 tokens and positions", "30 structured positions"):
        assert part in words


def test_of_positions_the_structured_ones_alone_are_drawn(drawn):
    names = [line.get_label() for line in drawn[0].axes[0].lines]
    assert "structured positions" in names
    assert "positions" not in names


def test_without_structured_positions_all_are_drawn(results):
    tables = {name: results[name] for name in NEAREST_NEIGHBORS.tables}
    kept = {name: rows[rows["cloud"] != "structured"] for name, rows in tables.items()}
    drawn = as_drawn(NEAREST_NEIGHBORS, results.tables, **kept)
    figure, _ = draw_nearest_neighbors(drawn, "tiny", height_mm=75.0, n_hubs=2, digits=2)
    assert "positions" in [line.get_label() for line in figure.axes[0].lines]


def test_the_table_lists_the_first_hubs_of_each_cloud(results, drawn):
    assert drawn[1].count("## Hubs: ") == 4
    assert f"`{results['hubs'].iloc[0]['token']}`" in drawn[1]


def test_the_words_fit(drawn):
    assert_words_fit(drawn[0])
