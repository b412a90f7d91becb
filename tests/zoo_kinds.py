"""The folders of the zoo: architectures of transformers, small and random, and broken ones.

Each goes through `describe` and one extraction, or is refused in one sentence.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from tests.tiny_architectures import build_tiny

Change = Callable[[Path], None]


@dataclass(frozen=True)
class Kind:
    """One folder."""

    model_type: str
    different: dict[str, Any] = field(default_factory=dict)
    """Keys of the config that are others than the small sizes."""
    change: Change | None = None
    """What is done to the folder after it was saved."""
    refused: str = ""
    """Words of the sentence that refuses it; none if it is read."""
    by_day: bool = False

    def build(self, folder: Path) -> Path:
        """Write the folder."""
        build_tiny(self.model_type, folder, **self.different)
        if self.change is not None:
            self.change(folder)
        return folder


def config(**different: Any) -> Change:
    """Other keys in config.json."""

    def change(folder: Path) -> None:
        file = folder / "config.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | different))

    return change


def config_without(*keys: str, **different: Any) -> Change:
    """Other keys in config.json in the place of some."""

    def change(folder: Path) -> None:
        file = folder / "config.json"
        content = json.loads(file.read_text())
        kept = {key: value for key, value in content.items() if key not in keys}
        file.write_text(json.dumps(kept | different))

    return change


def tensors(**added: tuple[int, ...]) -> Change:
    """Further tensors of these shapes among the weights; `__` stands for a dot."""

    def change(folder: Path) -> None:
        stored = load_file(folder / "model.safetensors")
        more = {
            name.replace("__", "."): np.ones(shape, np.float32) for name, shape in added.items()
        }
        write(folder, stored | more)

    return change


def cast(name: str, kind: type) -> Change:
    """One tensor is of another type."""

    def change(folder: Path) -> None:
        stored = load_file(folder / "model.safetensors")
        write(folder, stored | {name: stored[name].astype(kind)})

    return change


def prefix(text: str) -> Change:
    """Every name of a tensor begins with this."""

    def change(folder: Path) -> None:
        stored = load_file(folder / "model.safetensors")
        write(folder, {f"{text}{name}": values for name, values in stored.items()})

    return change


def infix(text: str) -> Change:
    """Names of blocks have this inside, as where each was wrapped by itself."""

    def change(folder: Path) -> None:
        stored = load_file(folder / "model.safetensors")
        write(folder, {key.replace(".output.", f".{text}output."): stored[key] for key in stored})

    return change


def two_sets(folder: Path) -> None:
    """Another set of the same parameters, with a prefix."""
    stored = load_file(folder / "model.safetensors")
    write(folder, stored | {f"bert.{name}": values + 1 for name, values in stored.items()})


def two_tables(folder: Path) -> None:
    """The encoder's table beside the shared one, with other numbers."""
    stored = load_file(folder / "model.safetensors")
    write(folder, stored | {"encoder.embed_tokens.weight": stored["shared.weight"] + 1})


def files(**written: str) -> Change:
    """Further files; `__` stands for a dot."""

    def change(folder: Path) -> None:
        for name, text in written.items():
            (folder / name.replace("__", ".")).write_text(text)

    return change


def open_vino(folder: Path) -> None:
    """Weights in the form of OpenVINO alone, of which one file has the ending of pickles."""
    (folder / "model.safetensors").unlink()
    files(openvino_model__xml="<net/>", openvino_model__bin="x")(folder)


def renamed(old: str, new: str) -> Change:
    """A file of another name."""
    return lambda folder: shutil.move(folder / old, folder / new) and None


def adapter_alone(folder: Path) -> None:
    """An adapter without its model."""
    for file in ("config.json", "model.safetensors"):
        (folder / file).unlink()
    files(adapter_config__json="{}", adapter_model__safetensors="")(folder)


def shards(*names: str, index: bool) -> Change:
    """The weights in several files."""

    def change(folder: Path) -> None:
        stored = load_file(folder / "model.safetensors")
        (folder / "model.safetensors").unlink()
        places = {key: names[number % len(names)] for number, key in enumerate(sorted(stored))}
        for name in names:
            write(folder, {key: stored[key] for key in stored if places[key] == name}, name)
        if index:
            text = json.dumps({"metadata": {}, "weight_map": places})
            (folder / "model.safetensors.index.json").write_text(text)

    return change


def other_shards_beside(folder: Path) -> None:
    """One file, and beside it shards with an index, of which a number is another."""
    stored = load_file(folder / "model.safetensors")
    key = sorted(stored)[0]
    write(folder, stored | {key: stored[key] + 1})
    shards("model-00001-of-00001.safetensors", index=True)(folder)
    write(folder, stored)


def write(folder: Path, stored: dict[str, np.ndarray], name: str = "model.safetensors") -> None:
    """Write weights as transformers does."""
    save_file(stored, folder / name, metadata={"format": "pt"})


def bigger(factor: float) -> Change:
    """The row of [PAD] is not zero, as in models that were trained on it."""

    def change(folder: Path) -> None:
        stored = load_file(folder / "model.safetensors")
        (key,) = (name for name in stored if name.endswith("word_embeddings.weight"))
        stored[key][0] = factor
        write(folder, stored)

    return change


READ = {
    **{name: Kind(name, by_day=True) for name in ("bert", "gpt2", "fnet", "t5", "xlnet")},
    **{
        name: Kind(name)
        for name in (
            *("albert", "bert-generation", "camembert", "convbert", "data2vec-text", "deberta"),
            *("deberta-v2", "distilbert", "electra", "ernie", "esm", "eurobert", "flaubert"),
            *("gte", "ibert", "jina_embeddings_v3", "longformer", "markuplm"),
            *("megatron-bert", "modernbert", "mpnet", "mra", "nomic_bert", "nystromformer"),
            *("luke", "clip_text_model", "blenderbot-small", "nllb-moe", "prophetnet"),
            *("bigbird_pegasus", "qwen2", "qwen2_moe", "deepseek_v2", "olmo3"),
            *("apertus", "arcee", "seed_oss", "glm", "granitemoe", "cohere2", "exaone4"),
            *("ernie4_5", "minimax", "diffllama", "bitnet", "jetmoe", "phimoe"),
            *("rembert", "roberta", "roberta-prelayernorm", "roformer", "splinter", "squeezebert"),
            *("xlm", "xlm-roberta", "xlm-roberta-xl", "yoso"),
            *("bart", "blenderbot", "led", "longt5", "m2m_100", "marian", "mbart", "mt5", "mvp"),
            *("pegasus", "plbart", "switch_transformers", "umt5"),
            *("biogpt", "bloom", "cohere", "ctrl", "falcon", "gemma", "gemma2", "gemma3_text"),
            *("glm4", "gpt_bigcode", "gpt_neox", "gpt_oss", "granite", "helium", "lfm2", "llama"),
            *("mistral", "mixtral", "modernbert-decoder", "mpt", "nemotron", "olmo", "olmo2"),
            *("olmoe", "openai-gpt", "opt", "persimmon", "phi", "phi3", "qwen3", "qwen3_moe"),
            *("recurrent_gemma", "smollm3", "stablelm", "starcoder2", "xglm"),
        )
    },
    "mobilebert, embedding 8": Kind("mobilebert", {"embedding_size": 8}, by_day=True),
    "electra, embedding 8": Kind("electra", {"embedding_size": 8}),
    "opt, projected": Kind("opt", {"word_embed_proj_dim": 8, "do_layer_norm_before": False}),
    "bert, [PAD] not zero": Kind("bert", change=bigger(3.0)),
    "big_bird, sparse blocks": Kind("big_bird", {"block_size": 2, "num_random_blocks": 1}),
    "bert, decoder": Kind("bert", {"is_decoder": True}),
    "bert, return_dict off": Kind("bert", change=config(return_dict=False)),
    "bert, heads and buffers": Kind(
        "bert",
        change=tensors(
            cls__predictions__transform__dense__weight=(16, 16),
            bert__embeddings__position_ids=(1, 40),
            classifier__weight=(2, 16),
        ),
    ),
    "bert, prefix of its class": Kind("bert", change=prefix("bert.")),
    "bert, shards of any name": Kind(
        "bert", change=shards("a.safetensors", "b.safetensors", index=True), by_day=True
    ),
    "bert, shards without index": Kind(
        "bert",
        change=shards(
            "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", index=False
        ),
    ),
}
READ |= {
    f"{kind}, keys of its first config": Kind(kind, change=config(**keys))
    for kind, keys in {
        "bart": {"normalize_before": False, "normalize_embedding": True},
        "mbart": {"normalize_before": True, "add_final_layer_norm": True},
        "pegasus": {"static_position_embeddings": True, "extra_pos_embeddings": 1},
    }.items()
}
READ |= {
    "led, keys of its first config": Kind(
        "led", change=config(attention_dilation=[1, 1, 1], max_position_embeddings=1024)
    ),
    "stablelm, keys of its makers": Kind(
        "stablelm",
        {"rope_parameters": {"rope_type": "default", "rope_theta": 10.0}, "layer_norm_eps": 1e-3}
        | {"partial_rotary_factor": 0.5},
        config_without(
            *("rope_parameters", "layer_norm_eps"),
            **{"model_type": "stablelm_epoch", "architectures": ["StableLMEpochForCausalLM"]},
            **{"rope_pct": 0.5, "norm_eps": 1e-3, "rope_theta": 10, "rotary_scaling_factor": 1.0},
            auto_map={"AutoModelForCausalLM": "modeling_stablelm_epoch.StableLMEpochForCausalLM"},
        ),
    ),
    "nomic_bert, keys of its makers": Kind(
        "nomic_bert",
        {"rope_parameters": {"rope_type": "default", "rope_theta": 10.0}, "layer_norm_eps": 1e-3},
        config_without(
            *("rope_parameters", "layer_norm_eps", "max_position_embeddings", "hidden_size"),
            *("num_hidden_layers", "num_attention_heads", "intermediate_size", "hidden_act"),
            "head_dim",
            **{"n_embd": 16, "n_layer": 3, "n_head": 2, "n_inner": 32, "n_positions": 80},
            **{"layer_norm_epsilon": 1e-3, "rotary_emb_base": 10, "max_trained_positions": 40},
            **{"activation_function": "swiglu", "rotary_emb_fraction": 1.0, "causal": False},
            **{"rotary_scaling_factor": 2, "use_xentropy": True, "qkv_proj_bias": False},
            auto_map={"AutoModel": "nomic-ai/x--modeling_hf_nomic_bert.NomicBertModel"},
        ),
    ),
}
REFUSED = {
    "nomic_bert, experts": Kind(
        "nomic_bert",
        change=config(num_experts=8, moe_every_n_layers=2),
        refused="does not know it and would compute",
    ),
    "t5, two tables": Kind("t5", change=two_tables, refused="two sets of the same"),
    "bart, two tables": Kind("bart", change=two_tables, refused="two sets of the same"),
    "esm, relative_key": Kind(
        "esm", change=config(position_embedding_type="relative_key"), refused="relative_key"
    ),
    "llama, rotations in part, inside": Kind(
        "llama",
        change=config(
            rope_parameters={
                "rope_type": "default",
                "rope_theta": 10000.0,
                "partial_rotary_factor": 0.5,
            }
        ),
        refused="'rope_parameters'",
    ),
    "bert, OpenVINO": Kind(
        "bert",
        change=open_vino,
        refused="OpenVINO's",
    ),
    "llama, rotations in part": Kind(
        "llama", change=config(partial_rotary_factor=0.5), refused="'partial_rotary_factor'"
    ),
    "bart, norms before": Kind(
        "bart", change=config(normalize_before=True), refused="'normalize_before': found True"
    ),
    "bert, relative positions": Kind(
        "bert",
        change=tensors(encoder__layer__0__attention__self__distance_embedding__weight=(79, 8)),
        refused="relative positions",
        by_day=True,
    ),
    "bert, relative_key_query": Kind(
        "bert",
        change=config(position_embedding_type="relative_key_query"),
        refused="position_embedding_type",
    ),
    "bert, alibi": Kind(
        "bert", change=config(position_embedding_type="alibi"), refused="position_embedding_type"
    ),
    "bert, code of its own": Kind(
        "bert",
        change=config(auto_map={"AutoModel": "x--modeling_bert.JinaBertModel"}),
        refused="code of the repository",
        by_day=True,
    ),
    "bert, unknown class": Kind(
        "bert", change=config(architectures=["JinaBertModel"]), refused="transformers does not have"
    ),
    "bert, unknown key": Kind(
        "bert", change=config(use_rms_norm=True), refused="does not know it and would compute"
    ),
    "bert, class of another": Kind(
        "bert", change=config(architectures=["RoFormerModel"]), refused="'roformer', beside the"
    ),
    "bert, adapter inside": Kind(
        "bert",
        change=tensors(encoder__layer__0__attention__self__query__lora_A__weight=(2, 16)),
        refused="merge it into the model",
        by_day=True,
    ),
    "bert, int8 without a scale": Kind(
        "bert",
        change=cast("encoder.layer.0.output.dense.weight", np.int8),
        refused="is of the type I8",
    ),
    "bert, norm by two names": Kind(
        "bert", change=tensors(embeddings__LayerNorm__gamma=(16,)), refused="two sets of the same"
    ),
    "bert, not causal by its config": Kind(
        "bert", change=config(causal=False), refused="does not know it and would compute"
    ),
    "bert, scaling": Kind(
        "bert", change=config(scaling=3.0), refused="does not know it and would compute"
    ),
    "bert, norm at the root": Kind(
        "bert",
        change=tensors(output_layer_norm__weight=(16,)),
        refused="does not read 1 of its tensors",
    ),
    "bert, rounded weights' file": Kind(
        "bert", change=files(quantize_config__json="{}"), refused="rounded and packed"
    ),
    "bert, epsilon NaN": Kind(
        "bert", change=config(layer_norm_eps=float("nan")), refused="states that are not finite"
    ),
    "bert, git's pointer": Kind(
        "bert",
        change=files(model__safetensors="version https://git-lfs.github.com/spec/v1\n"),
        refused="git's pointer to a large file",
    ),
    "bert, git's pointer as config": Kind(
        "bert",
        change=files(config__json="version https://git-lfs.github.com/spec/v1\n"),
        refused="git's pointer to a large file",
    ),
    "bert, git's pointer as vocabulary": Kind(
        "bert",
        change=files(vocab__txt="version https://git-lfs.github.com/spec/v1\n"),
        refused="git's pointer to a large file",
    ),
    "bert, other shards beside": Kind(
        "bert", change=other_shards_beside, refused="two sets of the same"
    ),
    "bert, adapter beside": Kind(
        "bert", change=files(adapter_config__json="{}"), refused="beside the weights"
    ),
    "adapter alone": Kind("bert", change=adapter_alone, refused="an adapter alone"),
    "bert, two sets": Kind("bert", change=two_sets, refused="two sets of the same", by_day=True),
    "bert, unread tensor": Kind(
        "bert",
        change=tensors(encoder__layer__0__attention__self__gate__weight=(16,)),
        refused="does not read 1 of its tensors",
    ),
    "bert, surplus layer": Kind(
        "bert",
        change=tensors(encoder__layer__3__output__dense__weight=(16, 32)),
        refused="the weights 4",
    ),
    "bert, behind module.": Kind("bert", change=prefix("module."), refused="strip it"),
    "bert, behind _orig_mod.": Kind("bert", change=prefix("_orig_mod."), refused="strip it"),
    "bert, behind 0.auto_model.": Kind("bert", change=prefix("0.auto_model."), refused="strip it"),
    "bert, _orig_mod. inside": Kind("bert", change=infix("_orig_mod."), refused="take it out"),
    "bert, behind model.": Kind("bert", change=prefix("model."), refused="strip it"),
    "bert, use_return_dict": Kind(
        "bert", change=config(use_return_dict=False), refused="delete that line"
    ),
    "bert, gptq": Kind(
        "bert",
        change=config(quantization_config={"quant_method": "gptq", "bits": 4}),
        refused="gptq",
    ),
    "bert, fp8": Kind(
        "bert", change=config(quantization_config={"quant_method": "fp8"}), refused="fp8"
    ),
    "bert, pickle": Kind(
        "bert", change=renamed("model.safetensors", "pytorch_model.bin"), refused="a pickle"
    ),
    "bert, odd name": Kind(
        "bert", change=renamed("model.safetensors", "x.safetensors"), refused="rename it"
    ),
    "gemma3, text and images": Kind(
        "gemma3_text",
        change=lambda folder: (
            (folder / "config.json").write_text(
                json.dumps({"model_type": "gemma3", "text_config": {"hidden_size": 16}})
            )
            and None
        ),
        refused="save the part that reads texts alone",
    ),
    "qwen2_vl, text and images": Kind(
        "bert",
        change=lambda folder: (
            (folder / "config.json").write_text(
                json.dumps({"model_type": "qwen2_vl", "text_config": {"hidden_size": 16}})
            )
            and None
        ),
        refused="save the part that reads texts alone",
    ),
    "deepseek_v4": Kind("deepseek_v4", refused="they are no vector a token"),
    "mamba": Kind("mamba", refused="hidden state 1 is neither", by_day=True),
    "falcon_mamba": Kind("falcon_mamba", refused="hidden state 1 is neither"),
    "rwkv": Kind("rwkv", refused="hidden state 1 is neither"),
    "cpmant": Kind("cpmant", refused="hidden state 1 is neither"),
    "canine": Kind("canine", refused="cannot be loaded and read"),
    "fsmt": Kind("fsmt", refused="its encoder cannot be read without the rest"),
    "bros": Kind("bros", refused="cannot read a text"),
    "xmod": Kind("xmod", refused="cannot read a text"),
}
KINDS = READ | REFUSED
