"""Holds the forms of queries and keys to models whose heads are known."""

from typing import Any

import numpy as np
import pytest

from embspace.measure.blocks.query_key_form import measure_query_key_form
from tests.analyses import settings_of
from tests.lazy import torch, transformers
from tests.measure.layer_corpora import corpus
from tests.models.stream.tiny import tiny

FEW: dict[str, Any] = {"n_seeds": 2, "n_texts": 6, "n_half_samples": 8, "level": 0.9}
# Of models with random weights.
DECIDED_BY_SEED = ("n_below", "n_within", "n_above", "singular_share", "principal_angle")
CORPORA = {"posts": corpus(8), "articles": corpus(5, seed=1)}
HEAD_PLACES = [(layer, head) for layer in (1, 2) for head in (1, 2, 3, 4)]


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"module": None if is_empty else tiny("bert", num_hidden_layers=2), "corpora": CORPORA}


def measured(module: Any, corpora: Any = CORPORA, **changed: Any) -> dict[str, Any]:
    few = FEW | {"tokens_per_batch": 40, "seed": 3}
    settings = settings_of(measure_query_key_form, **few | changed)
    return measure_query_key_form(module, corpora, **settings)


def planted(module: Any) -> Any:
    """Layer 1: keys are queries, so that each head is symmetric; layer 2: antisymmetric heads."""
    turn = torch.kron(torch.eye(12), torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))
    with torch.no_grad():
        for layer, made in ((0, torch.eye(24)), (1, turn)):
            attention = module.encoder.layer[layer].attention.self
            attention.key.weight.copy_(made @ attention.query.weight)
    return module


@pytest.fixture(scope="module")
def outcome() -> dict[str, Any]:
    return measured(planted(tiny("bert", num_hidden_layers=2)))


def test_planted_heads_are_found(outcome: dict[str, Any]):
    heads = outcome["heads"].set_index(["layer", "head"])
    assert [*heads.index] == HEAD_PLACES
    assert heads.loc[1, "symmetry"].to_numpy() == pytest.approx(1)
    assert heads.loc[2, "symmetry"].to_numpy() == pytest.approx(0, abs=1e-6)
    assert (heads["symmetry"] + heads["skew_share"]).to_numpy() == pytest.approx(1)
    assert (heads.loc[1, "n_real_positive"] == 6).all()
    assert (heads.loc[2, "complex_share"] == 1).all()
    assert heads["largest_angle"].to_numpy() == pytest.approx(0, abs=1e-3)
    assert heads["overlap"].to_numpy() == pytest.approx(1)
    assert heads["expected_overlap"].to_numpy() == pytest.approx(6 / 24)


def test_the_layer_is_the_sum_of_its_heads(outcome: dict[str, Any]):
    values = outcome["profiles"].set_index(["part", "layer", "measure"])["value"]
    module = planted(tiny("bert", num_hidden_layers=2))
    for layer in (1, 2):
        attention = module.encoder.layer[layer - 1].attention.self
        query, key = (part.weight.detach().double() for part in (attention.query, attention.key))
        form = (query.T @ key).numpy()
        part = (form + form.T) / 2
        expected = np.square(part).sum() / np.square(form).sum()
        assert values["layer", layer, "symmetry"] == pytest.approx(expected, abs=1e-6)
    printed = outcome["profiles"].query("part == 'median_of_layers'").set_index("measure")
    assert printed["layer"].isna().all()
    assert printed.loc["symmetry", "value"] == pytest.approx(0.5)
    assert printed.loc["symmetry", "as_printed"] == pytest.approx(0, abs=1e-6)
    directionality = printed.loc["directionality"]
    assert directionality["as_printed"] == -directionality["value"]
    assert np.isnan(printed.loc["top_share", "as_printed"])


def test_what_was_planted_is_beyond_random_weights(outcome: dict[str, Any]):
    nulls = (
        outcome["nulls"]
        .query("part == 'head' and measure == 'symmetry'")
        .set_index(["null", "layer"])
    )
    for null in ("random_initialization", "shuffled_entries"):
        assert nulls.loc[(null, 1), ["n_below", "n_within", "n_above"]].tolist() == [0, 0, 4]
        assert nulls.loc[(null, 2), ["n_below", "n_within", "n_above"]].tolist() == [4, 0, 0]
        assert nulls.loc[(null, 1), "n_draws"] == 8  # of 4 heads and 2 seeds
        assert nulls.loc[(null, 1), "null_mean"] == pytest.approx(0.5, abs=0.1)


def test_a_random_model_is_among_random_ones():
    module = tiny("bert", num_hidden_layers=2)
    torch.manual_seed(0)
    for part in module.modules():
        module._init_weights(part)
    nulls = measured(module, {}, n_seeds=12)["nulls"]
    rows = nulls.query("null == 'random_initialization' and part == 'head' and n > 0")
    beyond = rows["n_below"].sum() + rows["n_above"].sum()
    # of 4 values beside 48 draws, 2 of 49 lie beyond all draws on average
    assert beyond / rows["n"].sum() == pytest.approx(2 / 49, abs=0.06)


def test_shares_of_scores_and_their_bounds(outcome: dict[str, Any]):
    heads = outcome["heads"]
    assert (heads["key_only_share"] >= 0).all()
    assert heads["mean_query_share"].between(0, 1).all()
    for share in ("key_only_share", "mean_query_share"):
        assert (heads[f"{share}_low"] < heads[f"{share}_high"]).all()
    rows = outcome["nulls"].query("measure == 'key_only_share'")
    largest = rows.groupby("null")["null_largest"].max()
    assert largest["random_initialization"] == 0  # biases begin at 0
    assert outcome["json"]["corpus"] == "posts"
    assert outcome["json"]["n_texts"] == 6


def test_without_biases_the_key_only_term_is_not_defined():
    outcome = measured(tiny("gpt2"))
    assert outcome["json"]["query_biases"] is True
    assert outcome["heads"]["key_only_share"].notna().all()
    for rotary in ("modernbert", "llama"):
        outcome = measured(tiny(rotary))
        assert outcome["json"]["rotary_positions"] is True
        assert outcome["json"]["query_biases"] is False
        assert outcome["heads"][["key_only_share", "mean_query_share"]].isna().all(axis=None)
        rows = outcome["nulls"].query("measure == 'key_only_share'")
        assert (rows["n"] == 0).all() and (rows["n_draws"] == 0).all()


def test_without_texts_the_weights_are_measured_all_the_same():
    outcome = measured(tiny("bert", num_hidden_layers=2), {})
    assert outcome["heads"]["symmetry"].notna().all()
    assert outcome["heads"]["key_only_share"].isna().all()
    assert (outcome["json"]["corpus"], outcome["json"]["n_tokens"]) == (None, 0)


def test_an_unknown_architecture_has_empty_tables():
    sizes = {"num_hidden_layers": 1, "hidden_size": 8, "num_attention_heads": 2, "vocab_size": 12}
    opt = transformers.OPTModel(transformers.OPTConfig(**sizes, ffn_dim=16, word_embed_proj_dim=8))
    for module, name in ((opt, "OPTModel"), (None, None)):
        outcome = measured(module)
        assert outcome.pop("json") == {"known": False, "architecture": name}
        assert all(table.empty for table in outcome.values())


def test_ranks_are_means_over_heads(outcome: dict[str, Any]):
    ranks = outcome["ranks"].set_index("weights")
    assert {*ranks.index} == {"trained", "random_initialization", "shuffled_entries"}
    assert (ranks.loc["trained", "n"] == 4).all()
    assert (ranks.loc["random_initialization", "n"] == 8).all()
    sums = outcome["ranks"].groupby(["weights", "layer"])["singular_share"].sum()
    assert sums.to_numpy() == pytest.approx(1)


def test_the_module_stays():
    module = planted(tiny("bert", num_hidden_layers=2))
    before = {name: values.clone() for name, values in module.state_dict().items()}
    measured(module)
    assert all(values.equal(before[name]) for name, values in module.state_dict().items())


def test_a_block_that_layers_share_is_measured_once():
    outcome = measured(tiny("albert", num_hidden_layers=4, num_hidden_groups=2))
    assert outcome["json"]["known"] and outcome["json"]["n_layers"] == 2
    assert outcome["json"]["n_uses"] == 4
    assert "n_uses" not in measured(tiny("bert", num_hidden_layers=2))["json"]
    heads = outcome["heads"]
    assert heads[["layer", "head"]].to_numpy().tolist() == [
        [layer, head] for layer in (1, 3) for head in (1, 2, 3, 4)
    ]
    assert heads["key_only_share"].notna().all()
