"""Holds the forms of queries and keys to models whose heads are known."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from embspace.measure.blocks.query_key_form import HEADS, measure_query_key_form
from embspace.measure.blocks.query_key_form_nulls import NULLS, PROFILES, RANKS
from tests.lazy import torch, transformers
from tests.measure.layer_corpora import corpus
from tests.models.stream.tiny import tiny

SETTINGS: dict[str, Any] = {
    "n_deviations": 2.0,
    "n_seeds": 2,
    "corpus": "posts",
    "n_texts": 6,
    "tokens_per_batch": 40,
    "n_half_samples": 8,
    "level": 0.9,
    "device": "cpu",
    "seed": 3,
}
CORPORA = {"posts": corpus(8), "articles": corpus(5, seed=1)}
HEAD_PLACES = [(layer, head) for layer in (1, 2) for head in (1, 2, 3, 4)]


def planted(module: Any) -> Any:
    """Layer 1: keys are queries, so that each head is symmetric; layer 2: antisymmetric heads."""
    turn = torch.kron(torch.eye(12), torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))
    with torch.no_grad():
        for layer, made in ((0, torch.eye(24)), (1, turn)):
            attention = module.encoder.layer[layer].attention.self
            attention.key.weight.copy_(made @ attention.query.weight)
    return module


@pytest.fixture(scope="module")
def found() -> Any:
    return measure_query_key_form(planted(tiny("bert", num_hidden_layers=2)), CORPORA, **SETTINGS)


def test_planted_heads_are_found(found: Any):
    heads = found.heads.set_index(["layer", "head"])
    assert [*heads.index] == HEAD_PLACES
    assert heads.loc[1, "symmetry"].to_numpy() == pytest.approx(1)
    assert heads.loc[2, "symmetry"].to_numpy() == pytest.approx(0, abs=1e-6)
    assert (heads["symmetry"] + heads["skew_share"]).to_numpy() == pytest.approx(1)
    assert (heads.loc[1, "n_real_positive"] == 6).all()
    assert (heads.loc[2, "complex_share"] == 1).all()
    assert heads["largest_angle"].to_numpy() == pytest.approx(0, abs=1e-3)
    assert heads["overlap"].to_numpy() == pytest.approx(1)
    assert heads["expected_overlap"].to_numpy() == pytest.approx(6 / 24)


def test_the_layer_is_the_sum_of_its_heads(found: Any):
    values = found.profiles.set_index(["part", "layer", "measure"])["value"]
    module = planted(tiny("bert", num_hidden_layers=2))
    for layer in (1, 2):
        attention = module.encoder.layer[layer - 1].attention.self
        query, key = (each.weight.detach().double() for each in (attention.query, attention.key))
        form = (query.T @ key).numpy()
        part = (form + form.T) / 2
        expected = np.square(part).sum() / np.square(form).sum()
        assert values["layer", layer, "symmetry"] == pytest.approx(expected, abs=1e-6)
    printed = found.profiles.query("part == 'median_of_layers'").set_index("measure")
    assert printed["layer"].isna().all()
    assert printed.loc["symmetry", "value"] == pytest.approx(0.5)
    assert printed.loc["symmetry", "as_printed"] == pytest.approx(0, abs=1e-6)
    directionality = printed.loc["directionality"]
    assert directionality["as_printed"] == -directionality["value"]
    assert np.isnan(printed.loc["top_share", "as_printed"])


def test_what_was_planted_is_beyond_random_weights(found: Any):
    nulls = found.nulls.query("part == 'head' and measure == 'symmetry'").set_index(
        ["null", "layer"]
    )
    for null in ("random_initialization", "shuffled_entries"):
        assert nulls.loc[(null, 1), ["n_below", "n_within", "n_above"]].tolist() == [0, 0, 4]
        assert nulls.loc[(null, 2), ["n_below", "n_within", "n_above"]].tolist() == [4, 0, 0]
        assert nulls.loc[(null, 1), "n_draws"] == 8  # of 4 heads and 2 seeds
        assert nulls.loc[(null, 1), "null_mean"] == pytest.approx(0.5, abs=0.1)


def test_a_random_model_is_among_random_ones():
    module = tiny("bert", num_hidden_layers=2)
    torch.manual_seed(0)
    for each in module.modules():
        module._init_weights(each)
    nulls = measure_query_key_form(module, {}, **SETTINGS | {"n_seeds": 12}).nulls
    rows = nulls.query("null == 'random_initialization' and part == 'head' and n > 0")
    beyond = rows["n_below"].sum() + rows["n_above"].sum()
    # of 4 values beside 48 draws, 2 of 49 lie beyond all draws on average
    assert beyond / rows["n"].sum() == pytest.approx(2 / 49, abs=0.06)


def test_shares_of_scores_and_their_bounds(found: Any):
    heads = found.heads
    assert (heads["key_only_share"] >= 0).all()
    assert heads["mean_query_share"].between(0, 1).all()
    for share in ("key_only_share", "mean_query_share"):
        assert (heads[f"{share}_low"] < heads[f"{share}_high"]).all()
    nulls = found.nulls.query("measure == 'key_only_share'").groupby("null")["null_largest"].max()
    assert nulls["random_initialization"] == 0  # biases begin at 0
    assert found.facts["corpus"] == "posts"
    assert found.facts["n_texts"] == 6


def test_without_biases_the_key_only_term_is_not_defined():
    found = measure_query_key_form(tiny("gpt2"), CORPORA, **SETTINGS)
    assert found.facts["query_biases"] is True
    assert found.heads["key_only_share"].notna().all()
    for rotary in ("modernbert", "llama"):
        found = measure_query_key_form(tiny(rotary), CORPORA, **SETTINGS)
        assert found.facts["rotary_positions"] is True
        assert found.facts["query_biases"] is False
        assert found.heads[["key_only_share", "mean_query_share"]].isna().all(axis=None)
        rows = found.nulls.query("measure == 'key_only_share'")
        assert (rows["n"] == 0).all() and (rows["n_draws"] == 0).all()


def test_without_texts_the_weights_are_measured_all_the_same():
    found = measure_query_key_form(tiny("bert", num_hidden_layers=2), {}, **SETTINGS)
    assert found.heads["symmetry"].notna().all()
    assert found.heads["key_only_share"].isna().all()
    assert (found.facts["corpus"], found.facts["n_tokens"]) == (None, 0)


def test_an_unknown_architecture_has_empty_tables():
    sizes = {"num_hidden_layers": 1, "hidden_size": 8, "num_attention_heads": 2, "vocab_size": 12}
    opt = transformers.OPTModel(transformers.OPTConfig(**sizes, ffn_dim=16, word_embed_proj_dim=8))
    for module, name in ((opt, "OPTModel"), (None, None)):
        found = measure_query_key_form(module, CORPORA, **SETTINGS)
        tables = (found.heads, found.profiles, found.nulls, found.ranks)
        for table, columns in zip(tables, (HEADS, PROFILES, NULLS, RANKS), strict=True):
            assert table.empty and list(table) == columns
        assert found.facts == {"known": False, "architecture": name}


def test_ranks_are_means_over_heads(found: Any):
    ranks = found.ranks.set_index("weights")
    assert set(found.ranks["weights"]) == {"trained", "random_initialization", "shuffled_entries"}
    assert (ranks.loc["trained", "n"] == 4).all()
    assert (ranks.loc["random_initialization", "n"] == 8).all()
    sums = found.ranks.groupby(["weights", "layer"])["singular_share"].sum()
    assert sums.to_numpy() == pytest.approx(1)


def test_the_module_stays_and_the_same_seed_gives_the_same(found: Any):
    module = planted(tiny("bert", num_hidden_layers=2))
    before = {name: each.clone() for name, each in module.state_dict().items()}
    again = measure_query_key_form(module, CORPORA, **SETTINGS)
    assert all(each.equal(before[name]) for name, each in module.state_dict().items())
    for table in ("heads", "profiles", "nulls", "ranks"):
        pd.testing.assert_frame_equal(getattr(again, table), getattr(found, table))


def test_the_settings_of_the_project_fit(root: Any):
    file = root / "conf/measure/blocks/query_key_form.yaml"
    given = yaml.safe_load(file.read_text()) | {"n_seeds": 1, "device": "cpu", "seed": 0}
    assert (
        len(measure_query_key_form(tiny("bert", num_hidden_layers=2), CORPORA, **given).heads) == 8
    )
