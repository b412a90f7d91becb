"""Derives conf/model/<name>.yaml from a loaded model and a tokenizer.

Module names are not used: the use of a table shows in the model's reads.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from embspace.errors import InputError, counted
from embspace.models.final_norm import find_final_norm, outer_modules, recorded
from embspace.models.matrices import WITH_NEIGHBORS
from embspace.models.probe.order import check_states
from embspace.models.probe.probe import Probe, probe
from embspace.models.spelling import spelling_of
from embspace.models.tokens.types import find_types, read_types
from embspace.models.windows import (
    check_window,
    full_attention_window,
    table_at,
    tokenizer_bound,
)

N_READ = 8  # tokens
PREFIXES = {"continuation": "continuation_prefix", "word_start": "word_prefix"}
# Of tokens that makers of models have reserved.
UNUSED = (r"\[unused\d+\]", r"madeupword\d+", r">>UNUSED_\d+<<", r"<\|extratoken_\d+\|>")


@dataclass(frozen=True)
class Findings:
    """Keys of a model's file, and why others could not be found."""

    keys: dict[str, Any]
    questions: dict[str, str]
    """The reasons for missing keys; `matrices.positional` is a key within a key."""
    summary: str
    """Layers, dimensions, tokens and window in words."""


@dataclass(frozen=True)
class _Tables:
    """The embedding tables besides the input matrix, by a text's reads."""

    positional: dict[str, int]
    """The row of position 0, by the name of the positional parameter."""
    segment: list[str]


def describe_module(module: Any, tokenizer: Any) -> Findings:
    """Find matrices, marks of the tokenizer, window and final norm of a transformers model.

    Raises:
        InputError: if the tokenizer is not the model's, by its number of tokens.
    """
    import torch

    weight = module.get_input_embeddings().weight
    input_name = next(name for name, parameter in module.named_parameters() if parameter is weight)
    n_padding = _padding_rows(len(weight), tokenizer)
    ids = torch.tensor([_ordinary_ids(len(weight) - n_padding, tokenizer)])
    mask = torch.ones_like(ids)
    check_states(module, ids[0].numpy())
    types = find_types(module, tokenizer)
    read_types(module, types)
    tables = _tables(module, input_name, ids, mask)
    questions: dict[str, str] = {}
    matrices = {
        "input": input_name,
        "positional": _only("positional", list(tables.positional), questions),
        "segment": _only("segment", tables.segment, questions),
    }
    if mapping := _only("mapping", _mappings(module, weight.shape[1], questions), questions):
        matrices["mapping"] = mapping
    offset = tables.positional.get(matrices["positional"] or "", 0)
    keys: dict[str, Any] = {
        "parameters": sum(parameter.numel() for parameter in module.parameters()),
        "matrices": matrices,
        "position_offset": offset,
        "padding_rows": n_padding,
        **_marks(tokenizer),
        **_window(module, matrices["positional"], tokenizer, questions),
    }
    if types is not None:
        keys["token_types"] = types.model_dump()
    if norm := find_final_norm(module, ids, mask):
        keys["final_norm"] = norm
    longest = _longest(module, keys)
    if longest is not None:
        check_window(tokenizer, longest, 0, length_key="config.json: the number of positions")
    probed = probe(module, ids[0].tolist(), longest)
    if probed.window != longest:
        keys["window"] = probed.window
    if probed.batches != "any":
        keys["batches"] = probed.batches
    return Findings(keys, questions, _summary(module, weight, n_padding) + _how_read(probed, keys))


def _longest(module: Any, keys: dict[str, Any]) -> int | None:
    """Return how many tokens a model reads at once, from the keys; None if unknown."""
    table = table_at(module, keys["matrices"]["positional"])
    rows = None if table is None else len(table) - keys["position_offset"]
    counted_in_config = getattr(module.config, "max_position_embeddings", None)
    bounds = [keys.get("window"), counted_in_config if rows is None else rows]
    return min((bound for bound in bounds if bound and bound > 0), default=None)


def _how_read(probed: Probe, keys: dict[str, Any]) -> str:
    """Return what a reader must know of how the model reads, to follow the summary."""
    how = {
        "any": "",
        "equal_lengths": "; a text has other states beside a longer one, so that texts of one "
        "length are read at once",
        "alone": "; a text has other states beside another one, so that each is read alone",
    }[probed.batches]
    if probed.adds_positions and keys["matrices"]["positional"] is None:
        how += "; layer 0 hangs on the position by a formula, of which there is no table"
    return how


def _only(space: str, candidates: list[str], questions: dict[str, str]) -> str | None:
    """Return the only candidate; ask the user if several fit."""
    if len(candidates) > 1:
        questions[f"matrices.{space}"] = f"several may be it: {', '.join(candidates)}"
    return candidates[0] if len(candidates) == 1 else None


def _padding_rows(n_rows: int, tokenizer: Any) -> int:
    n_ids = max(tokenizer.get_vocab().values()) + 1
    if n_ids > n_rows:
        raise InputError(
            f"the tokenizer has {counted(len(tokenizer.get_vocab()), 'token')} with ids up to "
            f"{n_ids - 1}, the input matrix {counted(n_rows, 'row')}; a tokenizer's ids are rows "
            "of its model, which `resize_token_embeddings` of transformers adds for new tokens"
        )
    return n_rows - n_ids


def _ordinary_ids(n_tokens: int, tokenizer: Any) -> list[int]:
    """Return a few tokens without a role: some models count no position for a padding token."""
    left_out = set(tokenizer.all_special_ids) | set(range(n_tokens)).difference(
        tokenizer.get_vocab().values()
    )
    ordinary = [number for number in range(n_tokens) if number not in left_out]
    return ordinary[:N_READ]


def _tables(module: Any, input_name: str, ids: Any, mask: Any) -> _Tables:
    """Find the rows of the tables read by a text: consecutive rows are positions."""
    import torch

    names = {id(parameter): name for name, parameter in module.named_parameters()}
    embeddings = {
        path: part
        for path, part in outer_modules(module).items()
        if isinstance(part, torch.nn.Embedding) and names.get(id(part.weight)) != input_name
    }
    with torch.inference_mode(), recorded(embeddings) as passed:
        module(input_ids=ids, attention_mask=mask)
    tables = _Tables({}, [])
    for path, (_, made) in passed.items():
        table = embeddings[path].weight
        made = made[0] if isinstance(made, tuple) else made  # ProphetNet gives numbers of rows, too
        rows = _rows_read(made, table, ids.shape[1])
        if rows and rows == list(range(rows[0], rows[0] + len(rows))) and len(rows) > 1:
            tables.positional[names[id(table)]] = rows[0]
        elif rows and len({*rows}) == 1:
            tables.segment.append(names[id(table)])
    return tables


def _rows_read(made: Any, table: Any, n_tokens: int) -> list[int]:
    """Return the table row equal to a token's vector, by token; empty if a vector is no row.

    A model may pad a text by itself, as Longformer does to whole windows of attention.
    """
    vectors = made.reshape(-1, made.shape[-1])[: made.shape[-2]]
    if len(vectors) < n_tokens or vectors.shape[1] != table.shape[1]:
        return []
    same = (vectors[:n_tokens, None] == table[None]).all(dim=-1)
    return same.int().argmax(dim=1).tolist() if bool(same.any(dim=1).all()) else []


def _mappings(module: Any, dim: int, questions: dict[str, str]) -> list[str]:
    """Return the linear layers that lead from a different embedding size to the hidden size."""
    import torch

    hidden = module.config.hidden_size
    if dim == hidden:
        return []
    inputs = (dim, WITH_NEIGHBORS * dim)
    paths = [
        path
        for path, layer in outer_modules(module).items()
        if isinstance(layer, torch.nn.Linear)
        and layer.out_features == hidden
        and layer.in_features in inputs
    ]
    if not paths:
        questions["matrices.mapping"] = (
            f"the input matrix has {dim} dimensions, hidden states {hidden}, and no linear layer "
            "leads from the one to the other"
        )
    return paths


def _marks(tokenizer: Any) -> dict[str, str]:
    """Return how the tokenizer marks the pieces of words, and the reserved tokens."""
    spelling = spelling_of(json.loads(tokenizer.backend_tokenizer.to_str()))
    marks = {PREFIXES[spelling.marks]: spelling.marker} if spelling.marks in PREFIXES else {}
    vocabulary = tokenizer.get_vocab()
    unused = [
        pattern for pattern in UNUSED if any(re.fullmatch(pattern, token) for token in vocabulary)
    ]
    return marks | ({"unused_tokens": "|".join(unused)} if unused else {})


def _window(
    module: Any, positional: str | None, tokenizer: Any, questions: dict[str, str]
) -> dict[str, int]:
    """Return the key `window` where neither a table nor the config limits the input."""
    if window := full_attention_window(module.config):
        return {"window": window}
    if positional or (getattr(module.config, "max_position_embeddings", None) or 0) > 0:
        return {}
    if (bound := tokenizer_bound(tokenizer)) is not None:
        return {"window": bound}
    questions["window"] = (
        "config.json and the tokenizer give no number of positions; how many tokens the model "
        "reads at once"
    )
    return {}


def _summary(module: Any, weight: Any, n_padding: int) -> str:
    return (
        f"{type(module).__name__}: {counted(module.config.num_hidden_layers, 'layer')} of "
        f"{counted(module.config.hidden_size, 'dimension')}, "
        f"{counted(len(weight) - n_padding, 'token')}"
    )
