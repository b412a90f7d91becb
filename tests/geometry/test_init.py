import subprocess
import sys
from importlib import import_module

import pytest

import embspace.geometry
from embspace.geometry.measures.registry import definitions

LIBRARIES = {"numba", "numpy", "pandas", "scipy", "sklearn", "torch"}


def test_every_public_name_is_there():
    for name in embspace.geometry.__all__:
        assert getattr(embspace.geometry, name).__name__ == name
    assert dir(embspace.geometry) == embspace.geometry.__all__


def test_the_face_is_what_people_call():
    assert 50 <= len(embspace.geometry.__all__) <= 70
    assert set(definitions()) < set(embspace.geometry.__all__)


@pytest.mark.parametrize("name", sorted(embspace.geometry._MOVED))
def test_a_name_that_moved_says_where_it_is(name: str):
    with pytest.warns(DeprecationWarning, match=rf"from embspace\.geometry\.\S+ import {name}`"):
        value = getattr(embspace.geometry, name)
    assert getattr(import_module(value.__module__), name) is value
    assert name not in dir(embspace.geometry)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="attribute cosinus"):
        embspace.geometry.cosinus  # noqa: B018


def test_importing_the_package_loads_no_library():
    code = f"import sys, embspace.geometry; print(*{LIBRARIES} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.split() == []
