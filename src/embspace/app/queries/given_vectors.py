"""A user's own vectors, as spaces without a model."""

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from jaxtyping import Float

from embspace.app.api import Spaces
from embspace.app.queries.shown import as_list
from embspace.app.queries.space_keys import MatrixKey
from embspace.app.queries.texts_asked import checked_texts
from embspace.errors import InputError, not_among

if TYPE_CHECKING:
    import pandas as pd

    from embspace.app.queries.shown import ShownTables

GIVEN = "given"


class GivenVectors(Spaces):
    """The result of `spaces(vectors=...)`: `s["given"]`, and tables of these vectors by noun.

    Access to attributes of a model, as `tokens` or `attention`, is an `InputError`.
    """

    def __init__(self, vectors: Any, texts: Iterable[str] | None) -> None:
        """Take vectors (n, dim), an array, a tensor, a data frame or lists, and a text per vector.

        Raises:
            InputError: if the vectors are no finite matrix, or the number of texts differs.
        """
        from embspace.app.vectors import as_vectors

        self._x = as_vectors(vectors).copy()  # tables are computed later
        self._names = None if texts is None else checked_texts(texts)
        n, self.model, self.texts = len(self._x), GIVEN, len(self._names or ())
        if self._names is not None and self.texts != n:
            raise InputError(f"texts: found {self.texts}, allowed: {n}, one for each vector")

    def __repr__(self) -> str:
        """Return the sizes."""
        n, dimension = self._x.shape
        return f"Spaces(vectors={n}, texts={self.texts}, {dimension=})"

    def _repr_html_(self) -> str:
        """Return a description of the vectors for a notebook."""
        return as_list(repr(self), {'s["given"]': "the vectors", 's.table("similarity")': "tables"})

    def __getitem__(self, key: MatrixKey) -> Float[np.ndarray, "n dim"]:
        """Return the vectors, a copy in float32.

        Raises:
            KeyError: for any key except "given".
        """
        if key != GIVEN:
            raise KeyError(f"found {key!r}; there is {GIVEN!r}")
        return self._x.copy()

    def table(self, noun: str, name: str | None = None) -> "pd.DataFrame":
        """Return a table of `embspace.report_vectors`; the texts are the labels of the vectors.

        Raises:
            KeyError: if the table does not exist.
            InputError: for too few vectors.
        """
        if name is not None or noun not in self._reported:
            wanted = noun if name is None else f"{noun}, {name}"
            raise KeyError(not_among(wanted, [*self._reported]))
        return self._reported[noun].copy()

    @cached_property
    def _reported(self) -> "ShownTables":
        from embspace.app.vectors import report_vectors

        return report_vectors(self._x, labels=self._names)

    def _stop(self) -> NoReturn:
        raise InputError(
            "vectors were given without a model, which is needed here; there are s['given'] and "
            "s.table(...). With a model: embspace.spaces(model, texts)"
        )

    # Everything else that `Spaces` has goes through one of these.
    _loaded = _texts = _states = _learned = _words = _tables = property(_stop)
