"""The windows of a corpus at one layer and pooling, and texts of a user among them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.app.queries.default_pooling import (
    WITHOUT_LAYER,
    Layers,
    allowed_poolings,
    default_pooling,
)
from embspace.app.queries.loading import without_report_of_weights
from embspace.app.queries.reported import why_not_there
from embspace.clouds.pooling import FIRST_LAST, SENTENCE, SQRT, TOKEN_POOLINGS, pooled
from embspace.errors import InputError, counted, not_among
from embspace.files.tensors import map_tensors
from embspace.settings.params import read_params

if TYPE_CHECKING:
    from embspace.loaded.model import LoadedModel
    from embspace.loaded.reference import Reference
    from embspace.models.encoder import EncodedWindow
    from embspace.models.windows import Window

EXTRACT = "embspace run extract_hidden_states"
FEWEST = 20  # texts of a corpus that others are held against
USUAL = "articles"  # the corpus of a query that names none


def corpus_of(asked: str | None) -> str:
    """Return the corpus that is asked for, or else the usual one, or the first of params.yaml."""
    if asked is not None:
        return asked
    known = read_params().corpora
    return USUAL if USUAL in known else known[0]


def corpus_like(texts: Sequence[str]) -> str:
    """Return the corpus of params.yaml whose texts are about as long as these, in characters.

    Corpora whose texts are not at hand are left out, and those of fewer texts than make pairs.
    """
    from embspace.loaded.reference import corpus_texts

    wanted = np.log(np.mean([len(text) for text in texts]))
    lengths: dict[str, float] = {}
    for name in read_params().corpora:
        try:
            of_corpus = corpus_texts(name, Path.cwd(), None)["text"].str.len()
        except InputError:
            continue
        if len(of_corpus) >= FEWEST:
            lengths[name] = float(np.log(of_corpus.median()))
    if not lengths:
        return corpus_of(None)
    return min(lengths, key=lambda name: abs(lengths[name] - wanted))


@dataclass(frozen=True, eq=False)
class CorpusSpace:
    """Holds the vectors of the windows of a corpus at one layer and pooling of a model."""

    model_name: str
    model: Any
    """The model's description in conf/model/, checked."""
    path: str
    """The path of the extracted files, without their endings."""
    layer: int
    """Counted from 0, the embedding output."""
    last_layer: int
    pooling: str
    vectors: Float[np.ndarray, "window dim"]
    windows: pd.DataFrame
    rows: pd.DataFrame
    """The windows that have a vector: all, or for a sentence model the first window of each text,
    which stands for the text."""
    texts: pd.DataFrame
    loaded: "LoadedModel | None" = None
    """The model, if it is in memory already."""

    def load_tokenizer(self) -> Any:
        """Return the tokenizer of the model."""
        from embspace.models.tokenizer import load_tokenizer

        if self.loaded is not None:
            return self.loaded.tokenizer
        return load_tokenizer(self.model_name, self.model)

    def load_module(self) -> Any:
        """Return the model that reads the texts."""
        from embspace.models.weights import load_model

        if self.loaded is not None:
            return self.loaded.module
        with without_report_of_weights():
            return load_model(self.model_name, self.model)

    def encode(self, queries: Sequence[str], tokenizer: Any) -> Float[np.ndarray, "query dim"]:
        """Return the vectors of texts that fit into a window each; by a sentence model, of any.

        Raises:
            InputError: if a text has more tokens than that, or none that the tokenizer knows.
        """
        from embspace.loaded.given import reading

        module = self.load_module()
        with nullcontext() if self.loaded is None else reading(self.loaded):
            if self.pooling == SENTENCE:
                return self._sentences(module, tokenizer, queries)
            encoded = encode_texts(self.model_name, self.model, module, tokenizer, queries)
        return np.stack([_pooled(window.tokens, self.pooling, self.layer) for window in encoded])

    def _sentences(
        self, module: Any, tokenizer: Any, queries: Sequence[str]
    ) -> Float[np.ndarray, "query dim"]:
        from embspace.loaded.given import encoded_by
        from embspace.models.sentence.vectors import sentence_modules, sentence_vectors

        name, model = self.model_name, self.model
        for query in queries:
            _check_known(name, query, tokenizer(query, add_special_tokens=False), tokenizer)
        if self.loaded is not None and self.loaded.encoder is not None:
            return encoded_by(self.loaded.encoder, queries)
        if self.loaded is not None:
            modules = self.loaded.modules
        else:
            modules = sentence_modules(name, model, module)
        if modules is None:
            raise outdated()
        return sentence_vectors(name, model, module, modules, tokenizer, queries)


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
    """Return what a loaded model makes of texts that fit into a window each.

    Raises:
        InputError: if a text has more tokens than that, or none that the tokenizer knows.
    """
    from embspace.models.encoder import device_of, encode
    from embspace.models.windows import largest_window

    length = largest_window(model, module)
    windows = [_only_window(name, text, tokenizer, length) for text in texts]
    # Each alone: rounding depends on what else is in a batch.
    batches = [[number] for number in range(len(windows))]
    encoded = encode(module, windows, batches, device_of(module), model.final_norm)
    return sorted(encoded, key=lambda each: each.index)


def _only_window(name: str, text: str, tokenizer: Any, length: int) -> "Window":
    from embspace.models.windows import cut_windows
    from embspace.settings.model import model_file

    found = cut_windows([text], tokenizer, length, length_key=f"{model_file(name)}: key 'window'")
    new = np.concatenate([each.ids[~each.special] for each in found]).tolist()
    if len(found) > 1:
        raise InputError(
            f"the text '{_start(text)}' has {len(new):,} tokens, more than a window of "
            f"{length} holds"
        )
    _check_known(name, text, {"input_ids": new}, tokenizer)
    return found[0]


def _check_known(name: str, text: str, encoded: Any, tokenizer: Any) -> None:
    if {*encoded["input_ids"]} <= {tokenizer.unk_token_id}:
        raise InputError(f"the text '{_start(text)}' holds no token that {name} knows")


def load_corpus_space(model_name: str, corpus: str, layer: int, pooling: str | None) -> CorpusSpace:
    """Return the extracted windows of a corpus; layer -1 is the last one.

    Without a pooling it is that of `default_pooling`.

    Raises:
        InputError: naming what is not known, not extracted, or out of range.
    """
    from embspace.clouds.documents import some_documents
    from embspace.files.rows import load_rows
    from embspace.files.tensors import tensor_names
    from embspace.models.architecture import load_config
    from embspace.settings.find_description import LIST
    from embspace.settings.model import VectorsModel, describe_model
    from embspace.settings.params import CONF
    from embspace.settings.schema import read_yaml

    known = sorted(path.stem for path in (CONF / "model").glob("*.yaml"))
    if pooling is not None:
        _check_one_of("--pooling", pooling, (*TOKEN_POOLINGS, *WITHOUT_LAYER))
    _check_one_of("--corpus", corpus, read_params().corpora, " (`corpora` in params.yaml)")
    _check_one_of("--model", model_name, known, " (conf/model/)", LIST)
    path = f"data/extracted/hidden_states/{model_name}/{corpus}"
    if not Path(f"{path}.safetensors").is_file():
        why = why_not_there(model_name) or f"compute it with\n  {EXTRACT}"
        raise InputError(f"{path}.safetensors: not found; {why}")
    model = describe_model(model_name, read_yaml(CONF / "model" / f"{model_name}.yaml"))
    windows, tensors = load_rows(f"{path}.windows.parquet"), tensor_names(f"{path}.safetensors")
    states = map_tensors(f"{path}.safetensors", tuple(tensors))
    pooling = checked_pooling(states, layer, pooling, lambda: load_config(model_name, model))
    most = None if isinstance(model, VectorsModel) else model.most_documents
    return CorpusSpace(
        model_name=model_name,
        model=model,
        path=path,
        **_at(states, windows, layer, pooling),
        texts=some_documents(load_rows(f"data/prepared/texts/{corpus}.parquet"), most),
    )


def reference_space(model_name: str, corpus: str, layer: int, pooling: str | None) -> CorpusSpace:
    """Return the windows of a corpus as a model reads them, from the user's cache if it has them.

    `model_name` is what `embspace.spaces` takes, the tree is the current folder, layer -1 is the
    last one. Without a pooling it is that of `default_pooling`.

    Raises:
        InputError: naming what is not known, cannot be read, or is out of range.
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
    """Return texts that a model has read at one layer and pooling.

    Raises:
        InputError: naming what is out of range.
    """
    states, windows = read.states, read.windows
    if windows.empty:
        raise InputError(
            f"none of the {counted(len(read.texts), 'text')} is read: the tokenizer of "
            f"'{loaded.name}' knows too few of their tokens"
        )
    chosen = checked_pooling(states, layer, pooling, lambda: loaded.module.config)
    return CorpusSpace(
        model_name=loaded.name,
        model=loaded.description,
        path="",
        **_at(states, windows, layer, chosen),
        texts=read.texts,
        loaded=loaded,
    )


def _at(
    states: Mapping[str, Layers], windows: pd.DataFrame, layer: int, pooling: str
) -> dict[str, Any]:
    """Return the fields of a `CorpusSpace` that follow from its layer and pooling."""
    n = len(states["mean"])
    return {
        "layer": layer % n,
        "last_layer": n - 1,
        "pooling": pooling,
        "vectors": pooled_states(states, pooling, layer, windows),
        "windows": windows,
        "rows": windows[windows["window"] == 0] if pooling == SENTENCE else windows,
    }


def checked_pooling(
    states: Mapping[str, Layers], layer: int, pooling: str | None, config: Callable[[], Any]
) -> str:
    """Return the pooling, or else the usual one of a model, if the states have it and the layer.

    Raises:
        InputError: naming what they have not.
    """
    n = len(states["mean"])
    if pooling is None:  # another layer than the last has no sentence vector
        of_layers = {name: x for name, x in states.items() if name != SENTENCE}
        pooling = default_pooling(states if layer % n == n - 1 else of_layers, config)
    _check_one_of("--pooling", pooling, allowed_poolings(states))
    if not -n <= layer < n:
        raise InputError(f"--layer: found {layer}, allowed: 0 to {n - 1}, or -1 for the last")
    if pooling in WITHOUT_LAYER and layer % n != n - 1:
        raise InputError(
            f"--layer: found {layer}, allowed: none beside '{pooling}'; a layer has one of "
            f"{', '.join(TOKEN_POOLINGS)}"
        )
    return pooling


def pooled_states(
    states: Mapping[str, Layers], pooling: str, layer: int, windows: pd.DataFrame
) -> Float[np.ndarray, "window dim"]:
    """Return the vectors of a pooling, a copy: what is not among the tensors is made of means."""
    if pooling == SENTENCE:
        return np.array(states[SENTENCE][0])
    if pooling == FIRST_LAST:
        return np.asarray((states["mean"][1] + states["mean"][-1]) / 2)
    if pooling == SQRT:
        lengths = np.sqrt(windows["n_tokens"].to_numpy())[:, None]
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


def outdated() -> InputError:
    """Return what is raised if the windows are not those of the texts."""
    return InputError("the hidden states are older than the texts; `dvc repro` makes them anew")


def _check_one_of(
    option: str, found: str, allowed: Collection[str], where: str = "", listed_by: str = ""
) -> None:
    if found not in allowed:
        raise InputError(f"{option}{where}: {not_among(found, allowed, listed_by)}")


def _start(text: str) -> str:
    return text if len(text) <= 30 else f"{text[:29].rstrip()}…"
