"""All measures: importing this module declares all."""

from embspace.geometry.measures import (
    context,
    dimension_shares,
    distance_ratios,
    hubs,
    likelihood_dimension,
    mean_direction,
    near_pairs,
    partition_function,
    spectral_measures,
    spectrum_slope,
    two_nearest,
)
from embspace.geometry.measures.declaration import DEFINED, Definition
from embspace.geometry.measures.neighborhoods import (
    adaptive_scale,
    gride_plateau,
    information_imbalance,
    label_overlap,
)
from embspace.geometry.measures.texts import text_curvature, text_entropy

# By family, and what others build on first.
MODULES = (
    mean_direction,
    dimension_shares,
    spectral_measures,
    spectrum_slope,
    partition_function,
    context,
    text_entropy,
    text_curvature,
    two_nearest,
    distance_ratios,
    likelihood_dimension,
    near_pairs,
    gride_plateau,
    adaptive_scale,
    hubs,
    information_imbalance,
    label_overlap,
)
_ORDER = [module.__name__ for module in MODULES]


def definitions() -> dict[str, Definition]:
    """Return all measures of this library by name, family by family."""
    ours = [measure for measure in DEFINED.values() if measure.function.__module__ in _ORDER]
    ours.sort(key=lambda measure: _ORDER.index(measure.function.__module__))
    return {measure.name: measure for measure in ours}


def profiled_measures() -> dict[str, Definition]:
    """Return the `definitions` that stages take wherever they take a family."""
    return {name: measure for name, measure in definitions().items() if measure.profiled}
