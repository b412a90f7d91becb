"""What a loaded model makes of texts: tensors by name, in memory or, if large, on disk."""

import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embspace.clouds.pooling import SENTENCE
from embspace.errors import InputError
from embspace.loaded.given import encoded_by, reading
from embspace.loaded.model import LoadedModel
from embspace.loaded.settings_read import settings_in
from embspace.settings.params import CONF
from embspace.settings.roots import cache_folder

if TYPE_CHECKING:
    import pandas as pd

    from embspace.extract.hidden_states import HiddenStates
    from embspace.models.windows import TextRows

SETTINGS = CONF / "extract/hidden_states.yaml"
IN_MEMORY = 2**30  # bytes of the states of tokens that are kept in memory; more are in a file
PADDING = 64  # tokens of a batch at most, which take about as long as another batch does
QUIET = 2  # seconds before progress is shown


@dataclass(frozen=True, eq=False)
class States:
    """The tensors (layer, row, dim) of texts by name, and the tables of the rows."""

    tensors: dict[str, np.ndarray]
    rows: "TextRows"

    @property
    def windows(self) -> "pd.DataFrame":
        """Return the rows of pooled states."""
        return self.rows.windows

    @property
    def tokens(self) -> "pd.DataFrame":
        """Return the rows of the states of tokens."""
        return self.rows.tokens


def read_states(
    loaded: LoadedModel,
    texts: Sequence[str],
    root: Path,
    settings: Mapping[str, Any],
    *,
    token_states: bool = True,
) -> States:
    """Return the states of all layers of all texts, numbered from 1.

    `settings` replace settings of conf/extract/hidden_states.yaml. On a CPU, unless `settings` have
    `tokens_per_batch`, batches have less padding than in a stage, and therefore different rounding.
    Tensors too large for `IN_MEMORY` lie in a temporary file of the user's cache, which is removed
    together with the array. Without `token_states` only pooled states are kept.

    Raises:
        InputError: if a text cannot be read, or a state is not finite; if the disk is full.
    """
    import pandas as pd

    from embspace.device import choose_device
    from embspace.extract.hidden_states import extract_hidden_states, with_sentences

    table = pd.DataFrame({"id": [str(n + 1) for n in range(len(texts))], "text": list(texts)})
    used = {**settings_in(root / SETTINGS), "device": loaded.device, **settings}
    model, module, tokenizer = loaded.description, loaded.module, loaded.tokenizer
    with chdir(root), reading(loaded):
        states = extract_hidden_states(model, module, tokenizer, table, token_states, **used)
        if "tokens_per_batch" not in settings and choose_device(used["device"]) == "cpu":
            states = _less_padded(states, loaded, used)
        states = with_sentences(states, loaded.modules, model, module, tokenizer, list(texts), used)
        tensors = _collected(states)
        if loaded.encoder is not None and loaded.modules is None:
            tensors[SENTENCE] = encoded_by(loaded.encoder, texts)[None]
    return States(tensors, states.rows)


def save_states(states: States, path: str) -> None:
    """Write states under the names of the files of `save_hidden_states`."""
    from embspace.files.rows import save_rows
    from embspace.files.tensors import writing_tensors

    shapes = {name: tensor.shape for name, tensor in states.tensors.items()}
    with writing_tensors(f"{path}.safetensors", shapes) as writer:
        for name, tensor in states.tensors.items():
            for layer, rows in enumerate(tensor):
                writer.write(name, layer, 0, rows)
    save_rows(states.tokens, f"{path}.tokens.parquet")
    save_rows(states.windows, f"{path}.windows.parquet")


def _less_padded(
    states: "HiddenStates", loaded: LoadedModel, used: Mapping[str, Any]
) -> "HiddenStates":
    """Return the same states but for rounding, of batches of lengths more alike than a stage's."""
    from embspace.device import choose_device
    from embspace.models.encoder import batches_by_length, encode

    cut, norm = states.rows.cut, loaded.description.final_norm
    lengths = [len(window.ids) for window in cut]
    batches = batches_by_length(lengths, used["tokens_per_batch"], most_padding=PADDING)
    encoded = encode(loaded.module, cut, batches, choose_device(used["device"]), norm)
    return replace(states, encoded=encoded)


def joined(first: States, second: States, n_texts: int) -> States:
    """Return the states of the texts of both; those of `second` are numbered on from `n_texts`."""
    from embspace.models.windows import TextRows

    new = [replace(window, text=window.text + n_texts) for window in second.rows.cut]
    names = [str(number + 1) for number in range(n_texts + len(second.rows.names))]
    return States(
        {
            name: np.concatenate([tensor, second.tensors[name]], axis=1)
            for name, tensor in first.tensors.items()
        },
        # Texts that are not read, as too little of them is known, have no tokenizer.
        TextRows([*first.rows.cut, *new], names, first.rows.tokenizer or second.rows.tokenizer),
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
