import json

import pytest

from embspace.errors import InputError
from embspace.models.wheels.needed import needed


def test_what_is_installed_is_imported():
    assert needed("json") is json


def test_what_lacks_is_named_with_what_installs_it():
    with pytest.raises(InputError, match=r"(?s)nobody_has_it is needed.*pip install .*wheels"):
        needed("nobody_has_it")
