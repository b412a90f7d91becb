"""Tables as the stages of the chapter write them."""

from typing import Any

from embspace.measure.parameters.keep_k import KEEP_K
from embspace.measure.parameters.parameter_vectors import MEASURES, PARAMETER_VECTORS
from embspace.measure.parameters.related_pairs import MEASURES as OF_PAIRS
from embspace.measure.parameters.related_parameters import RELATED_PARAMETERS

GROUPS = ("feed_forward_key", "feed_forward_value", "attention_value")
FACTS: dict[str, Any] = {
    "known": True,
    "architecture": "BertModel",
    "n_layers": 3,
    "n_tokens": 30522,
    "n_allowed": 29523,
    "k": 3,
    "n_shuffles": 2,
}
UNKNOWN: dict[str, Any] = {"known": False, "architecture": "FunnelModel"}


def vector_results(*, known: bool = True) -> dict[str, Any]:
    layers, readings = (1, 2, 3), ("word_embeddings", "pseudo_inverse")
    null = {"shuffled_mean": 0.1, "shuffled_smallest": 0.05}
    null |= {"shuffled_largest": 0.15, "n_vectors": 1536, "n_shuffled": 64}
    places = [
        {"layer": layer, "group": group, "reading": reading}
        for reading in readings
        for layer in layers
        for group in GROUPS
    ]
    scores = [
        {**place, "measure": measure, "value": 0.3 + 0.01 * place["layer"], **null}
        for place in places
        for measure in MEASURES
    ]
    cards = [
        {**place, "chosen": chosen, "rank": 1, "vector": 7, "coherence": 0.5}
        | {"head": 2 if place["group"] == "attention_value" else None}
        | {"tokens": "first に third", "opposite_tokens": "fourth | six"}
        for place in places
        for chosen in ("most coherent", "at random")
    ]
    rows: dict[str, Any] = {"csv": scores, "cards": cards}
    tables = {name: PARAMETER_VECTORS.tables[name].of(rows[name]) for name in rows}
    return {"json": FACTS, **tables} if known else PARAMETER_VECTORS.empty(**UNKNOWN)


def keep_k_results(*, known: bool = True) -> dict[str, Any]:
    kinds = ("normal", "feed_forward_key", "feed_forward_value", "hidden_state")
    inverses = ("transpose", "pseudo_inverse")
    scores = [
        {"kind": kind, "inverse": inverse, "k": k, "n_vectors": 300, "value": value}
        | {"low": value - 0.01, "high": value + 0.01, "n_draws": 2, "n_pool": 600}
        for kind in kinds
        for inverse, value in zip(inverses, (0.8, 0.1), strict=True)
        for k in (10, 100, 1000)
    ]
    sizes = [
        {"kind": kind, "inverse": inverse, "k": 1024, "n_vectors": n, "value": 0.6}
        | {"low": 0.6, "high": 0.6, "n_draws": 1, "n_pool": 600}
        for kind in kinds
        for inverse in inverses
        for n in (75, 150)
    ]
    facts = FACTS | {"corpus": "articles", "n_vectors": 300, "n_draws": 2}
    facts |= {"chosen_inverse": "transpose", "mean_transpose": 0.8, "mean_pseudo_inverse": 0.1}
    facts |= {"n_pool": 600, "level": 0.95}
    facts |= {"advantage": 0.7, "advantage_low": 0.6, "advantage_high": 0.8}
    if not known:
        return KEEP_K.empty(**UNKNOWN)
    rows: dict[str, Any] = {"csv": scores, "sizes": sizes}
    return {"json": facts, **{name: KEEP_K.tables[name].of(rows[name]) for name in rows}}


def related_results(*, known: bool = True, has_texts: bool = True) -> dict[str, Any]:
    bounds = {"value": 0.06, "low": 0.05, "high": 0.07}
    dealt = {"shuffled": 0.01, "shuffled_low": 0.005, "shuffled_high": 0.02, "p_value": 0.005}
    pairs = [
        {"layer": layer, "pair": pair, "measure": measure, "value": 0.06, **dealt}
        | {"n_pairs": 192}
        for layer in (1, 2, 3)
        for pair in ("key_value", "value_output", "query_key")
        for measure in OF_PAIRS
    ]
    whole = [
        {"pair": pair, "measure": measure, "value": 0.06, **dealt, "n_layers": 3, "n_pairs": 576}
        for pair in ("key_value", "value_output", "query_key")
        for measure in OF_PAIRS
    ]
    states = [
        {"layer": layer, "group": group, "state": state, **bounds}
        | {"other_texts": 0.02, "n_texts": 40, "n_tokens": 160}
        for layer in (1, 2, 3)
        for group in GROUPS
        for state in ("layer", "final")
    ]
    facts = FACTS | {"k": 100, "state_k": 50, "n_active": 5, "related_from": 0.15, "n_deals": 199}
    facts |= {"corpus": "posts" if has_texts else None}
    if not known:
        return RELATED_PARAMETERS.empty(**UNKNOWN)
    rows: dict[str, Any] = {"csv": states if has_texts else [], "pairs": pairs, "whole": whole}
    return {
        "json": facts,
        **{name: RELATED_PARAMETERS.tables[name].of(rows[name]) for name in rows},
    }
