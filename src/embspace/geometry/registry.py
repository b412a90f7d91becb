"""All measures that there are: whoever imports this has them declared."""

from embspace.geometry import (  # noqa: F401  # each declares measures
    context,
    dimension_shares,
    distance_ratios,
    likelihood_dimension,
    mean_direction,
    near_pairs,
    neighbourhoods,
    partition_function,
    spectral_measures,
    two_nearest,
)
from embspace.geometry.declared import DEFINED, FAMILIES, Definition


def definitions() -> dict[str, Definition]:
    """All measures by name, in the order of the families."""
    of_families = sorted(DEFINED.values(), key=lambda each: FAMILIES.index(each.family))
    return {each.name: each for each in of_families}
