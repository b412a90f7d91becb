import pandas as pd
import pytest

from embspace.draw.learned.tokens_and_mean import farthest_kind, kinds_by_count, tokens_and_mean
from embspace.measure.learned.mean_embedding import mean_quantities
from tests.measure.vectors import random_matrices, vocabulary_of


def test_quantities_are_those_of_the_measure():
    expected = mean_quantities(random_matrices()["input"])
    quantities = tokens_and_mean(
        {
            "data/measured/mean_embedding.parquet": expected,
            "data/extracted/embeddings.parquet": vocabulary_of(120),
        }
    )
    pd.testing.assert_frame_equal(quantities[[*expected]], expected)
    assert kinds_by_count(quantities) == ["word", "number", "special"]


@pytest.mark.parametrize(("fewest", "farthest"), [(1, "special"), (2, "number")])
def test_the_farthest_kind_has_enough_tokens(fewest: int, farthest: str):
    kinds = ["word", "word", "number", "number", "special"]
    tokens = pd.DataFrame({"kind": kinds, "norm": [1.0, 1.0, 2.0, 2.0, 9.0]})
    assert farthest_kind(tokens, "norm", fewest) == farthest
    assert farthest_kind(tokens[:2], "norm", fewest) is None
