from embspace.project.umap import project_umap
from tests.project.groups import assert_better_than_chance, assert_groups_stay_apart, projected
from tests.project.settings import UMAP


def test_maps_show_what_is_there():
    found = projected(project_umap, UMAP)
    assert_groups_stay_apart(found)
    assert_better_than_chance(found)
