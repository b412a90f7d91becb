import pytest

from embspace.draw.umap import draw_umap
from tests.draw.fits import assert_words_fit
from tests.project.test_umap import projected, two_groups


@pytest.fixture(scope="module")
def found():
    return projected(two_groups())


@pytest.fixture(scope="module")
def drawn(found):
    results = {
        "parquet": found.maps.coordinates,
        "quality": found.maps.quality,
        "one_dimensionality": found.maps.one_dimensionality,
        "seeds": found.seeds,
    }
    return draw_umap(results, "a model of a long name", height_mm=165.0, digits=3)


def test_the_figure_names_its_stage_and_fits(drawn):
    assert drawn[0].get_supxlabel() == "project_umap → draw"
    assert_words_fit(drawn[0])


def test_the_table_tells_what_the_seed_does(found, drawn):
    assert "## What the seed does" in drawn[1]
    assert f"{found.seeds['neighbor_overlap'].iloc[0]:.3f}" in drawn[1]
