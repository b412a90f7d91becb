import subprocess
import sys

import pytest

import embspace.geometry


def test_every_public_name_is_there():
    for name in embspace.geometry.__all__:
        assert getattr(embspace.geometry, name).__name__ == name
    assert dir(embspace.geometry) == embspace.geometry.__all__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'cosinus'"):
        embspace.geometry.cosinus  # noqa: B018


def test_importing_the_package_compiles_nothing():
    code = "import sys, embspace.geometry; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
