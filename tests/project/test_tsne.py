from embspace.project.tsne import project_tsne
from tests.project.groups import assert_better_than_chance, assert_groups_stay_apart, projected
from tests.project.settings import TSNE

DECIDED_BY_SEED = ("x", "y")  # the layouts


def test_maps_show_what_is_there():
    tables = projected(project_tsne, TSNE)
    assert_groups_stay_apart(tables)
    assert_better_than_chance(tables)
