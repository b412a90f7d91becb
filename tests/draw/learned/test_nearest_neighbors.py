from typing import Any

import pytest

from embspace.draw.learned.nearest_neighbors import VECTORS, draw_nearest_neighbors
from embspace.draw.page.saving import Results
from embspace.measure.learned.nearest_neighbors import (
    NEAREST_NEIGHBORS,
    measure_nearest_neighbors,
)
from tests.analyses import as_drawn
from tests.measure.learned.test_nearest_neighbors import SETTINGS
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of

QUANTILES = [0.05, 0.5, 0.95]


@pytest.fixture(scope="module")
def results():
    return results_of(random_matrices())


def results_of(matrices: dict[str, Any]) -> Results:
    settings = {**SETTINGS, "quantiles": QUANTILES}
    neighbors = measure_nearest_neighbors(matrices, vocabulary_of(120), regimes_of(30), **settings)
    return as_drawn(NEAREST_NEIGHBORS, neighbors | {VECTORS: matrices})


@pytest.fixture(scope="module")
def drawn(results):
    return draw_nearest_neighbors(results, "a model of a long name", n_hubs=2, digits=2)


def test_the_finding_names_the_hub_and_its_share(results, drawn):
    first, k = results["hubs"].iloc[0], results["occurrence"]["k"].max()
    name = f"position {first['id']}" if first["space"] == "positional" else first["token"]
    said = f"The vector of {name} is among the {k} nearest by distance of"
    said += f" {first['k_occurrence']} of 150 vectors, "
    assert drawn[0].startswith(said)
    share = float(drawn[0].removeprefix(said).removesuffix(" %"))
    assert share == pytest.approx(100 * first["k_occurrence"] / 150, rel=0.05)


def test_a_vector_of_length_zero_is_no_hub_of_the_finding():
    matrices = random_matrices()
    matrices["input"][7] = 0
    results = results_of(matrices)
    hubs = results["hubs"]
    zero, second = (row for _, row in hubs[:2].iterrows())
    assert (zero["space"], zero["id"]) == ("input", 7)
    name = f"position {second['id']}" if second["space"] == "positional" else second["token"]
    finding, _ = draw_nearest_neighbors(results, "x", n_hubs=2, digits=2)
    assert finding.startswith(f"The vector of {name} is among")
    assert finding.endswith(f"; {zero['token']}, of length zero, left out")


def test_the_table_lists_the_first_hubs_of_each_cloud(results, drawn):
    assert drawn[1].count("## Hubs: ") == 4
    assert f"`{results['hubs'].iloc[0]['token']}`" in drawn[1]
