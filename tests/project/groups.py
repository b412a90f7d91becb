"""A model whose tokens lie in two groups, and its maps."""

from collections.abc import Callable
from typing import Any

import numpy as np

from embspace.clouds.learned import clouds_of
from embspace.files.tables import Tables
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of
from tests.project.settings import graphs_of


def two_groups() -> dict[str, np.ndarray]:
    """Tokens in two groups far apart; positions nearer to the second."""
    matrices = random_matrices()
    matrices["input"][:60] += 3
    return matrices


def projected(project: Callable[..., Tables], settings: dict[str, Any]) -> Tables:
    matrices, regimes = two_groups(), regimes_of(30, outlying=[0])
    graphs = graphs_of(clouds_of(matrices, regimes), k=20)
    return project(matrices, vocabulary_of(120), regimes, graphs, **settings)


def assert_groups_stay_apart(tables: Tables) -> None:
    rows = tables["parquet"].query("cloud == 'joint'")[["x", "y"]].to_numpy()
    first, second = rows[:60], rows[60:]
    apart = np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))
    assert apart > 2 * first.std(axis=0).max()


def assert_better_than_chance(tables: Tables) -> None:
    quality, seeds = tables["quality"], tables["seeds"]
    assert (quality["neighbor_recall"] > quality["chance_neighbor_recall"]).all()
    large = seeds[seeds["cloud"].isin(["joint", "joint_centered"])]
    assert (large["neighbor_overlap"] > 3 * large["chance_neighbor_overlap"]).all()
