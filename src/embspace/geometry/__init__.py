"""Pure mathematics on (n, dim) arrays: no disk, no configuration, no plot.

A name is loaded when it is first used, so that importing one measure does not compile another.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embspace.geometry.directions import (
        cosine_bound,
        cosine_matrix,
        cosine_tail,
        norms,
        unit_rows,
    )
    from embspace.geometry.distribution import (
        Distribution,
    )
    from embspace.geometry.extremes import (
        ExtremePairs,
    )
    from embspace.geometry.helix import (
        SpectralPeak,
        Winding,
        advance,
        cumulative_turns,
        dominant_frequency,
        periodogram,
        spectral_peak,
        winding,
        winding_plane,
    )
    from embspace.geometry.lines import (
        OneDimensionality,
        one_dimensionality,
        order_along_tree,
    )
    from embspace.geometry.maps import (
        MapQuality,
        map_quality,
        neighbor_overlap,
    )
    from embspace.geometry.neighbors import (
        NeighborGraph,
    )
    from embspace.geometry.pairs import (
        PairScan,
        scan_pairs,
    )
    from embspace.geometry.pca import (
        PrincipalComponents,
        principal_components,
    )
    from embspace.geometry.position_features import (
        LocalFeatures,
        Outlyingness,
        local_features,
        offset_cosines,
        outlying_positions,
    )
    from embspace.geometry.position_properties import (
        cosines_by_offset,
        monotonicity,
        properties_by_window,
        shuffled_properties_by_window,
        symmetry,
        translation_invariance,
    )
    from embspace.geometry.regimes import (
        Regime,
        Search,
        change_points,
        find_regimes,
        null_penalties,
        penalty_at,
        silent_penalty,
        simulated_features,
        stationary_kernel,
        stationary_tables,
    )
    from embspace.geometry.spectrum import (
        components_for,
        covariance_eigenvalues,
        explained_variance,
        gaussian_covariance_eigenvalues,
    )

__all__ = [
    "Distribution",
    "ExtremePairs",
    "LocalFeatures",
    "MapQuality",
    "NeighborGraph",
    "OneDimensionality",
    "Outlyingness",
    "PairScan",
    "PrincipalComponents",
    "Regime",
    "Search",
    "SpectralPeak",
    "Winding",
    "advance",
    "change_points",
    "components_for",
    "cosine_bound",
    "cosine_matrix",
    "cosine_tail",
    "cosines_by_offset",
    "covariance_eigenvalues",
    "cumulative_turns",
    "dominant_frequency",
    "explained_variance",
    "find_regimes",
    "gaussian_covariance_eigenvalues",
    "local_features",
    "map_quality",
    "monotonicity",
    "neighbor_overlap",
    "norms",
    "null_penalties",
    "offset_cosines",
    "one_dimensionality",
    "order_along_tree",
    "outlying_positions",
    "penalty_at",
    "periodogram",
    "principal_components",
    "properties_by_window",
    "scan_pairs",
    "shuffled_properties_by_window",
    "silent_penalty",
    "simulated_features",
    "spectral_peak",
    "stationary_kernel",
    "stationary_tables",
    "symmetry",
    "translation_invariance",
    "unit_rows",
    "winding",
    "winding_plane",
]

_HOMES = {
    "Distribution": "distribution",
    "ExtremePairs": "extremes",
    "LocalFeatures": "position_features",
    "MapQuality": "maps",
    "NeighborGraph": "neighbors",
    "OneDimensionality": "lines",
    "Outlyingness": "position_features",
    "PairScan": "pairs",
    "PrincipalComponents": "pca",
    "Regime": "regimes",
    "Search": "regimes",
    "SpectralPeak": "helix",
    "Winding": "helix",
    "advance": "helix",
    "change_points": "regimes",
    "components_for": "spectrum",
    "cosine_bound": "directions",
    "cosine_matrix": "directions",
    "cosine_tail": "directions",
    "cosines_by_offset": "position_properties",
    "covariance_eigenvalues": "spectrum",
    "cumulative_turns": "helix",
    "dominant_frequency": "helix",
    "explained_variance": "spectrum",
    "find_regimes": "regimes",
    "gaussian_covariance_eigenvalues": "spectrum",
    "local_features": "position_features",
    "map_quality": "maps",
    "monotonicity": "position_properties",
    "neighbor_overlap": "maps",
    "norms": "directions",
    "null_penalties": "regimes",
    "offset_cosines": "position_features",
    "one_dimensionality": "lines",
    "order_along_tree": "lines",
    "outlying_positions": "position_features",
    "penalty_at": "regimes",
    "periodogram": "helix",
    "principal_components": "pca",
    "properties_by_window": "position_properties",
    "scan_pairs": "pairs",
    "shuffled_properties_by_window": "position_properties",
    "silent_penalty": "regimes",
    "simulated_features": "regimes",
    "spectral_peak": "helix",
    "stationary_kernel": "regimes",
    "stationary_tables": "regimes",
    "symmetry": "position_properties",
    "translation_invariance": "position_properties",
    "unit_rows": "directions",
    "winding": "helix",
    "winding_plane": "helix",
}


def __getattr__(name: str) -> Any:
    """A public name, from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
