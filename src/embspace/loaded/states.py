"""What a loaded model makes of texts: tensors by name, in memory or, if they are large, on disk."""

import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embspace.clouds.pooling import SENTENCE
from embspace.errors import InputError
from embspace.loaded.given import encoded_by, reading
from embspace.loaded.model import LoadedModel
from embspace.settings.params import CONF
from embspace.settings.roots import cache_folder
from embspace.settings.schema import read_yaml

if TYPE_CHECKING:
    import pandas as pd

    from embspace.extract.hidden_states import HiddenStates

SETTINGS = CONF / "extract/hidden_states.yaml"
IN_MEMORY = 2**30  # bytes of the states of tokens that are kept in memory; more are in a file
QUIET = 2  # seconds before progress is shown


@dataclass(frozen=True, eq=False)
class States:
    """The tensors (layer, row, dim) of texts by name, and the tables of their rows."""

    tensors: dict[str, np.ndarray]
    windows: "pd.DataFrame"
    tokens: "pd.DataFrame"


def read_states(
    loaded: LoadedModel,
    texts: Sequence[str],
    root: Path,
    settings: Mapping[str, Any],
    *,
    token_states: bool = True,
) -> States:
    """Return the states of all layers of all texts, numbered from 1.

    `settings` stand in the place of conf/extract/hidden_states.yaml's. What does not fit into
    `IN_MEMORY` is a temporary file of the user's cache, which is gone with the array. Without
    `token_states` only pooled ones are kept.

    Raises:
        InputError: if a text cannot be read, or a state is not finite; if the disk is full.
    """
    import pandas as pd

    from embspace.extract.hidden_states import extract_hidden_states, with_sentences

    table = pd.DataFrame({"id": [str(n + 1) for n in range(len(texts))], "text": list(texts)})
    used = {**read_yaml(root / SETTINGS), "device": loaded.device, **settings}
    model, module, tokenizer = loaded.description, loaded.module, loaded.tokenizer
    with chdir(root), reading(loaded):
        states = extract_hidden_states(model, module, tokenizer, table, token_states, **used)
        states = with_sentences(states, loaded.modules, model, module, tokenizer, list(texts), used)
        tensors = _collected(states)
        if loaded.encoder is not None:
            tensors[SENTENCE] = encoded_by(loaded.encoder, texts)[None]
    return States(tensors, states.windows, states.tokens)


def joined(first: States, second: States, n_texts: int) -> States:
    """Return the states of the texts of two, those of `second` numbered on from `n_texts`."""
    import pandas as pd

    n_windows, n_tokens = len(first.windows), len(first.tokens)
    windows = second.windows.assign(
        text=[str(int(text) + n_texts) for text in second.windows["text"]],
        first_token=second.windows["first_token"] + n_tokens,
    )
    tokens = second.tokens.assign(window=second.tokens["window"] + n_windows)
    return States(
        {
            name: np.concatenate([tensor, second.tensors[name]], axis=1)
            for name, tensor in first.tensors.items()
        },
        pd.concat([first.windows, windows], ignore_index=True),
        pd.concat([first.tokens, tokens], ignore_index=True),
    )


def _collected(states: "HiddenStates") -> dict[str, np.ndarray]:
    from embspace.extract.hidden_states import written_rows

    tensors = {name: _empty(shape) for name, shape in states.shapes.items()}
    for name, first, layers in written_rows(states, delay=QUIET):
        tensors[name][:, first : first + layers.shape[1]] = layers
    return tensors


def _empty(shape: tuple[int, int, int]) -> np.ndarray:
    """Return a float32 array to be filled: in memory, or in a file without a name."""
    n_bytes = 4 * math.prod(shape)
    if n_bytes <= IN_MEMORY:
        return np.empty(shape, np.float32)
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - the array keeps it open
        # Unlike `truncate`, this fails now on a disk that is full, and not where it is filled.
        for part in _parts(n_bytes):
            file.write(part)
        file.flush()
    except OSError as error:
        raise InputError(
            f"{folder}: {error.strerror}; the states of the tokens take {n_bytes / 2**30:.1f} GiB "
            "there; read fewer texts at once"
        ) from None
    return np.memmap(file, np.float32, "r+", shape=shape)


def _parts(n_bytes: int, size: int = 2**26) -> Iterator[bytes]:
    yield from (bytes(min(size, n_bytes - start)) for start in range(0, n_bytes, size))
