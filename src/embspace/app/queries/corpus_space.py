"""The windows of a corpus at one layer and pooling, and texts of a user among them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.app.queries.default_pooling import (
    WITHOUT_LAYER,
    allowed_poolings,
    default_pooling,
)
from embspace.app.queries.loading import without_report_of_weights
from embspace.app.queries.reported import why_not_there
from embspace.clouds.pooling import FIRST_LAST, SENTENCE, SQRT, TOKEN_POOLINGS, pooled
from embspace.errors import InputError, not_among
from embspace.files.tensors import map_tensors
from embspace.settings.params import read_params

if TYPE_CHECKING:
    from embspace.models.encoder import EncodedWindow
    from embspace.models.windows import Window

EXTRACT = "embspace run extract_hidden_states"
USUAL = "articles"  # the corpus of a query that names none


def corpus_of(asked: str | None) -> str:
    """Return the corpus that is asked for, or else the usual one, or the first of params.yaml."""
    if asked is not None:
        return asked
    known = read_params().corpora
    return USUAL if USUAL in known else known[0]


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

    def load_tokenizer(self) -> Any:
        """Return the tokenizer of the model."""
        from embspace.models.tokenizer import load_tokenizer

        return load_tokenizer(self.model_name, self.model)

    def encode(self, queries: Sequence[str], tokenizer: Any) -> Float[np.ndarray, "query dim"]:
        """Return the vectors of texts that fit into a window each; by a sentence model, of any.

        Raises:
            InputError: if a text has more tokens than that, or none that the tokenizer knows.
        """
        from embspace.models.weights import load_model

        with without_report_of_weights():
            module = load_model(self.model_name, self.model)
        if self.pooling == SENTENCE:
            return self._sentences(module, tokenizer, queries)
        encoded = encode_texts(self.model_name, self.model, module, tokenizer, queries)
        return np.stack([_pooled(window.tokens, self.pooling, self.layer) for window in encoded])

    def _sentences(
        self, module: Any, tokenizer: Any, queries: Sequence[str]
    ) -> Float[np.ndarray, "query dim"]:
        from embspace.models.sentence.vectors import sentence_modules, sentence_vectors

        name, model = self.model_name, self.model
        for query in queries:
            _check_known(name, query, tokenizer(query, add_special_tokens=False), tokenizer)
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
    from embspace.models.encoder import encode
    from embspace.models.windows import largest_window

    length = largest_window(model, module)
    windows = [_only_window(name, text, tokenizer, length) for text in texts]
    # Each alone: rounding depends on what else is in a batch.
    batches = [[number] for number in range(len(windows))]
    encoded = encode(module, windows, batches, "cpu", model.final_norm)
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
    from embspace.files.tensors import listed_shapes, tensor_names
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
    if pooling is None:
        pooling = default_pooling(f"{path}.safetensors", tensors, model_name, model)
    _check_one_of("--pooling", pooling, allowed_poolings(tensors))
    n = listed_shapes(f"{path}.safetensors")["mean"][0]
    if not -n <= layer < n:
        raise InputError(f"--layer: found {layer}, allowed: 0 to {n - 1}, or -1 for the last")
    if pooling in WITHOUT_LAYER and layer % n != n - 1:
        raise InputError(
            f"--layer: found {layer}, allowed: none beside '{pooling}'; a layer has one of "
            f"{', '.join(TOKEN_POOLINGS)}"
        )
    most = None if isinstance(model, VectorsModel) else model.most_documents
    return CorpusSpace(
        model_name=model_name,
        model=model,
        path=path,
        layer=layer % n,
        last_layer=n - 1,
        pooling=pooling,
        vectors=_vectors(f"{path}.safetensors", pooling, layer, windows),
        windows=windows,
        rows=windows[windows["window"] == 0] if pooling == SENTENCE else windows,
        texts=some_documents(load_rows(f"data/prepared/texts/{corpus}.parquet"), most),
    )


def _vectors(
    file: str, pooling: str, layer: int, windows: pd.DataFrame
) -> Float[np.ndarray, "window dim"]:
    """Return the vectors of a file of hidden states: what is not in it is made of the means."""
    kept = "mean" if pooling in (SQRT, FIRST_LAST) else pooling
    states = map_tensors(file, (kept,))[kept]
    if pooling == SENTENCE:
        return np.array(states[0])
    if pooling == FIRST_LAST:
        return np.asarray((states[1] + states[-1]) / 2)
    if pooling == SQRT:
        lengths = np.sqrt(windows["n_tokens"].to_numpy())[:, None]
        return (states[layer] * lengths).astype(np.float32)
    return np.array(states[layer])


def check_query(query: str) -> None:
    """Stop if a text is empty, or not UTF-8."""
    if not query.strip():
        raise InputError("the text is empty")
    try:
        query.encode()
    except UnicodeEncodeError:
        raise InputError("the text is not UTF-8") from None


def check_fresh(
    names: Collection[str],
    windows: pd.DataFrame,
    tokens: pd.DataFrame,
    texts: pd.DataFrame,
    tokenizer: Any,
) -> None:
    """Stop if one of these texts has other words now than when its tokens were read."""
    inside = tokens["window"].isin(windows.index[windows["text"].isin(names)])
    new = tokens[inside & ~tokens["special"] & ~tokens["repeated"]]
    read = new.groupby(new["window"].map(windows["text"]))["id"].agg(list)
    content = texts.set_index("id")["text"]
    for name in sorted(names):
        text = tokenizer(content[name], add_special_tokens=False, truncation=False, verbose=False)
        if text["input_ids"] != read.get(name, []):
            raise outdated()


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
