"""The files of conf/model against the sizes that the makers of the models published."""

from pathlib import Path
from typing import Any

import pytest

from embspace.models.architecture import empty_model
from embspace.models.checkpoints import published_checkpoints
from embspace.settings.model import HubModel, Model, describe_model
from embspace.settings.schema import read_yaml
from tests.models.published import CONFIGS


def described(root: Path, name: str) -> Model:
    return describe_model(name, read_yaml(root / f"conf/model/{name}.yaml"))


@pytest.fixture(scope="module", params=CONFIGS)
def model(request: pytest.FixtureRequest, root: Path) -> tuple[Model, Any]:
    """What a file says, and the architecture without weights."""
    from transformers import AutoConfig

    return described(root, request.param), empty_model(
        AutoConfig.for_model(**CONFIGS[request.param])
    )


def test_every_model_of_the_hub_is_here(root: Path):
    files = [path.stem for path in (root / "conf/model").glob("*.yaml")]
    assert {name for name in files if isinstance(described(root, name), HubModel)} == set(CONFIGS)


def test_parameters_are_those_of_the_architecture(model: tuple[Model, Any]):
    description, module = model
    assert description.parameters == sum(parameter.numel() for parameter in module.parameters())


def test_tables_have_the_names_and_shapes_that_they_should(model: tuple[Model, Any]):
    description, module = model
    shapes = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    names, config = description.matrices, module.config
    n_tokens, dim = shapes[names.input]
    assert n_tokens == config.vocab_size
    if names.positional is not None:
        # Configs count the rows before position 0, but for OPT's.
        assert shapes[names.positional][0] - description.position_offset in (512, 1024, 2048)
    if names.segment is not None:
        assert shapes[names.segment] == (config.type_vocab_size, dim)
    if names.mapping is not None:
        assert shapes[f"{names.mapping}.weight"] == (config.hidden_size, dim)
    else:
        assert dim == config.hidden_size
    if description.final_norm is not None:
        assert module.get_submodule(description.final_norm).weight.shape[-1] == config.hidden_size


def test_no_learned_table_is_left_out(model: tuple[Model, Any]):
    """What looks like a table of positions or segments and is in no block is in the file."""
    import torch

    description, module = model
    outer = {
        f"{path}.weight"
        for path, part in module.named_modules()
        if isinstance(part, torch.nn.Embedding) and not any(p.isdigit() for p in path.split("."))
    }
    # Of relative positions, inside attention: one vector a distance, none a position.
    relative = {"encoder.rel_embeddings.weight", "encoder.relative_attention_bias.weight"}
    names = description.matrices
    assert outer - relative == {names.input, names.positional, names.segment} - {None}


def with_head(name: str, kind: str) -> Any:
    """The architecture without weights, under a head of transformers."""
    import torch
    import transformers

    config = transformers.AutoConfig.for_model(**CONFIGS[name])
    with torch.device("meta"):
        return getattr(transformers, kind).from_config(config)


MASKED = ["bert_base_cased", "roberta_base", "distilbert_base_cased", "albert_base_v2"]
MASKED += ["modernbert_base"]


@pytest.mark.parametrize("name", MASKED)
def test_a_masked_head_has_the_names_of_its_architecture(root: Path, name: str):
    model = described(root, name)
    module = with_head(name, "AutoModelForMaskedLM")
    assert isinstance(model, HubModel)
    assert model.masked_head is not None
    shapes = {key: tuple(tensor.shape) for key, tensor in module.state_dict().items()}
    head, config = model.masked_head, module.config
    width = shapes[f"{head.norm}.weight"][0]
    assert shapes[f"{head.dense}.weight"] == (width, config.hidden_size)
    assert shapes[str(head.bias)] == (config.vocab_size,)
    assert width == module.get_output_embeddings().weight.shape[1]
    activations = ("classifier_activation", "hidden_act", "activation")
    assert head.activation == next(
        getattr(config, name_of_act) for name_of_act in activations if hasattr(config, name_of_act)
    )


def test_models_of_one_kind_have_one_masked_head(root: Path):
    models = {name: described(root, name) for name in CONFIGS}
    heads = {
        str(CONFIGS[name]["model_type"]): model.masked_head
        for name, model in models.items()
        if isinstance(model, HubModel) and model.masked_head and name in MASKED
    }
    heads["xlm-roberta"] = heads["roberta"]
    for name, model in models.items():
        if isinstance(model, HubModel) and model.masked_head:
            assert model.masked_head == heads[CONFIGS[name]["model_type"]], name


@pytest.mark.parametrize("name", ["pythia_70m", "gpt_j_6b", "llama_2_7b"])
def test_an_output_matrix_is_that_of_a_decoder_that_ties_none(root: Path, name: str):
    model = described(root, name)
    module = with_head(name, "AutoModelForCausalLM")
    assert isinstance(model, HubModel)
    # transformers gives that of Pythia another name when it loads a checkpoint.
    output = str(model.matrices.output).replace("embed_out", "lm_head")
    shape = (module.config.vocab_size, module.config.hidden_size)
    assert tuple(module.state_dict()[output].shape) == shape
    assert not module.config.tie_word_embeddings


def test_models_of_the_hub_are_not_pinned_to_a_commit_that_nobody_saw(root: Path):
    for name in CONFIGS:
        model = described(root, name)
        assert isinstance(model, HubModel)
        assert model.revision == "main"


def test_minilm_of_the_hub_has_the_weights_of_the_package(root: Path):
    hub, package = described(root, "minilm_hub"), described(root, "minilm")
    weights = "model.safetensors"
    assert hub.sha256[weights] == package.sha256[weights]  # type: ignore[union-attr]
    assert hub.matrices == package.matrices


@pytest.mark.parametrize(("name", "n_steps"), [("multiberts_seed_3", 29), ("pythia_70m", 154)])
def test_checkpoints_are_the_steps_that_were_published(root: Path, name: str, n_steps: int):
    model = described(root, name)
    assert isinstance(model, HubModel)
    assert model.checkpoints is not None
    steps = model.checkpoints.steps
    assert len(steps) == n_steps
    assert steps == sorted(set(steps))
    assert steps[0] == 0
    place = model.checkpoints.repository or model.checkpoints.revision or ""
    assert place.format(step=20) in ("google/multiberts-seed_3-step_20k", "step20")


@pytest.mark.parametrize("name", ["bloom_560m", "bloom_1b1", "bloom_1b7", "bloom_3b"])
def test_checkpoints_of_bloom_are_branches_of_another_repository(root: Path, name: str):
    model = described(root, name)
    assert isinstance(model, HubModel)
    first = published_checkpoints(name, model)[0]
    assert (first.name, first.model.revision) == (f"{name}@step1000", "global_step1000")
    assert first.model.repository == f"{model.repository}-intermediate"
