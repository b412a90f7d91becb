"""What users import from embspace."""

from pkgutil import iter_modules

import embspace


def test_no_public_name_is_that_of_a_package():
    # Once a package is imported, it stands in the place of the name that is loaded on demand.
    assert {module.name for module in iter_modules(embspace.__path__)}.isdisjoint(embspace.__all__)
