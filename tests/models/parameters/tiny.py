"""Small random models of every architecture whose parameters are read, and checkpoints of them."""

from pathlib import Path
from typing import Any

from embspace.settings.model import FolderModel, describe_model
from tests.lazy import torch, transformers
from tests.models.stream.tiny import OTHERS, SIZES
from tests.models.stream.tiny import tiny as tiny_of_stream

WITHOUT_STREAM: dict[str, dict[str, Any]] = {
    "bloom": {"n_layer": 3, "n_head": 4},
    "gpt_neox": {},
    "gptj": {"n_embd": 24, "n_layer": 3, "n_head": 4, "n_positions": 40, "n_inner": 40},
    "mpnet": {"pad_token_id": 1},
    "opt": {"ffn_dim": 40, "word_embed_proj_dim": 24, "pad_token_id": 1},
}
MODEL_TYPES = [*OTHERS, *WITHOUT_STREAM]
TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{n}" for n in range(55))]


def tiny(model_type: str, **options: Any) -> Any:
    """A model whose weights, biases and norms are all random and far from their start."""
    if model_type in OTHERS:
        return tiny_of_stream(model_type, **options)
    sizes = {key: value for key, value in SIZES.items() if key not in _unknown(model_type)}
    if model_type == "gptj":
        sizes, options = {"vocab_size": 60}, {"rotary_dim": 4, **options}
    config = transformers.AutoConfig.for_model(
        model_type, **sizes | WITHOUT_STREAM[model_type] | options
    )
    return shaken(transformers.AutoModel.from_config(config, dtype=torch.float32).eval())


def shaken(module: Any) -> Any:
    torch.manual_seed(0)
    with torch.no_grad():
        for values in module.parameters():
            values.add_(torch.randn_like(values) * 0.15)
    return module


def _unknown(model_type: str) -> tuple[str, ...]:
    if model_type == "bloom":
        return ("num_hidden_layers", "num_attention_heads", "intermediate_size")
    return ("intermediate_size",) if model_type == "opt" else ()


def with_head(kind: str, model_type: str, **options: Any) -> Any:
    """A model of `AutoModelFor<kind>`, all of it random."""
    config = tiny(model_type, **options).config
    made = getattr(transformers, f"AutoModelFor{kind}").from_config(config, dtype=torch.float32)
    return shaken(made).eval()


def write_checkpoint(folder: Path, module: Any) -> Path:
    """Write a model in the hub's layout with a tokenizer of its 60 tokens."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(TOKENS) + "\n", encoding="utf-8")
    transformers.BertTokenizerFast(vocab=str(vocabulary)).save_pretrained(folder)
    module.save_pretrained(folder)
    return folder


def describe(folder: Path, **keys: Any) -> FolderModel:
    """The description of a checkpoint, with these keys besides."""
    given = {
        "label": "tiny",
        "license": "CC0-1.0",
        "language": "none",
        "source": "path",
        "path": str(folder),
        "matrices": {
            "input": "embeddings.word_embeddings.weight",
            "positional": None,
            "segment": None,
        },
    }
    matrices = given["matrices"] | keys.pop("matrices", {})  # type: ignore[operator]
    model = describe_model("tiny", given | {"matrices": matrices} | keys)
    assert isinstance(model, FolderModel)
    return model
