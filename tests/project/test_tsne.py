import pytest

from embspace.project.tsne import project_tsne
from tests.project.groups import assert_better_than_chance, assert_groups_stay_apart, projected
from tests.project.settings import TSNE


@pytest.fixture(scope="module")
def found():
    return projected(project_tsne, TSNE)


def test_maps_show_what_is_there(found):
    assert_groups_stay_apart(found)
    assert_better_than_chance(found)


def test_equal_input_gives_equal_maps(found):
    again = projected(project_tsne, TSNE)
    assert again.maps.coordinates.equals(found.maps.coordinates)
    assert again.seeds.equals(found.seeds)
