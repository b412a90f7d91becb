"""Documents, the independent units of a corpus; texts and windows are parts of documents."""

from collections.abc import Mapping
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
import pandas as pd
from jaxtyping import Shaped


@runtime_checkable
class OfDocuments(Protocol):
    """Vectors of the texts of a corpus, with the documents of the texts."""

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        ...


Measured = TypeVar("Measured", bound=OfDocuments)


def count_documents(document: Shaped[np.ndarray, " window"]) -> int:
    """Return the number of different documents that windows belong to."""
    return int(pd.Series(document).nunique())


def large_enough(corpora: Mapping[str, Measured], fewest_documents: int) -> dict[str, Measured]:
    """The corpora with at least `fewest_documents` documents; fewer have no distribution."""
    return {
        name: corpus for name, corpus in corpora.items() if corpus.n_documents >= fewest_documents
    }


def some_documents(texts: pd.DataFrame, most: int | None) -> pd.DataFrame:
    """Return the texts of at most `n` documents, spread evenly over the corpus.

    Corpora of the same documents in the same order, as articles and their sentences, keep the same
    documents.
    """
    if most is None or texts["document"].nunique() <= most:
        return texts
    document, names = pd.factorize(texts["document"])
    kept = np.linspace(0, len(names) - 1, most).round().astype(np.int64)
    return texts[np.isin(document, kept)].reset_index(drop=True)
