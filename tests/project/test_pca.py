import numpy as np
import pytest

from embspace.clouds.learned import clouds_of
from embspace.project.pca import project_pca
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of
from tests.project.settings import PCA, graphs_of


def projected(matrices, regimes):
    graphs = graphs_of(clouds_of(matrices, regimes))
    return project_pca(matrices, vocabulary_of(120), regimes, graphs, **PCA)


def test_every_cloud_lies_on_its_principal_components():
    matrices = random_matrices()
    maps = projected(matrices, regimes_of(30, outlying=[0]))
    rows = maps["parquet"][maps["parquet"]["cloud"] == "structured"]
    x = matrices["positional"][1:].astype(float)
    singular = np.linalg.svd(x - x.mean(axis=0), compute_uv=False)[:3]
    assert np.linalg.norm(rows[["x", "y", "z"]], axis=0) == pytest.approx(singular, rel=1e-5)
    assert maps["quality"]["n_axes"].tolist() == [2, 2, 2, 3, 2, 3]
