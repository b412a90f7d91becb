"""Pure mathematics on (n, dim) arrays: no disk, no configuration, no plot.

A name is loaded at first use: importing a measure compiles no further measure. `__init__.pyi` lists
the public names; import the rest from the modules.
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
