"""Pure mathematics on (n, dim) arrays: no disk, no configuration, no plot.

A name is loaded when it is first used, so that importing one measure does not compile another.
The names are listed in `__init__.pyi`: what people call. All else is imported from its module.
"""

import warnings
from typing import Any

import lazy_loader

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
_load_moved, _, _MOVED = lazy_loader.attach_stub(
    __name__, __file__.replace("__init__.py", "_moved.pyi")
)


def __getattr__(name: str) -> Any:
    if name not in _MOVED:
        return _load(name)
    value = _load_moved(name)
    warnings.warn(
        f"embspace.geometry.{name}: write `from {value.__module__} import {name}`; the next "
        "release has it there alone",
        DeprecationWarning,
        stacklevel=2,
    )
    return value
