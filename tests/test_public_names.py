"""What users import from embspace."""

from importlib.metadata import version
from pathlib import Path
from pkgutil import iter_modules

import pytest

import embspace


def test_no_public_name_is_that_of_a_package():
    # Once a package is imported, it stands in the place of the name that is loaded on demand.
    packages = {module.name for module in iter_modules(embspace.__path__)}
    assert packages & {*embspace.__all__} == {"geometry"}  # which is meant itself


def test_what_people_look_for_first_is_there():
    assert embspace.geometry.mean_cosine([[1.0, 0.0], [2.0, 0.0]]) == pytest.approx(1)
    with pytest.raises(ValueError, match="x: expected vectors.*rows of several lengths"):
        embspace.geometry.mean_cosine([[1.0, 0.0], [2.0]])
    assert embspace.__version__ == version("embspace")
    with pytest.raises(AttributeError, match="foo"):
        embspace.foo  # noqa: B018


def test_help_opens_with_the_example_of_the_readme(root: Path):
    readme = (root / "README.md").read_text(encoding="utf-8")
    opening = embspace.__doc__.splitlines()[2:4]
    for line in opening:
        assert line.removeprefix(">>> ") in readme
