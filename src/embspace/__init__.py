"""Geometry of the embedding spaces of BERT-family models.

>>> import embspace
>>> s = embspace.spaces("minilm", ["The tide was out.", "Bread needs salt."])
>>> s
Spaces(model='minilm', texts=2, layers=7, dimension=384)
>>> s["input"].shape, s["layer", 4].shape, s["layer", 4, "mean"].shape
((30522, 384), (13, 384), (2, 384))
>>> list(s.tokens["token"][:4])
['[CLS]', 'the', 'tide', 'was']
>>> s.table("similarity")                          # as the command `embspace run similarity` makes
>>> embspace.geometry.mean_cosine(s["layer", 4])   # measures of any vectors
>>> embspace.report_vectors("glove.npy")           # tables of your own vectors

`help(embspace.Spaces)` lists the spaces of a model, `dir(embspace.geometry)` the measures, and the
command `embspace define two_nn` explains a measure. The packages below hold the stages of the
pipeline and their shared code.
"""

import lazy_loader

from embspace.files.compiled import let_compiled_code_be_kept

let_compiled_code_be_kept()

# A name is loaded when it is first used: a stage that imports embspace needs none of them.
_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("embspace")
    return _load(name)
