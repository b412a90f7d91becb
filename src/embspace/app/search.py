"""What `embspace search` does: the windows of a corpus that are most like a query."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.clouds.pooling import POOLINGS
from embspace.errors import InputError, not_among
from embspace.geometry.pairs.directions import cosine_matrix

SNIPPET = 160  # characters
OUTDATED = "the hidden states are older than the texts; `dvc repro` makes them anew"


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
    """Return the windows of the largest cosine, equal ones in their order in the corpus.

    Raises:
        InputError: if the windows are not those of the texts.
    """
    content = texts.set_index("id")["text"]
    if len(vectors) != len(windows) or set(windows["text"]) != set(content.index):
        raise InputError(OUTDATED)
    cosine = np.nan_to_num(cosine_matrix(query[None], vectors)[0], nan=-np.inf)
    best = np.argsort(-cosine, kind="stable")[:n_hits]
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
    from embspace.files.rows import load_rows
    from embspace.files.tensors import load_tensors
    from embspace.models.tokenizer import load_tokenizer
    from embspace.settings.find_description import LIST
    from embspace.settings.model import describe_model
    from embspace.settings.params import CONF, read_params
    from embspace.settings.schema import read_yaml

    known = sorted(path.stem for path in (CONF / "model").glob("*.yaml"))
    _check_one_of("--pooling", pooling, POOLINGS)
    _check_one_of("--corpus", corpus, read_params().corpora, " (`corpora` in params.yaml)")
    _check_one_of("--model", model_name, known, " (conf/model/)", LIST)
    _check_query(query)
    model = describe_model(model_name, read_yaml(CONF / "model" / f"{model_name}.yaml"))
    path = f"data/extracted/hidden_states/{model_name}/{corpus}"
    states = load_tensors(f"{path}.safetensors", (pooling,))[pooling]
    if not -len(states) <= layer < len(states):
        raise InputError(
            f"--layer: found {layer}, allowed: 0 to {len(states) - 1}, or -1 for the last"
        )
    windows, tokens = load_rows(f"{path}.windows.parquet"), load_rows(f"{path}.tokens.parquet")
    texts = load_rows(f"data/prepared/texts/{corpus}.parquet")
    tokenizer = load_tokenizer(model_name, model)
    encoded = encode_query(model_name, model, tokenizer, query)[pooling][layer]
    hits = nearest_windows(encoded, states[layer], windows, tokens, texts, n_hits)
    _check_fresh({hit.text for hit in hits}, windows, tokens, texts, tokenizer)
    return hits


def encode_query(
    name: str, model: Any, tokenizer: Any, query: str
) -> dict[str, Float[np.ndarray, "layer dim"]]:
    """Return the pooled hidden states of one text that fits into a window.

    Raises:
        InputError: if the text has more tokens than that, or none that the tokenizer knows.
    """
    from embspace.models.encoder import encode
    from embspace.models.weights import load_model
    from embspace.models.windows import cut_windows, largest_window
    from embspace.settings.model import model_file

    module = load_model(name, model)
    length = largest_window(model, module)
    windows = cut_windows(
        [query], tokenizer, length, length_key=f"{model_file(name)}: key 'window'"
    )
    if len(windows) > 1:
        n = sum(int((~window.special).sum()) for window in windows)
        raise InputError(f"the query has {n:,} tokens, more than a window of {length} holds")
    if set(windows[0].ids[~windows[0].special].tolist()) <= {tokenizer.unk_token_id}:
        raise InputError(f"the query holds no token that {name} knows")
    (encoded,) = encode(module, windows, [[0]], "cpu", model.final_norm)
    return encoded.pooled


def _check_one_of(
    option: str, found: str, allowed: Collection[str], where: str = "", listed_by: str = ""
) -> None:
    if found not in allowed:
        raise InputError(f"{option}{where}: {not_among(found, allowed, listed_by)}")


def _check_fresh(
    names: set[str],
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
            raise InputError(OUTDATED)


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
