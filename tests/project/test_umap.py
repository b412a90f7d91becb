from embspace.project.umap import project_umap
from tests.project.groups import assert_better_than_chance, assert_groups_stay_apart, projected
from tests.project.settings import UMAP

DECIDED_BY_SEED = ("x", "y")  # the layouts


def test_maps_show_what_is_there():
    tables = projected(project_umap, UMAP)
    assert_groups_stay_apart(tables)
    assert_better_than_chance(tables)
