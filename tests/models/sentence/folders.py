"""Sentence models in the layout of sentence-transformers, and their vectors by torch."""

import json
from pathlib import Path
from typing import Any

from tests.lazy import safetensors_torch
from tests.tiny import DIM

TYPES = {
    "Transformer": "sentence_transformers.base.modules.transformer.Transformer",
    "Pooling": "sentence_transformers.sentence_transformer.modules.pooling.Pooling",
    "Dense": "sentence_transformers.base.modules.dense.Dense",
    "Normalize": "sentence_transformers.models.Normalize",  # as older releases write
}
Module = tuple[str, dict[str, Any]]


def write_modules(
    folder: Path,
    modules: list[Module],
    *,
    reading: dict[str, Any] | None = None,
    prompts: dict[str, Any] | None = None,
    transformer: str = "",
) -> Path:
    """What sentence-transformers writes beside a transformer; each module with its config."""
    listed = []
    for number, (kind, config) in enumerate([("Transformer", {}), *modules]):
        path = transformer if kind == "Transformer" else f"{number}_{kind}"
        listed.append({"idx": number, "name": str(number), "path": path, "type": _type(kind)})
        if kind == "Transformer":
            continue
        (folder / path).mkdir()
        (folder / path / "config.json").write_text(json.dumps(config))
        if kind == "Dense":
            safetensors_torch.save_file(dense_weights(config), folder / path / "model.safetensors")
    (folder / "modules.json").write_text(json.dumps(listed))
    (folder / transformer / "sentence_bert_config.json").write_text(json.dumps(reading or {}))
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts or {}))
    return folder


def _type(kind: str) -> str:
    return TYPES.get(kind, f"sentence_transformers.models.{kind}")


def pooling(*modes: str, **options: Any) -> Module:
    mode = modes[0] if len(modes) == 1 else list(modes)
    return "Pooling", {"embedding_dimension": DIM, "pooling_mode": mode, **options}


def dense(n_in: int, n_out: int, **options: Any) -> Module:
    return "Dense", {"in_features": n_in, "out_features": n_out, "bias": True, **options}


def dense_weights(config: dict[str, Any]) -> dict[str, Any]:
    """Random numbers that the sizes fix."""
    import torch

    n_in, n_out = config["in_features"], config["out_features"]
    generator = torch.Generator().manual_seed(n_in * 1000 + n_out)
    weights = {"linear.weight": torch.randn(n_out, n_in, generator=generator)}
    if config["bias"]:
        weights["linear.bias"] = torch.randn(n_out, generator=generator)
    if config.get("use_residual") and n_in != n_out:
        weights["residual.weight"] = torch.randn(n_out, n_in, generator=generator)
    return weights


def encode_by_torch(
    folder: Path, text: str, modules: list[Module], prompt: str = "", longest: int | None = None
) -> Any:
    """The vector of a text by the published definitions, in a batch of its own.

    As sentence-transformers 6 has them: a text longer than `longest` is cut; weights of
    `weightedmean` count from 1; `mean_sqrt_len_tokens` divides the sum by the root of the number.
    """
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, module = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    read = tokenizer(prompt + text, return_tensors="pt", truncation=True, max_length=longest)
    with torch.inference_mode():
        states = module(**read).last_hidden_state[0]
    n_prompt = len(tokenizer(prompt)["input_ids"]) - 1 if prompt else 0
    (_, config), *rest = modules
    vector = pooled_by_torch(states, config, n_prompt)
    for kind, options in rest:
        if kind == "Normalize":
            vector = torch.nn.functional.normalize(vector, dim=0)
        if kind == "Dense":
            vector = _through(vector, options)
    return vector.numpy()


def pooled_by_torch(states: Any, config: dict[str, Any], n_prompt: int) -> Any:
    import torch

    n_left = 0 if config.get("include_prompt", True) else n_prompt
    kept, weights = states[n_left:], torch.arange(1, len(states) + 1)[n_left:, None]
    by_mode = {
        "cls": kept[0],
        "lasttoken": kept[-1],
        "max": kept.max(dim=0).values,
        "mean": kept.sum(dim=0) / len(kept),
        "mean_sqrt_len_tokens": kept.sum(dim=0) / len(kept) ** 0.5,
        "weightedmean": (kept * weights).sum(dim=0) / weights.sum(),
    }
    given = config["pooling_mode"]
    return torch.cat([by_mode[mode] for mode in ([given] if isinstance(given, str) else given)])


def _through(vector: Any, config: dict[str, Any]) -> Any:
    import torch

    weights = dense_weights(config)
    made = torch.nn.functional.linear(vector, weights["linear.weight"], weights.get("linear.bias"))
    made = getattr(torch.nn, config["activation_function"].rpartition(".")[2])()(made)
    if not config.get("use_residual"):
        return made
    return made + (weights["residual.weight"] @ vector if "residual.weight" in weights else vector)
