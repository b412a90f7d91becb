"""The maps of a small model, as drawings take them."""

from typing import Any

import numpy as np

from embspace.clouds.learned import clouds_of
from embspace.draw.page.maps.panels import EXTRACTED
from embspace.project.maps import maps_of
from tests.measure.vectors import vocabulary_of
from tests.project.settings import graphs_of


def results_of(matrices, regimes) -> dict[str, Any]:
    clouds = clouds_of(matrices, regimes)
    layouts = {name: cloud.vectors[:, :2].astype(float) for name, cloud in clouds.items()}
    maps = maps_of(
        clouds,
        layouts,
        graphs_of(clouds),
        vocabulary_of(120),
        quality_n_neighbors=5,
        n_shuffles=3,
        rng=np.random.default_rng(0),
    )
    return {**maps, EXTRACTED: vocabulary_of(120)}
