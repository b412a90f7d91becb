"""Reads the modules after a sentence model's transformer: pooling, linear layers, unit length."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.clouds.pooling import TOKEN_POOLINGS, pooled
from embspace.errors import RefusedModel, not_among, shortened
from embspace.files.json_keys import read_keys
from embspace.models.sentence.dense import read_dense
from embspace.models.sentence.files import (
    CONFIG,
    MODULES,
    is_switched,
    listed_modules,
)
from embspace.models.sentence.reading import default_prompt, read_reading, shortened_to

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
Step = Callable[[Float[np.ndarray, " dim"]], Float[np.ndarray, " out"]]


@dataclass(frozen=True)
class SentenceModules:
    """The way from a text to a vector."""

    poolings: tuple[str, ...]
    """Poolings of the states of the last layer; the pooled vectors stand side by side."""
    includes_prompt: bool
    steps: tuple[Step, ...]
    dimension: int
    length: int | None
    """The number of tokens read at once; None: as many as the transformer reads."""
    prompt: str
    """Before every text."""
    is_lowered: bool
    """Whether a text is put in lower case before it is read."""

    def read(self, text: str) -> str:
        """Return what the tokenizer gets of a text."""
        prompted = f"{self.prompt}{text}"
        return prompted.lower() if self.is_lowered else prompted

    def vector(
        self, states: Float[np.ndarray, "token dim"], n_prompt: int
    ) -> Float[np.ndarray, " out"]:
        """Return the vector of a window; the first `n_prompt` tokens are the prompt's."""
        n_left = 0 if self.includes_prompt else min(n_prompt, len(states) - 1)
        tokens = states[None, n_left:]
        vector = np.concatenate([pooled(tokens, mode, n_left)[0] for mode in self.poolings])
        for step in self.steps:
            vector = step(vector)
        return vector


def read_modules(folder: Path, dim: int) -> SentenceModules | None:
    """The modules of a model with states of `dim` dimensions; None without modules.json.

    Raises:
        RefusedModel: naming an unknown or misplaced module, or an unreadable or unfit file.
    """
    parts = known_modules(folder)
    if not parts:
        return None
    poolings, includes_prompt = _pooling(parts[1][1], dim)
    steps, dimension = _steps(parts[2:], len(poolings) * dim)
    if (most := shortened_to(folder)) is not None and most < dimension:
        steps, dimension = (*steps, FirstDimensions(most)), most
    reading = read_reading(parts[0][1])
    return SentenceModules(
        poolings=poolings,
        includes_prompt=includes_prompt,
        steps=steps,
        dimension=dimension,
        length=reading.length,
        prompt=default_prompt(folder),
        is_lowered=reading.is_lowered,
    )


def known_modules(folder: Path) -> list[tuple[str, Path]]:
    """The kinds and folders of modules that make vectors; none without modules.json.

    Raises:
        RefusedModel: naming an unknown or misplaced module.
    """
    modules = listed_modules(folder)
    kinds = [kind for kind, _ in modules]
    if unknown := next((kind for kind in kinds if kind not in KNOWN), None):
        raise RefusedModel(
            f"{folder / MODULES}: the module {unknown} is not known, so that the vectors of its "
            f"makers cannot be made; known are {', '.join(KNOWN)}. Without {MODULES} the model is "
            "read as a plain transformer"
        )
    parts = [(kind, place) for kind, place in modules if kind not in NOTHING]
    order = [kind for kind, _ in parts]
    is_ordered = order[:2] == ["Transformer", "Pooling"] and not {*order[:2]} & {*order[2:]}
    if modules and not is_ordered:
        raise RefusedModel(
            f"{folder / MODULES}: found {', '.join(kinds)}, allowed: Transformer, Pooling, then "
            "any of Dense and Normalize"
        )
    return parts


@dataclass(frozen=True)
class FirstDimensions:
    """Keeps the first dimensions, after all modules: the vectors' length is no longer 1."""

    most: int

    def __call__(self, x: Float[np.ndarray, " dim"]) -> Float[np.ndarray, " out"]:
        """Return the first dimensions of a vector."""
        return x[: self.most]


def unit_length(vector: Float[np.ndarray, " dim"]) -> Float[np.ndarray, " dim"]:
    """Return the vector over its norm; the norm is at least 1e-12, as in torch."""
    norm = max(float(np.linalg.norm(vector.astype(np.float64))), 1e-12)
    unit: Float[np.ndarray, " dim"] = (vector / norm).astype(np.float32)
    return unit


def _pooling(folder: Path, dim: int) -> tuple[tuple[str, ...], bool]:
    file = folder / CONFIG
    config = read_keys(file)
    expected = config.get("embedding_dimension", config.get("word_embedding_dimension", dim))
    if expected != dim:
        raise RefusedModel(
            f"{file}: is for {shortened(expected)} dimensions, the model's states have {dim:,}"
        )
    modes = _modes(file, config)
    return modes, is_switched(file, config, "include_prompt", default=True)


def _modes(file: Path, config: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of poolings, by today's key or by the keys of older releases."""
    if "pooling_mode" in config:
        given = config["pooling_mode"]
        modes = given if isinstance(given, list) else [given]
    else:
        switched = [
            key
            for key in config
            if key.startswith("pooling_mode_") and is_switched(file, config, key, default=False)
        ]
        if unknown := next((key for key in switched if key not in MODES), None):
            raise RefusedModel(f"{file}: key '{unknown}': {not_among(unknown, MODES)}")
        modes = [mode for key, mode in MODES.items() if key in switched] or ["mean"]
    modes = ["last" if mode == LAST else mode for mode in modes]
    if not modes:
        raise RefusedModel(f"{file}: key 'pooling_mode': {not_among([], TOKEN_POOLINGS)}")
    for mode in modes:
        if mode not in TOKEN_POOLINGS:
            raise RefusedModel(f"{file}: key 'pooling_mode': {not_among(mode, TOKEN_POOLINGS)}")
    return tuple(modes)


def _steps(parts: list[tuple[str, Path]], dim: int) -> tuple[tuple[Step, ...], int]:
    """Return the steps after pooling, and the dimension at the end."""
    steps: list[Step] = []
    for kind, place in parts:
        if kind == "Normalize":
            steps.append(unit_length)
            continue
        dense = read_dense(place, dim)
        steps.append(dense)
        dim = dense.dimension
    return tuple(steps), dim
