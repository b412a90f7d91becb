import numpy as np
import pandas as pd
import pytest

from embspace.draw.page.maps.quality import finding, map_tables
from tests.draw.page.maps.results import results_of
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices


@pytest.fixture(scope="module")
def results():
    return results_of(random_matrices(), regimes_of(30, outlying=[0, 7]))


def test_the_title_says_what_the_best_map_keeps(results):
    quality = results["quality"].assign(neighbor_recall=[0.1, 0.34, 0.5, 0.4])
    said = finding({"quality": quality}, "UMAP")
    words = "UMAP keeps at best 34 % of the nearest neighbors"
    assert said == f"{words}, and 50 % of those among positions"
    said = finding({"quality": quality[:2]}, "UMAP")
    assert said == "UMAP keeps at best 34 % of the nearest neighbors"


def test_the_tables_have_a_row_a_map_and_what_the_model_has(results):
    text = map_tables(results, "tiny", "UMAP", "project_umap", 3)
    assert text.startswith("# Maps of tiny by UMAP\n\nStage `project_umap`.\n")
    quality = text.partition("<details>")[0]
    assert quality.count("\n| ") == 1 + len(results["quality"])
    assert "## One-dimensionality of the positions" in text
    assert "seed" not in text


def test_seeds_are_compared_where_several_were_tried(results):
    columns = ("n_seeds", "neighbor_overlap", "smallest_neighbor_overlap")
    columns += ("largest_neighbor_overlap", "chance_neighbor_overlap")
    seeds = pd.DataFrame({"cloud": ["joint"], "n": [150]} | {name: [0.5] for name in columns})
    text = map_tables({**results, "seeds": seeds}, "tiny", "UMAP", "project_umap", 3)
    assert "## What the seed does" in text
    assert "One-dimensionality by seed" not in text
    lines = seeds.assign(
        **{
            f"{end}_{quantity}": np.float64(0.875)
            for end in ("median", "smallest", "largest")
            for quantity in ("order_correlation", "adjacent_neighbor_share")
        }
    )
    text = map_tables({**results, "seeds": lines}, "tiny", "UMAP", "project_umap", 3)
    assert text.partition("## One-dimensionality by seed")[2].count("0.875") == 6
