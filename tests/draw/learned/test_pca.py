import pandas as pd
import pytest

from embspace.clouds.learned import clouds_of
from embspace.draw.learned.pca import draw_pca
from embspace.project.pca import PCA, project_pca
from tests.analyses import as_drawn
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of
from tests.project import settings
from tests.project.settings import graphs_of


def draw(matrices, regimes, null=0.0):
    """`null` is the share of two components of isotropic vectors, of tokens and of positions."""
    graphs = graphs_of(clouds_of(matrices, regimes))
    maps = project_pca(matrices, vocabulary_of(120), regimes, graphs, **settings.PCA)
    further = {
        "data/extracted/embeddings.safetensors": matrices,
        "regimes/positions": regimes,
        "explained_variance/curve": pd.DataFrame(
            {
                "space": ["input", "positional"],
                "n_components": 2,
                "null_cumulative_explained_variance": null,
            }
        ),
    }
    return draw_pca(as_drawn(PCA, maps, **further), "tiny", digits=3)


def test_the_finding_says_shares_of_the_variance():
    matrices = random_matrices()
    matrices["positional"][:, 3] *= 1000  # one direction has it all
    finding, text = draw(matrices, regimes_of(30))
    assert finding.endswith(", 100 % of that of positions alone")
    assert "Stage `project_pca`" in text
    assert "seed" not in text


@pytest.mark.parametrize(
    ("outlying", "end"),
    [
        ((3,), "of that of positions alone, 1 outlying or unstructured position left out"),
        ((3, 9), "of that of positions alone, 2 outlying or unstructured positions left out"),
    ],
)
def test_the_finding_says_which_positions_its_share_leaves_out(outlying: tuple[int, ...], end: str):
    matrices = random_matrices()
    matrices["positional"][list(outlying), 3] += 1e6  # of all positions, one direction has it all
    finding, _ = draw(matrices, regimes_of(30, outlying=outlying))
    assert finding.endswith(end)
    assert "100 %" not in finding.rpartition("positions, ")[2]


def test_the_finding_says_that_isotropic_vectors_have_as_much():
    matrices, unstructured = random_matrices(), regimes_of(30, unstructured=tuple(range(30)))
    assert draw(matrices, unstructured, null=0.5)[0].endswith("alone, as of isotropic vectors")
    assert "isotropic" not in draw(matrices, unstructured, null=0.01)[0]
    matrices["positional"][:, 3] *= 1000
    assert "isotropic" not in draw(matrices, unstructured, null=0.5)[0]


def test_a_model_without_positions_says_so():
    finding, text = draw({"input": random_matrices()["input"]}, regimes_of(0))
    assert "of positions" not in finding
    assert "no learned positional table" in text
