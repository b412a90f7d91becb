"""A model whose tokens lie in two groups, and its maps."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from embspace.clouds.learned import clouds_of
from embspace.project.iterative import IterativeMaps
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of
from tests.project.settings import graphs_of


def two_groups() -> dict[str, np.ndarray]:
    """Tokens in two groups far apart; positions nearer to the second."""
    matrices = random_matrices()
    matrices["input"][:60] += 3
    return matrices


def projected(project: Callable[..., IterativeMaps], settings: dict[str, Any]) -> IterativeMaps:
    matrices, regimes = two_groups(), regimes_of(30, outlying=[0])
    graphs = graphs_of(clouds_of(matrices, regimes), k=20)
    return project(matrices, vocabulary_of(120), regimes, graphs, **settings)


def results_of(found: IterativeMaps) -> dict[str, pd.DataFrame]:
    """As a drawing takes them."""
    return {
        "parquet": found.maps.coordinates,
        "quality": found.maps.quality,
        "one_dimensionality": found.maps.one_dimensionality,
        "seeds": found.seeds,
    }


def assert_groups_stay_apart(found: IterativeMaps) -> None:
    rows = found.maps.coordinates.query("cloud == 'joint'")[["x", "y"]].to_numpy()
    first, second = rows[:60], rows[60:]
    apart = np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))
    assert apart > 2 * first.std(axis=0).max()


def assert_better_than_chance(found: IterativeMaps) -> None:
    quality, seeds = found.maps.quality, found.seeds
    assert (quality["neighbor_recall"] > quality["chance_neighbor_recall"]).all()
    large = seeds[seeds["cloud"].isin(["joint", "joint_centered"])]
    assert (large["neighbor_overlap"] > 3 * large["chance_neighbor_overlap"]).all()
