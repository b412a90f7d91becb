"""The windows of a corpus at a layer and pooling, and texts of a user among them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.app.queries.default_pooling import (
    WITHOUT_LAYER,
    Layers,
    allowed_poolings,
    default_pooling,
)
from embspace.clouds.pooling import FIRST_LAST, SENTENCE, SQRT, TOKEN_POOLINGS, pooled
from embspace.errors import InputError, counted, not_among
from embspace.settings.params import read_params

if TYPE_CHECKING:
    from embspace.loaded.model import LoadedModel
    from embspace.loaded.reference import Reference
    from embspace.models.encoder import EncodedWindow
    from embspace.models.windows import Window


class HasWindows(Protocol):
    """A holder of a table of windows, made perhaps at the first access."""

    @property
    def windows(self) -> pd.DataFrame:
        """Return a row a window."""
        ...


FEWEST = 20  # texts of a corpus that others are held against
USUAL = "articles"  # the corpus of a query that names none


def corpus_of(corpus: str | None) -> str:
    """Return the requested corpus, or else the usual corpus, or the first of params.yaml."""
    if corpus is not None:
        return corpus
    known = read_params().corpora
    return USUAL if USUAL in known else known[0]


def corpus_like(texts: Sequence[str]) -> str:
    """Return the corpus of params.yaml with texts about as long as `texts`, in characters.

    Corpora without texts at hand are left out, and corpora with too few texts for pairs.
    """
    from embspace.loaded.reference import text_lengths

    wanted = np.log(np.mean([len(text) for text in texts]))
    lengths: dict[str, float] = {}
    for name in read_params().corpora:
        try:
            characters = text_lengths(name, Path.cwd())
        except InputError:
            continue
        if len(characters) >= FEWEST:
            lengths[name] = float(np.log(characters.median()))
    if not lengths:
        return corpus_of(None)
    return min(lengths, key=lambda name: abs(lengths[name] - wanted))


@dataclass(frozen=True, eq=False)
class CorpusSpace:
    """Holds the vectors of the windows of a corpus at a layer and pooling of a model."""

    loaded: "LoadedModel"
    layer: int
    """Counted from 0, the embedding output."""
    last_layer: int
    pooling: str
    vectors: Float[np.ndarray, "window dim"]
    windows: pd.DataFrame
    rows: pd.DataFrame
    """The windows with a vector: all, or for a sentence model the first of every text."""
    texts: pd.DataFrame

    def encode(self, queries: Sequence[str]) -> Float[np.ndarray, "query dim"]:
        """Return the vectors of texts that fit into a window; a sentence model takes any texts.

        Raises:
            InputError: if a text has more tokens than a window, or no known token.
        """
        from embspace.loaded.given import reading

        loaded = self.loaded
        with reading(loaded):
            if self.pooling == SENTENCE:
                return self._sentences(queries)
            encoded = encode_texts(
                loaded.name, loaded.description, loaded.module, loaded.tokenizer, queries
            )
        return np.stack([_pooled(window.tokens, self.pooling, self.layer) for window in encoded])

    def _sentences(self, queries: Sequence[str]) -> Float[np.ndarray, "query dim"]:
        from embspace.loaded.given import encoded_by
        from embspace.models.sentence.vectors import sentence_vectors

        loaded = self.loaded
        name, tokenizer = loaded.name, loaded.tokenizer
        for query in queries:
            _check_known(name, query, tokenizer(query, add_special_tokens=False), tokenizer)
        if loaded.modules is None:  # of an object alone there is such a pooling
            return encoded_by(loaded.encoder, queries)
        return sentence_vectors(
            name, loaded.description, loaded.module, loaded.modules, tokenizer, queries
        )


def _pooled(
    tokens: Float[np.ndarray, "layer token dim"], pooling: str, layer: int
) -> Float[np.ndarray, " dim"]:
    if pooling == FIRST_LAST:
        first, last = pooled(tokens[[1, -1]], "mean")
        return (first + last) / 2
    return pooled(tokens[[layer]], pooling)[0]


def encode_texts(
    name: str, model: Any, module: Any, tokenizer: Any, texts: Sequence[str]
) -> "list[EncodedWindow]":
    """Return a loaded model's states of texts of a single window.

    Raises:
        InputError: if a text has more tokens than a window, or no known token.
    """
    from embspace.models.encoder import device_of, encode
    from embspace.models.windows import largest_window

    length = largest_window(model, module)
    windows = [_window(name, text, tokenizer, length) for text in texts]
    # Each alone: rounding depends on what else is in a batch.
    batches = [[number] for number in range(len(windows))]
    encoded = encode(module, windows, batches, device_of(module), model.final_norm)
    return sorted(encoded, key=lambda window: window.index)


def only_window(name: str, model: Any, module: Any, tokenizer: Any, text: str) -> "Window":
    """Return the tokens of a text of a single window.

    Raises:
        InputError: if the text has more tokens than a window, or no known token.
    """
    from embspace.models.windows import largest_window

    return _window(name, text, tokenizer, largest_window(model, module))


def _window(name: str, text: str, tokenizer: Any, length: int) -> "Window":
    from embspace.models.windows import cut_windows
    from embspace.settings.model import model_file

    windows = cut_windows([text], tokenizer, length, length_key=f"{model_file(name)}: key 'window'")
    new = np.concatenate([window.ids[~window.special] for window in windows]).tolist()
    if len(windows) > 1:
        raise InputError(
            f"the text '{_start(text)}' has {len(new):,} tokens, more than a window of "
            f"{length} holds"
        )
    _check_known(name, text, {"input_ids": new}, tokenizer)
    return windows[0]


def _check_known(name: str, text: str, encoded: Any, tokenizer: Any) -> None:
    if {*encoded["input_ids"]} <= {tokenizer.unk_token_id}:
        raise InputError(f"the text '{_start(text)}' holds no token that {name} knows")


def reference_space(model_name: str, corpus: str, layer: int, pooling: str | None) -> CorpusSpace:
    """Return the windows of a corpus as read by a model, from the user's cache if present.

    `model_name` is a model for `embspace.spaces`, the tree is the current folder, layer -1 is the
    last. Without a pooling, `default_pooling` decides.

    Raises:
        InputError: naming anything unknown, unreadable, or out of range.
    """
    from embspace.loaded.model import load
    from embspace.loaded.reference import reference

    root = Path.cwd()
    if pooling is not None:
        _check_one_of("--pooling", pooling, (*TOKEN_POOLINGS, *WITHOUT_LAYER))
    loaded = load(model_name, root, read_params().device)
    return space_of(loaded, reference(loaded, corpus, root), layer, pooling)


def space_of(
    loaded: "LoadedModel", read: "Reference", layer: int, pooling: str | None
) -> CorpusSpace:
    """Return the texts read by a model, at a layer and pooling.

    Raises:
        InputError: naming the layer or pooling out of range.
    """
    check_read(loaded, read)
    chosen = checked_pooling(read.states, layer, pooling, lambda: loaded.module.config)
    return CorpusSpace(
        loaded=loaded,
        **_at(read, layer, chosen),
        texts=read.texts,
    )


def check_read(loaded: "LoadedModel", read: "Reference") -> None:
    """Stop if a model has read no text, for too few known tokens."""
    if read.windows.empty:
        raise InputError(
            f"none of the {counted(len(read.texts), 'text')} is read: the tokenizer of "
            f"'{loaded.name}' knows too few of their tokens"
        )


def _at(read: "Reference", layer: int, pooling: str) -> dict[str, Any]:
    """Return the fields of a `CorpusSpace` that follow from layer and pooling."""
    states, windows = read.states, read.windows
    n = len(states["mean"])
    return {
        "layer": layer % n,
        "last_layer": n - 1,
        "pooling": pooling,
        "vectors": pooled_states(states, pooling, layer, read),
        "windows": windows,
        "rows": windows[windows["window"] == 0] if pooling == SENTENCE else windows,
    }


def checked_pooling(
    states: Mapping[str, Layers], layer: int, pooling: str | None, config: Callable[[], Any]
) -> str:
    """Return the pooling, by default a model's usual one, if the states have it and the layer.

    Raises:
        InputError: naming the missing pooling or layer.
    """
    n = len(states["mean"])
    if pooling is None:  # another layer than the last has no sentence vector
        layer_states = {name: x for name, x in states.items() if name != SENTENCE}
        pooling = default_pooling(states if layer % n == n - 1 else layer_states, config)
    _check_one_of("--pooling", pooling, allowed_poolings(states))
    check_layer(layer, n)
    if pooling in WITHOUT_LAYER and layer % n != n - 1:
        raise InputError(
            f"--layer: found {layer}, allowed: none beside '{pooling}'; a layer has one of "
            f"{', '.join(TOKEN_POOLINGS)}"
        )
    return pooling


def check_layer(layer: int, n: int) -> None:
    """Stop if a layer is none of `n`, counted from 0 or, below, from the last."""
    if not -n <= layer < n:
        raise InputError(f"--layer: found {layer}, allowed: 0 to {n - 1}, or -1 for the last")


def pooled_states(
    states: Mapping[str, Layers], pooling: str, layer: int, rows: HasWindows
) -> Float[np.ndarray, "window dim"]:
    """Return a copy of the vectors of a pooling; poolings without a tensor are made of means.

    The table of windows in `rows` is read for `SQRT` alone.
    """
    if pooling == SENTENCE:
        return np.array(states[SENTENCE][0])
    if pooling == FIRST_LAST:
        return np.asarray((states["mean"][1] + states["mean"][-1]) / 2)
    if pooling == SQRT:
        lengths = np.sqrt(rows.windows["n_tokens"].to_numpy())[:, None]
        return (states["mean"][layer] * lengths).astype(np.float32)
    return np.array(states[pooling][layer])


def check_query(query: str) -> None:
    """Stop if a text is empty, or not UTF-8."""
    if not query.strip():
        raise InputError("the text is empty")
    try:
        query.encode()
    except UnicodeEncodeError:
        raise InputError("the text is not UTF-8") from None


def _check_one_of(option: str, choice: str, allowed: Collection[str]) -> None:
    if choice not in allowed:
        raise InputError(f"{option}: {not_among(choice, allowed)}")


def _start(text: str) -> str:
    return text if len(text) <= 30 else f"{text[:29].rstrip()}…"
