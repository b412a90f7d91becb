"""Holds the names of groups of parameters to the groups that models have."""

from embspace.draw.page.parameter_groups import GROUPS
from embspace.models.parameters.groups import parameter_groups
from tests.models.parameters.known import known_parameters


def test_every_group_has_a_name_of_its_own() -> None:
    assert set(parameter_groups(known_parameters(0))) <= set(GROUPS)
    assert len(set(GROUPS.values())) == len(GROUPS)
