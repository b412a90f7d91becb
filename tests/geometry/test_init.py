import subprocess
import sys

import pytest

import embspace.geometry

LIBRARIES = {"numba", "numpy", "pandas", "scipy", "sklearn", "torch"}


def test_every_public_name_is_there():
    for name in embspace.geometry.__all__:
        assert getattr(embspace.geometry, name).__name__ == name
    assert dir(embspace.geometry) == embspace.geometry.__all__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="attribute cosinus"):
        embspace.geometry.cosinus  # noqa: B018


def test_importing_the_package_loads_no_library():
    code = f"import sys, embspace.geometry; print(*{LIBRARIES} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.split() == []
