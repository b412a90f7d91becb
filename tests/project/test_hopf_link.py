from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.errors import InputError
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.project.circles import circle_quality
from embspace.project.hopf_link import KEYS, project_hopf_link
from tests.analyses import settings_of

SETTINGS = settings_of(
    project_hopf_link,
    n_points=40,
    perplexities=[5.0],
    early_exaggeration_iter=100,
    n_iter=200,
    n_neighbors=[10],
    n_epochs=100,
    n_runs=2,
    quality_n_neighbors=6,
    n_shuffles=50,
)
FEW = {key: SETTINGS[key] for key in ("n_points", "perplexities", "n_iter", "n_neighbors")}
FEW |= {"n_runs": 1, "min_dists": [], "n_shuffles": 50}
DECIDED_BY_SEED = (  # the layouts
    *("n_linearly_separable", "n_closed_rings", "trustworthiness", "continuity"),
    *("neighbor_recall", "same_circle_share", "largest_step_ratio", "ring_neighbor_share"),
    *("ring_order_correlation", "smallest_ring_order_correlation", "x", "y", "z"),
)
MAPS = 1 + 1 + 2 * (1 + 2)  # space, PCA, and two runs of t-SNE and of UMAP twice


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return project_hopf_link(**SETTINGS)


def rows_of(outcome: Outcome, link: str, method: str) -> pd.DataFrame:
    quality = outcome["quality"]
    return quality[(quality["link"] == link) & (quality["method"] == method)]


def test_linking_numbers_are_those_that_are_known(outcome):
    links = outcome["links"].set_index("link")
    assert abs(links.loc["linked", "linking_number"]) == pytest.approx(1)
    assert links.loc["unlinked", "linking_number"] == pytest.approx(0, abs=1e-12)
    # Side by side at 3, unit circles come as near as 1; with 40 points a corner each is there.
    assert links.loc["unlinked", "smallest_distance"] == pytest.approx(1)


def test_space_is_a_faithful_map_of_itself_in_which_only_unlinked_circles_can_be_parted(outcome):
    for link, separable in (("linked", 0), ("unlinked", 1)):
        (row,) = rows_of(outcome, link, "space").to_dict("records")
        kept = ["trustworthiness", "continuity", "neighbor_recall", "same_circle_share"]
        kept += ["ring_neighbor_share", "ring_order_correlation", "largest_step_ratio"]
        assert [row[name] for name in kept] == pytest.approx([1] * len(kept))
        assert row["n_linearly_separable"] == separable
        assert row["n_closed_rings"] == 2


def test_pca_lays_linked_circles_across_each_other(outcome):
    (linked,) = rows_of(outcome, "linked", "pca").to_dict("records")
    (unlinked,) = rows_of(outcome, "unlinked", "pca").to_dict("records")
    assert linked["n_linearly_separable"] == 0
    assert linked["same_circle_share"] < 1
    assert unlinked["n_linearly_separable"] == 1
    assert linked["n_closed_rings"] == unlinked["n_closed_rings"] == 2


def test_pca_is_the_plane_of_the_largest_variance(outcome):
    points = outcome["parquet"][outcome["parquet"]["link"] == "linked"]
    space = points[points["method"] == "space"][["x", "y", "z"]].to_numpy(dtype=float)
    plane = points[points["method"] == "pca"][["x", "y"]].to_numpy(dtype=float)
    # Along the first axis 1/2 of a circle and 1/4 of the centers, then a bisector of the planes.
    cosine = np.cos(np.deg2rad(75))
    assert np.var(space, axis=0).sum() == pytest.approx(1.25, rel=1e-5)
    assert np.var(plane, axis=0) == pytest.approx([0.75, (1 + cosine) / 4], rel=1e-5)
    assert points[points["method"] == "pca"]["z"].isna().all()


def test_t_sne_parts_linked_circles_and_keeps_both_rings(outcome):
    (row,) = rows_of(outcome, "linked", "tsne").to_dict("records")
    assert row["n_linearly_separable"] == row["n_runs"] == 2
    assert row["n_closed_rings"] == row["n_rings"] == 4
    assert row["same_circle_share"] > 1.5 * row["chance_same_circle_share"]


def test_every_setting_has_its_row_and_every_map_its_points(outcome):
    assert len(outcome["quality"]) == 2 * (1 + 1 + 1 + 2)
    assert not outcome["quality"].duplicated(KEYS).any()
    assert len(outcome["parquet"]) == 2 * MAPS * 80
    assert (outcome["parquet"].groupby(["link", "circle", "point"]).size() == MAPS).all()
    assert not outcome["parquet"].duplicated([*KEYS, "run", "circle", "point"]).any()


def test_chance_is_that_of_points_and_orders_dealt_at_random(outcome):
    row = outcome["quality"].iloc[0]
    assert row["chance_same_circle_share"] == pytest.approx(39 / 79)
    assert row["chance_neighbor_recall"] == pytest.approx(6 / 79)
    assert row["chance_ring_neighbor_share"] == pytest.approx(2 / (39 * 38))
    assert row["null_ring_order_correlation"] == pytest.approx(1.5 / 40, rel=0.4)
    assert row["null_ring_order_correlation_high"] > row["null_ring_order_correlation"]


def test_a_row_is_made_of_its_runs(outcome):
    key = "link == 'linked' and method == 'umap' and min_dist == 0.8"
    (row,) = outcome["quality"].query(key).to_dict("records")
    x = outcome["parquet"].query("link == 'linked' and method == 'space'")[["x", "y", "z"]]
    x = x.to_numpy(dtype=float)
    graph = scan_pairs(x, n_neighbors=79).neighbors
    assert graph is not None
    runs = [
        circle_quality(
            x,
            points[["x", "y"]].to_numpy(dtype=float),
            graph,
            n_neighbors=6,
            largest_closed_step=5.0,
        )
        for _, points in outcome["parquet"].query(key).groupby("run")
    ]
    assert len(runs) == row["n_runs"] == 2
    for name in ("trustworthiness", "neighbor_recall", "ring_neighbor_share"):
        assert row[name] == pytest.approx(np.mean([run[name] for run in runs]), abs=1e-3)
    for name in ("linearly_separable", "n_closed_rings"):
        assert row[f"n_{name.removeprefix('n_')}"] == sum(run[name] for run in runs)
    orders = [run["ring_order_correlation"] for run in runs]
    assert row["smallest_ring_order_correlation"] == pytest.approx(min(orders), abs=1e-3)
    assert row["largest_step_ratio"] == pytest.approx(
        np.median([run["largest_step_ratio"] for run in runs]), rel=1e-3
    )


def test_runs_differ_by_their_seed_and_equal_seeds_do_not(outcome):
    rows = outcome["parquet"].query("link == 'linked' and method == 'tsne'")
    first, second = (rows[rows["run"] == run]["x"].to_numpy() for run in (0, 1))
    assert not np.array_equal(first, second)
    assert project_hopf_link(**SETTINGS)["parquet"].equals(outcome["parquet"])
    other = project_hopf_link(**SETTINGS | {"seed": 1})
    assert not other["parquet"].equals(outcome["parquet"])


def test_a_map_that_forgets_everything_is_at_chance(monkeypatch):
    def noise(graph, start, *, seed: int, **settings: float) -> np.ndarray:
        return np.random.default_rng(seed).normal(size=start.shape)

    monkeypatch.setattr("embspace.project.hopf_link.tsne_layout", noise)
    outcome = project_hopf_link(**SETTINGS | {"n_runs": 20, "min_dists": []})
    (row,) = rows_of(outcome, "linked", "tsne").to_dict("records")
    chance = [name for name in row if name.startswith("chance_")]
    assert len(chance) == 5
    for name in chance:
        assert row[name.removeprefix("chance_")] == pytest.approx(row[name], abs=0.03)
    assert row["n_linearly_separable"] == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"perplexities": [5.0, 27.0]}, "'perplexities': found 27.0, allowed: at most 26.3333"),
        ({"n_neighbors": [81]}, "'n_neighbors': found 81, allowed: at most 80 for 80 points"),
    ],
)
def test_more_neighbors_than_there_are_is_refused(change: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        project_hopf_link(**SETTINGS | change)
