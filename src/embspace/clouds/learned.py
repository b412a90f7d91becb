"""The learned clouds of a model, for neighbor graphs and maps."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.pairs.directions import unit_rows

FEWEST = 4  # points that have a map, and neighbors in it
NAMES = ("input", "positional", "segment")


@dataclass(frozen=True, eq=False)
class LearnedCloud:
    """Vectors, with row numbers and the learned matrix."""

    vectors: Float[np.ndarray, "n dim"]
    spaces: tuple[str, ...]
    """Per row: input or positional."""
    ids: Int[np.ndarray, " n"]
    """Per row: the number of the token or position."""

    @property
    def is_positional(self) -> bool:
        """Whether all rows are positions, in order."""
        return set(self.spaces) == {"positional"}

    def sample(self, n: int, rng: np.random.Generator) -> "LearnedCloud":
        """Return `n` rows at random, in the original order."""
        rows = np.sort(rng.choice(len(self.vectors), n, replace=False))
        return LearnedCloud(
            self.vectors[rows], tuple(self.spaces[row] for row in rows), self.ids[rows]
        )


def structured_positions(regimes: pd.DataFrame) -> Int[np.ndarray, " n"]:
    """Positions that are neither outlying nor in an unstructured regime.

    `regimes` is the table of positions of `measure_regimes`.
    """
    kept = ~(regimes["outlying"].astype(bool) | regimes["unstructured"].astype(bool))
    return regimes.loc[kept, "position"].to_numpy(dtype=np.int64)


def clouds_of(matrices: Mapping[str, np.ndarray], regimes: pd.DataFrame) -> dict[str, LearnedCloud]:
    """Clouds by name.

    `joint`: raw input and positional vectors together; `joint_centered`: the same without the mean
    and at unit length, where Euclidean distances order as cosines do; `positional`: all positions;
    `structured`: the result of `structured_positions`. A model without positional vectors has
    `input` and `input_centered`. A cloud of fewer than four points is left out: before training, no
    position is structured.
    """
    matrices = one_space(matrices)
    spaces: list[str] = [space for space in ("input", "positional") if space in matrices]
    joint = _cloud(matrices, spaces)
    name = "joint" if len(spaces) > 1 else "input"
    centered = unit_rows(joint.vectors - joint.vectors.mean(axis=0, dtype=np.float64))
    clouds = {
        name: joint,
        f"{name}_centered": LearnedCloud(centered.astype(np.float32), joint.spaces, joint.ids),
    }
    if "positional" in matrices:
        clouds["positional"] = _cloud(matrices, ["positional"])
        kept = structured_positions(regimes)
        x = matrices["positional"][kept]
        clouds["structured"] = LearnedCloud(x, ("positional",) * len(kept), kept)
    return {name: cloud for name, cloud in clouds.items() if len(cloud.vectors) >= FEWEST}


def _cloud(matrices: Mapping[str, np.ndarray], spaces: list[str]) -> LearnedCloud:
    parts = [matrices[space] for space in spaces]
    return LearnedCloud(
        np.concatenate(parts),
        tuple(space for space, part in zip(spaces, parts, strict=True) for _ in range(len(part))),
        np.concatenate([np.arange(len(part)) for part in parts]),
    )


def one_space(matrices: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the model's matrices among `input`, `positional` and `segment`, (row, dim).

    Where positions have the hidden size and tokens have not, as in OPT-350M, `input` is
    `input_mapped`, the tokens after the linear layer, as added to positions.
    """
    together = {space: matrices[space] for space in NAMES if space in matrices}
    dims = {space: x.shape[1] for space, x in together.items()}
    if "input_mapped" in matrices and dims.get("positional", dims["input"]) != dims["input"]:
        together["input"] = matrices["input_mapped"]
    return together
