import pytest

from embspace.errors import InputError
from embspace.settings.params import Params
from embspace.settings.roles import (
    Role,
    corpora_in_roles,
    corpus_in_role,
    one_role_each,
    open_role,
    taken_roles,
)
from embspace.settings.schema import validate

GIVEN = {"models": ["m"], "corpora": ["a"], "profiled": [], "trained": []}
GIVEN |= {"seed": 0, "device": "cpu"}
BOTH: dict[Role, str] = {"long_texts": "a", "short_texts": "b"}


def test_a_role_in_braces_is_the_corpus_that_has_it():
    assert corpus_in_role("{long_texts}", BOTH) == "a"
    assert corpus_in_role("long_texts", BOTH) == "long_texts"
    assert corpora_in_roles(["{short_texts}", "c"], BOTH) == ["b", "c"]
    assert corpus_in_role("{sentences_of_long_texts}", BOTH) == "{sentences_of_long_texts}"


def test_a_name_in_braces_is_open():
    assert open_role("{short_texts}") == "short_texts"
    assert (open_role("posts"), open_role(3)) == (None, None)


def test_a_role_is_taken_by_a_corpus_that_is_read():
    assert taken_roles(BOTH, ["b", "c"]) == {"short_texts": "b"}


def test_a_corpus_has_one_role():
    assert one_role_each(BOTH) == BOTH
    twice = {"roles": {"long_texts": "a", "short_texts": "a"}}
    with pytest.raises(InputError, match="key 'roles': A corpus has one role, and 'a' has 2"):
        validate(Params, GIVEN | twice, "params.yaml")


def test_another_role_is_not_known():
    with pytest.raises(InputError, match=r"params\.yaml: key 'roles\.long.*'long_texts'"):
        validate(Params, GIVEN | {"roles": {"long": "a"}}, "params.yaml")


def test_without_the_key_no_corpus_has_a_role():
    assert validate(Params, GIVEN, "params.yaml").roles == {}
