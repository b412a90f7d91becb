"""Geometry of the embedding spaces of BERT-family models.

A name is loaded when it is first used: a stage that imports embspace needs none of them. The names
are listed in `__init__.pyi`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
