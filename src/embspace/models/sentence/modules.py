"""Reads what follows the transformer of a sentence model: pooling, linear layers, unit length."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.clouds.pooling import TOKEN_POOLINGS, pooled
from embspace.errors import InputError, counted, not_among
from embspace.models.sentence.dense import read_dense
from embspace.models.sentence.files import (
    CONFIG,
    MODULES,
    PROMPTS,
    READING,
    listed_modules,
    read_json,
)

# By the keys of older releases, in the order in which these put vectors side by side.
MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "last",
}
LAST = "lasttoken"  # what sentence-transformers calls `last`
NOTHING = ("Dropout",)  # is for training
KNOWN = ("Transformer", "Pooling", "Dense", "Normalize", *NOTHING)
TASK = "feature-extraction"
Step = Callable[[Float[np.ndarray, " dim"]], Float[np.ndarray, " out"]]


@dataclass(frozen=True)
class SentenceModules:
    """How a text becomes one vector."""

    poolings: tuple[str, ...]
    """Of the states of the last layer; their vectors stand side by side."""
    includes_prompt: bool
    steps: tuple[Step, ...]
    dimension: int
    length: int | None
    """The tokens that it reads at once; None: as many as the model."""
    prompt: str
    """Before every text."""
    is_lowered: bool
    """Whether a text is in lower case before it is read."""

    def read(self, text: str) -> str:
        """Return what the tokenizer gets of a text."""
        prompted = f"{self.prompt}{text}"
        return prompted.lower() if self.is_lowered else prompted

    def vector(
        self, states: Float[np.ndarray, "token dim"], n_prompt: int
    ) -> Float[np.ndarray, " out"]:
        """Return the vector of a window; its first `n_prompt` tokens are the prompt's."""
        n_left = 0 if self.includes_prompt else min(n_prompt, len(states) - 1)
        tokens = states[None, n_left:]
        vector = np.concatenate([pooled(tokens, mode, n_left)[0] for mode in self.poolings])
        for step in self.steps:
            vector = step(vector)
        return vector


def read_modules(folder: Path, dim: int) -> SentenceModules | None:
    """The modules of a model whose states have `dim` dimensions; None without modules.json.

    Raises:
        InputError: naming a module that is not known, or stands where it cannot, or a file that
            cannot be read or does not fit.
    """
    modules = listed_modules(folder)
    if not modules:
        return None
    kinds = [kind for kind, _ in modules]
    if unknown := next((kind for kind in kinds if kind not in KNOWN), None):
        raise InputError(
            f"{folder / MODULES}: the module {unknown} is not known, so that the vectors of its "
            f"makers cannot be made; known are {', '.join(KNOWN)}. Without {MODULES} the model is "
            "read as a plain transformer"
        )
    parts = [(kind, place) for kind, place in modules if kind not in NOTHING]
    order = [kind for kind, _ in parts]
    if order[:2] != ["Transformer", "Pooling"] or {"Transformer", "Pooling"} & {*order[2:]}:
        raise InputError(
            f"{folder / MODULES}: found {', '.join(kinds)}, allowed: Transformer, Pooling, then "
            "any of Dense and Normalize"
        )
    poolings, includes_prompt = _pooling(parts[1][1], dim)
    steps, dimension = _steps(parts[2:], len(poolings) * dim)
    reading = _reading(parts[0][1])
    length = reading.get("max_seq_length")
    return SentenceModules(
        poolings=poolings,
        includes_prompt=includes_prompt,
        steps=steps,
        dimension=dimension,
        length=None if length is None else int(length),
        prompt=_default_prompt(folder),
        is_lowered=bool(reading.get("do_lower_case")),
    )


def unit_length(vector: Float[np.ndarray, " dim"]) -> Float[np.ndarray, " dim"]:
    """The vector over its norm, which 1e-12 bounds below, as torch has it."""
    norm = max(float(np.linalg.norm(vector.astype(np.float64))), 1e-12)
    unit: Float[np.ndarray, " dim"] = (vector / norm).astype(np.float32)
    return unit


def _pooling(folder: Path, dim: int) -> tuple[tuple[str, ...], bool]:
    file = folder / CONFIG
    config = read_json(file)
    expected = config.get("embedding_dimension", config.get("word_embedding_dimension", dim))
    if expected != dim:
        raise InputError(
            f"{file}: is for {counted(expected, 'dimension')}, the model's states have {dim:,}"
        )
    if "pooling_mode" in config:
        given = config["pooling_mode"]
        modes = [given] if isinstance(given, str) else list(given)
    else:
        switched = [key for key in config if key.startswith("pooling_mode_") and config[key]]
        if unknown := next((key for key in switched if key not in MODES), None):
            raise InputError(f"{file}: key '{unknown}': {not_among(unknown, MODES)}")
        modes = [mode for key, mode in MODES.items() if key in switched] or ["mean"]
    modes = ["last" if mode == LAST else mode for mode in modes]
    for mode in modes:
        if mode not in TOKEN_POOLINGS:
            raise InputError(f"{file}: key 'pooling_mode': {not_among(mode, TOKEN_POOLINGS)}")
    return tuple(modes), bool(config.get("include_prompt", True))


def _steps(parts: list[tuple[str, Path]], dim: int) -> tuple[tuple[Step, ...], int]:
    """Return what is done to the pooled vector, and its dimension at the end."""
    steps: list[Step] = []
    for kind, place in parts:
        if kind == "Normalize":
            steps.append(unit_length)
            continue
        dense = read_dense(place, dim)
        steps.append(dense)
        dim = dense.dimension
    return tuple(steps), dim


def _reading(folder: Path) -> dict[str, Any]:
    """Return how the transformer reads texts; {} where nothing says so."""
    files = sorted(file for file in folder.glob("*.json") if READING.fullmatch(file.name))
    content: dict[str, Any] = read_json(files[0]) if files else {}
    if content.get("transformer_task", TASK) != TASK:
        raise InputError(
            f"{files[0]}: key 'transformer_task': found {content['transformer_task']!r}, allowed: "
            f"{TASK}"
        )
    return content


def _default_prompt(folder: Path) -> str:
    file = folder / PROMPTS
    content = read_json(file) if file.is_file() else {}
    name, prompts = content.get("default_prompt_name"), content.get("prompts") or {}
    if name is None:
        return ""
    if name not in prompts:
        raise InputError(f"{file}: key 'default_prompt_name': {not_among(name, prompts)}")
    return str(prompts[name] or "")
