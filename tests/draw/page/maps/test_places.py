import numpy as np
import pandas as pd

from embspace.draw.page.maps.panels import panels_of_maps
from embspace.draw.page.maps.places import named_places
from tests.draw.page.maps.results import results_of
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices


def test_dense_places_are_named_after_the_tokens_there_or_their_kind():
    rng = np.random.default_rng(0)
    centers = np.repeat([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]], 40, axis=0)
    xy = centers + 0.1 * rng.normal(size=centers.shape)
    rows = pd.DataFrame(xy, columns=["x", "y"]).assign(
        space="input",
        token=["here"] * 40 + ["there"] * 40 + ["12"] * 40,
        kind=["word"] * 80 + ["number"] * 40,
    )
    found = {words: (round(x), round(y)) for x, y, words in named_places(rows)}
    assert found["here, here"] == (0, 0)
    assert found["there, there"] == (10, 0)
    assert found["numbers"] == (0, 10)


def test_few_tokens_have_no_named_places():
    rows = panels_of_maps(results_of(random_matrices(), regimes_of(30)))[0].rows
    assert named_places(rows[:5]) == []
