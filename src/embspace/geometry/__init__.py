"""Pure mathematics on (n, dim) arrays: no disk, no configuration, no plot.

A name is loaded when it is first used, so that importing one measure does not compile another.
The names are listed in `__init__.pyi`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
