"""What `embspace search` does: the windows of a corpus that are most like a query."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.errors import InputError
from embspace.geometry.directions import cosine_matrix
from embspace.pooling import POOLINGS

SNIPPET = 160  # characters


@dataclass(frozen=True)
class Hit:
    """A window and how like the query it is."""

    cosine: float
    text: str
    window: int
    snippet: str


def nearest_windows(
    query: Float[np.ndarray, " dim"],
    vectors: Float[np.ndarray, "window dim"],
    windows: pd.DataFrame,
    tokens: pd.DataFrame,
    texts: pd.DataFrame,
    n_hits: int,
) -> list[Hit]:
    """The windows of the largest cosine, equal ones in their order in the corpus."""
    cosine = np.nan_to_num(cosine_matrix(query[None], vectors)[0], nan=-np.inf)
    best = np.argsort(-cosine, kind="stable")[:n_hits]
    content = texts.set_index("id")["text"]
    if not set(windows["text"]) <= set(content.index):
        raise InputError("the hidden states are older than the texts; `dvc repro` makes them anew")
    hits = []
    for row in best:
        name, number = windows["text"].iloc[row], int(windows["window"].iloc[row])
        first = windows["first_token"].iloc[row]
        inside = tokens.iloc[first : first + windows["n_tokens"].iloc[row]]
        inside = inside[~inside["special"]]
        start = int(inside["start"].min()) if len(inside) else 0
        end = int(inside["end"].max()) if len(inside) else 0
        hits.append(Hit(float(cosine[row]), name, number, _snippet(content[name][start:end])))
    return hits


def search(
    model_name: str, corpus: str, query: str, *, layer: int, pooling: str, n_hits: int
) -> list[Hit]:
    """Encode the query by the model and look among the extracted windows of the corpus.

    Raises:
        InputError: naming what is not known, not extracted, out of range, or too long.
    """
    from embspace.config import CONF, read_params, read_yaml
    from embspace.files.rows import load_rows
    from embspace.files.tensors import load_tensors
    from embspace.models.description import describe_model, model_file

    if pooling not in POOLINGS:
        raise InputError(f"--pooling: found '{pooling}', allowed: {', '.join(POOLINGS)}")
    if corpus not in read_params().corpora:
        allowed = ", ".join(read_params().corpora)
        raise InputError(f"--corpus: found '{corpus}', allowed: {allowed} (params.yaml, corpora)")
    _check_query(query)
    if not (CONF / "model" / f"{model_name}.yaml").is_file():
        raise InputError(f"--model: found '{model_name}', but there is no {model_file(model_name)}")
    model = describe_model(model_name, read_yaml(CONF / "model" / f"{model_name}.yaml"))
    path = f"data/extracted/hidden_states/{model_name}/{corpus}"
    states = load_tensors(f"{path}.safetensors", (pooling,))[pooling]
    if not -len(states) <= layer < len(states):
        raise InputError(
            f"--layer: found {layer}, allowed: 0 to {len(states) - 1}, or -1 for the last"
        )
    return nearest_windows(
        encode_query(model_name, model, query)[pooling][layer],
        states[layer],
        load_rows(f"{path}.windows.parquet"),
        load_rows(f"{path}.tokens.parquet"),
        load_rows(f"data/prepared/texts/{corpus}.parquet"),
        n_hits,
    )


def encode_query(name: str, model: Any, query: str) -> dict[str, Float[np.ndarray, "layer dim"]]:
    """The pooled hidden states of one text that fits into a window."""
    from embspace.models.encoder import encode
    from embspace.models.tokenizer import load_tokenizer
    from embspace.models.weights import load_model
    from embspace.models.windows import cut_windows, largest_window

    module, tokenizer = load_model(name, model), load_tokenizer(name, model)
    length = largest_window(model, module)
    windows = cut_windows([query], tokenizer, length, 0)
    if len(windows) > 1:
        n = sum(int((~window.special).sum()) for window in windows)
        raise InputError(f"the query has {n} tokens, more than a window of {length} holds")
    if set(windows[0].ids[~windows[0].special].tolist()) <= {tokenizer.unk_token_id}:
        raise InputError(f"the query holds no token that {name} knows")
    (encoded,) = encode(module, windows, [[0]], "cpu", model.final_norm)
    return encoded.pooled


def _check_query(query: str) -> None:
    if not query.strip():
        raise InputError("the query is empty")
    try:
        query.encode()
    except UnicodeEncodeError:
        raise InputError("the query is not UTF-8") from None


def _snippet(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SNIPPET else f"{flat[: SNIPPET - 1].rstrip()}…"
