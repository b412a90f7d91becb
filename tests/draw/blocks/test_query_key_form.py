"""Holds the sentence of queries and keys to its rows."""

from typing import Any

import numpy as np
import pytest

from embspace.draw.blocks.query_key_form import draw_query_key_form
from embspace.draw.page.saving import Results
from embspace.measure.blocks.query_key_form import QUERY_KEY_FORM
from embspace.measure.blocks.query_key_form_heads import LAYER_MEASURES
from embspace.measure.blocks.query_key_form_nulls import HEAD_MEASURES
from tests.analyses import as_drawn

KINDS = ("random_initialization", "shuffled_entries")
FACTS = {
    "known": True,
    "architecture": "BertModel",
    "n_layers": 3,
    "n_heads": 4,
    "n_key_heads": 4,
    "query_biases": True,
    "rotary_positions": False,
    "n_seeds": 5,
    "corpus": "posts",
    "n_texts": 60,
    "n_tokens": 1470,
}
RANGE = {"null_mean": 0.5, "null_smallest": 0.45, "null_largest": 0.55, "n_draws": 20}


def drawn(results: Results, label: str = "a model") -> tuple[str, str]:
    return draw_query_key_form(results, label, digits=3)


def results(layer_value: float = 0.75, **facts: Any) -> Results:
    layers = (1, 2, 3)
    rng = np.random.default_rng(0)
    columns = [name for name in QUERY_KEY_FORM.tables["heads"].columns if "*" not in name]
    heads = [
        {"layer": layer, "head": head} | {name: rng.uniform(0.4, 0.7) for name in columns[2:]}
        for layer in layers
        for head in (1, 2, 3, 4)
    ]
    profiles = [
        {"part": "layer" if layer else "median_of_layers", "layer": layer, "measure": measure}
        | {"value": layer_value, "as_printed": 2 * layer_value - 1}
        for layer in (*layers, None)
        for measure in LAYER_MEASURES
    ]
    counts = {"n_below": int(layer_value < 0.45), "n_above": int(layer_value > 0.55)}
    counts["n_within"] = 1 - sum(counts.values())
    nulls = [
        {"part": row["part"], "layer": row["layer"], "measure": row["measure"], "null": null}
        | {"median": layer_value, "n": 1}
        | counts
        | RANGE
        for null in KINDS
        for row in profiles
    ]
    nulls += [
        {"part": "head", "layer": layer, "measure": measure, "null": null, "median": 0.6, "n": 4}
        | {"n_below": 0, "n_within": 1, "n_above": 3}
        | RANGE
        for null in KINDS
        for layer in layers
        for measure in HEAD_MEASURES
    ]
    ranks = [
        {"layer": layer, "weights": weights, "rank": rank, "n": 4}
        | {"singular_share": 0.5 / rank, "principal_angle": 10.0 * rank + layer}
        for weights in ("trained", *KINDS)
        for layer in layers
        for rank in (1, 2, 3)
    ]
    rows: dict[str, Any] = {"heads": heads, "profiles": profiles, "nulls": nulls, "ranks": ranks}
    tables = {name: QUERY_KEY_FORM.tables[name].of(given) for name, given in rows.items()}
    return as_drawn(QUERY_KEY_FORM, {**tables, "json": FACTS | facts})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.75, "more symmetric than random ones: symmetry 0.75"),
        (0.5, "as symmetric as random ones: symmetry 0.50"),
        (0.2, "less symmetric than random ones: symmetry 0.20"),
    ],
)
def test_the_finding_says_how_symmetric_layers_are(value: float, said: str):
    assert said in drawn(with_directionality(results(value), n_above=0, n_below=0))[0]


def with_directionality(given: Results, **change: float) -> Results:
    nulls = given["nulls"]
    is_median = (nulls["part"] == "median_of_layers") & (nulls["measure"] == "directionality")
    nulls.loc[is_median, [*change]] = [*change.values()]
    return given


def test_the_finding_says_the_side_that_is_beyond_random_heads():
    keys = {"n_above": 1, "n_below": 0, "median": 0.24, "null_mean": 0.01}
    assert drawn(with_directionality(results(0.55, rotary_positions=True), **keys))[0] == (
        "Without the rotation of positions, heads of a model taken together, as symmetric as "
        "random ones, single out dimensions of keys more than of queries (directionality 0.24 in "
        "the median layer, 0.01 at random)"
    )
    queries = {"n_above": 0, "n_below": 1, "median": -0.24, "null_mean": 0.01}
    said = drawn(with_directionality(results(0.75), **queries))[0]
    start = "Heads of a model taken together, more symmetric than random ones, single out"
    assert said.startswith(f"{start} dimensions of queries more than of keys (directionality")


def test_rotary_positions_and_shared_keys_are_noted():
    _, text = drawn(results(rotary_positions=True, n_key_heads=2))
    assert "the form is that of a token and itself. The 4 heads of a layer share 2 keys." in text
    _, text = drawn(results())
    assert "of a token and itself" not in text and "share" not in text.partition("##")[0]
    assert "heads of a layer share" not in text


@pytest.mark.parametrize(
    ("architecture", "said"),
    [
        ("OPTModel", "the attention of OPTModel is not rebuilt here"),
        (None, "vectors alone have no attention"),
    ],
)
def test_an_unknown_architecture_is_a_sentence(architecture: str | None, said: str):
    empty = QUERY_KEY_FORM.empty(known=False, architecture=architecture)
    finding, text = drawn(as_drawn(QUERY_KEY_FORM, empty))
    assert "is not known here" in finding
    assert said[1:] in text


def test_a_block_of_several_layers_is_no_layer():
    finding, _ = drawn(results(n_layers=1, n_uses=12))
    assert "in its one block" in finding and "median layer" not in finding
