from pathlib import Path
from typing import Any

import pytest

from embspace.measure.learned.architecture import measure_architecture
from embspace.models.architecture import config_of
from embspace.settings.schema import read_yaml

BERT = {
    "model_type": "bert",
    "vocab_size": 50,
    "hidden_size": 16,
    "intermediate_size": 40,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "max_position_embeddings": 20,
    "type_vocab_size": 2,
}


@pytest.fixture(scope="module")
def settings(root: Path) -> dict[str, Any]:
    return read_yaml(root / "conf/measure/learned/architecture.yaml")


def measured(settings: dict[str, Any], **options: Any) -> dict[str, Any]:
    return measure_architecture("mine", config_of(BERT | options, "y"), **settings)


def counts(
    outcome: dict[str, Any], architecture: str, column: str = "n_parameters"
) -> dict[str, int]:
    table = outcome["csv"]
    rows = table[table["architecture"] == architecture]
    return dict(zip(rows["component"], rows[column], strict=True))


def test_the_numbers_that_the_thesis_prints_of_bert_base_cased(settings: dict[str, Any]):
    outcome = measured(settings)
    n = counts(outcome, "bert-base-cased")
    assert n["attention"] == 2_363_904
    assert n["intermediate"] == 2_362_368
    assert n["output"] == 2_361_600
    assert n["segment embeddings"] == 1_536
    assert n["token embeddings"] == 28_996 * 768
    assert n["position embeddings"] == 512 * 768
    assert counts(outcome, "bert-base-cased", "n_weights")["query"] == 589_824
    assert n["whole model"] == outcome["json"]["bert-base-cased"]["n_parameters"] == 108_310_272


def test_what_the_thesis_takes_for_the_output_layer_is_more_than_its_weights(
    settings: dict[str, Any],
):
    # Of 2,361,600, its weights are 3,072 * 768 = 2,359,296; biases and LayerNorm are the rest.
    outcome = measured(settings)
    assert (
        counts(outcome, "bert-base-cased", "n_weights")["output without LayerNorm"] == 3_072 * 768
    )
    n = counts(outcome, "bert-base-cased")
    assert n["output"] == 3_072 * 768 + 768 + 2 * 768
    assert n["intermediate"] == 3_072 * 768 + 3_072


def test_a_small_bert_by_its_formula(settings: dict[str, Any]):
    dim, hidden, n_layers = 16, 40, 3
    norm = 2 * dim
    attention = 4 * (dim * dim + dim) + norm
    intermediate, output = dim * hidden + hidden, hidden * dim + dim + norm
    layer = attention + intermediate + output
    embeddings = (50 + 20 + 2) * dim + norm
    n = counts(measured(settings), "mine")
    assert n["all embeddings"] == embeddings
    assert (n["attention"], n["intermediate"], n["output"]) == (attention, intermediate, output)
    assert n["one layer"] == layer
    assert n["all layers"] == n_layers * layer
    assert n["whole model"] == embeddings + n_layers * layer + dim * dim + dim


def test_shares_and_megabytes_are_those_of_all_layers_together(settings: dict[str, Any]):
    outcome = measured(settings)
    rows = outcome["csv"][outcome["csv"]["architecture"] == "mine"].set_index("component")
    query = rows.loc["query"]
    assert query["n_copies"] == 3
    assert query["n_parameters_of_all"] == 3 * (16 * 16 + 16)
    assert query["share"] == query["n_parameters_of_all"] / rows.loc["whole model", "n_parameters"]
    assert query["megabytes"] == pytest.approx(query["n_parameters_of_all"] * 4e-6)
    assert rows.loc[rows["is_leaf"] == 1, "share"].sum() == pytest.approx(1)


def test_sizes_are_those_of_the_config(settings: dict[str, Any]):
    sizes = measured(settings)["json"]["mine"]
    assert sizes["mebibytes"] == sizes["n_parameters"] * 4 / 2**20
    assert sizes["megabytes"] == sizes["n_parameters"] * 4 / 1e6
    shape = {"n_layers": 3, "dim": 16, "n_attention_heads": 2, "n_tokens": 50, "n_positions": 20}
    assert {key: sizes[key] for key in shape} == shape


def test_a_number_that_a_config_does_not_have_is_none(settings: dict[str, Any]):
    t5 = config_of({"model_type": "t5", "num_layers": 1, "vocab_size": 50}, "y")
    outcome = measure_architecture("t5", t5, **settings | {"references": {}})
    assert outcome["json"]["t5"]["n_positions"] is None
    assert outcome["json"]["t5"]["n_layers"] == 1


def test_other_families_keep_their_own_names_and_common_parts_have_the_reader_s(
    settings: dict[str, Any],
):
    references = {"gpt2": {"model_type": "gpt2", "n_layer": 2, "n_embd": 24}}
    n = counts(measured(settings | {"references": references}), "gpt2")
    assert n["token embeddings"] == 50_257 * 24
    assert {"attention", "c_attn", "mlp", "all layers", "one layer"} <= set(n)
    assert n["c_proj (h.*.attn.c_proj)"] == 24 * 24 + 24
    assert n["c_proj (h.*.mlp.c_proj)"] == 4 * 24 * 24 + 24


@pytest.mark.parametrize("model_type", ["gpt2", "t5", "albert", "distilbert", "modernbert"])
def test_names_tell_the_components_of_an_architecture_apart(
    model_type: str, settings: dict[str, Any]
):
    table = measured(settings | {"references": {"other": {"model_type": model_type}}})["csv"]
    assert not table[["architecture", "component"]].duplicated().any()


def test_parts_of_layers_that_differ_say_which_layers(settings: dict[str, Any]):
    options = {"model_type": "modernbert", "num_hidden_layers": 3, "hidden_size": 24}
    n = counts(measured(settings | {"references": {"modern": options}}), "modern")
    assert {"layer 1", "layers 2-3", "mlp, layer 1", "mlp, layers 2-3"} <= set(n)
    assert n["layers 2-3"] - n["layer 1"] == 24


def test_the_model_is_no_reference_of_its_own(settings: dict[str, Any]):
    config = config_of(BERT, "y")
    outcome = measure_architecture("bert-base-cased", config, **settings)
    assert list(outcome["json"]) == ["bert-base-cased"]
    assert outcome["json"]["bert-base-cased"]["n_tokens"] == 50
    keys = outcome["csv"][["architecture", "module"]]
    assert not keys.duplicated().any()
