import numpy as np
import pytest

from embspace.geometry.groups.stable_clusters import Search
from embspace.geometry.pairs.directions import unit_rows
from embspace.measure.open_questions.islands.places import (
    Islands,
    are_alike,
    islands_of_map,
    islands_of_space,
)
from tests.geometry.groups.test_density_clusters import clouds
from tests.measure.open_questions.islands.planted import MAPS

HOW = Search(smallest=16, n_density=5, n_half_samples=6, share=0.9, jaccard=0.75)
TSNE = {key: value for key, value in MAPS.items() if key != "preparations"}


def test_planted_clouds_stand_and_a_gaussian_has_none():
    for x, n in ((clouds()[0], 3), (np.random.default_rng(0).normal(size=(240, 6)), 0)):
        islands = islands_of_space(
            x.astype(np.float32), HOW, 40, 1, np.random.default_rng(0), on_sphere=False
        )
        assert islands.stands.sum() == n
        assert np.isnan(islands.other_seed).all()


def test_an_island_that_the_map_alone_has_is_not_on_a_map_of_another_seed():
    rng = np.random.default_rng(1)
    x = unit_rows(rng.normal(size=(150, 10)).astype(np.float32))
    layout = rng.normal(size=(150, 2)) + 30 * (np.arange(150) % 2)[:, np.newaxis]
    islands = islands_of_map(x, layout, HOW, 40, 2, TSNE, 0, rng)
    assert islands.n == 2
    assert not islands.stands.any()
    assert (islands.other_seed < 0.75).all()
    assert islands.null["n_standing"] <= 2


@pytest.mark.parametrize(
    ("recurs", "n_clouds", "stability"),
    [
        ([], 0, "no islands"),
        ([1, 1], 0, "all stand"),
        ([1, 0], 0, "some stand"),
        ([0, 0], 1, "none stands"),
        ([1, 0], 1, "undecided"),
    ],
)
def test_islands_that_recur_as_those_of_gaussian_clouds_do_are_undecided(
    recurs: list[int], n_clouds: int, stability: str
):
    marks = np.array(recurs, dtype=bool)
    islands = Islands(np.zeros(4), marks, marks, {"n_standing": n_clouds}, marks)
    assert islands.stability == stability
    assert islands.stands.sum() == sum(recurs) * (not n_clouds)


def test_vectors_that_differ_by_rounding_are_alike():
    x = np.ones((5, 3), np.float32)
    assert are_alike(x)
    x[0, 0] = 1.1
    assert not are_alike(x)
