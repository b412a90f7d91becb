"""The pooled hidden states of the texts of a corpus, as a cloud per layer and pooling."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.clouds.documents import count_documents
from embspace.clouds.pooling import POOLINGS
from embspace.files.rows import load_rows
from embspace.files.tensors import load_tensors

# Where the states of a model's texts lie, and the texts themselves.
TEXT_FOLDERS = ("data/extracted/hidden_states/{model}", "data/prepared/texts")
COLUMNS = ["text", "window", "n_tokens", "document", "domain", "subject"]


@dataclass(frozen=True, eq=False)
class TextCloud:
    """A vector per window of a text, by pooling and layer, with the windows' table."""

    states: dict[str, Float[np.ndarray, "layer window dim"]]
    windows: pd.DataFrame
    """A row per window: text, window, n_tokens, document, domain, subject."""

    @property
    def n_documents(self) -> int:
        """Return the number of independent units: windows of the same text count once."""
        return count_documents(self.windows["document"].to_numpy())


def text_cloud(
    states: dict[str, np.ndarray], windows: pd.DataFrame, texts: pd.DataFrame
) -> TextCloud:
    """Return the cloud of texts: the states of a corpus, with the tables of windows and texts."""
    about = texts.drop_duplicates("id").set_index("id")[["document", "domain", "subject"]]
    return TextCloud(states, windows.join(about, on="text")[COLUMNS])


def load_text_clouds(extracted: str, prepared: str, corpora: Iterable[str]) -> dict[str, TextCloud]:
    """Return the clouds by corpus, from the folders of a model's states and of all texts."""
    return {
        corpus: text_cloud(
            load_tensors(f"{extracted}/{corpus}.safetensors", POOLINGS),
            load_rows(f"{extracted}/{corpus}.windows.parquet"),
            load_rows(f"{prepared}/{corpus}.parquet"),
        )
        for corpus in corpora
    }
