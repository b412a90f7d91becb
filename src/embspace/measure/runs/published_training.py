"""What analyses of a published training read, and how documents of the texts are chosen."""

from pathlib import Path

import numpy as np
import pandas as pd

from embspace.analysis import Source
from embspace.files.rows import load_rows
from embspace.files.scalars import load_scalars
from embspace.files.tables import Row
from embspace.models.checkpoints import PublishedCheckpoint, published_checkpoints
from embspace.settings.model import Model


def fetched_checkpoints(pins: str, name: str, model: Model) -> list[PublishedCheckpoint]:
    """Return the published checkpoints whose steps stand in the file `pins`."""
    steps = load_scalars(pins)
    return [point for point in published_checkpoints(name, model) if str(point.step) in steps]


READ: dict[str, str | Source] = {
    "name": Source(lambda name, _: name),
    "model": Source(lambda _, model: model),
    "checkpoints": Source(
        fetched_checkpoints, "data/prepared/checkpoints/{model}.json", described=True
    ),
    "texts": Source(
        lambda path: {Path(path).stem: load_rows(path)}, "data/prepared/texts/{corpus}.parquet"
    ),
}


def place_of(checkpoint: PublishedCheckpoint) -> Row:
    """Return the columns that tell the rows of a checkpoint apart.

    Runs of ours have several seeds and phases; makers publish one of each.
    """
    return {"seed": 0, "phase": "pretraining", "step": checkpoint.step}


def some_documents(texts: pd.DataFrame, n_documents: int) -> pd.DataFrame:
    """Return the texts of `n_documents` documents at equal distances, or of all if fewer."""
    documents = texts["document"].drop_duplicates().to_numpy()
    n = min(n_documents, len(documents))
    kept = documents[np.linspace(0, len(documents) - 1, n).round().astype(int)]
    return texts[texts["document"].isin(kept)].reset_index(drop=True)
