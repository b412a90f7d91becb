import pytest

from embspace.draw.page.maps.panels import panels_of_maps, population, unstructured_positions
from tests.draw.page.maps.results import results_of
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices


@pytest.fixture(scope="module")
def results():
    return results_of(random_matrices(), regimes_of(30, outlying=[0, 7]))


def test_a_panel_has_the_rows_and_the_quality_of_its_cloud(results):
    panels = panels_of_maps(results)
    clouds = ["joint", "joint_centered", "positional", "structured"]
    assert [panel.cloud for panel in panels] == clouds
    assert [panel.is_positional for panel in panels] == [False, False, True, True]
    for panel in panels:
        rows = results["quality"].query(f"cloud == '{panel.cloud}' and n_axes == 2")
        assert panel.quality["neighbor_recall"] == rows["neighbor_recall"].item()


def test_tokens_have_a_kind_and_positions_have_none(results):
    rows = panels_of_maps(results)[0].rows
    assert set(rows.loc[rows["space"] == "input", "kind"]) == {"word", "number", "special"}
    assert set(rows.loc[rows["space"] == "positional", "kind"]) == {""}


def test_the_first_cloud_is_counted(results):
    assert population(results["parquet"]) == "120 tokens, 30 positions"


def test_unstructured_positions_are_those_that_one_cloud_lacks(results):
    assert unstructured_positions(results["parquet"]) == {0, 7}
    rows = results["parquet"].query("cloud == 'joint'")
    assert unstructured_positions(rows) == set()
