"""Pure mathematics on (n, dim) arrays: no disk, no configuration, no plot.

A name is loaded when it is first used, so that importing one measure does not compile another.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embspace.geometry.alignment import (
        ProcrustesFit,
        common_neighbors,
        debiased_linear_cka,
        linear_cka,
        mutual_nearest_neighbors,
        nearest_rows,
        procrustes_distance,
        procrustes_fit,
        procrustes_similarity,
        unbiased_hsic,
    )
    from embspace.geometry.alignment_draws import (
        Kernels,
        cka_of_orders,
        debiased_cka_of_subsets,
        linear_kernels,
    )
    from embspace.geometry.comparison import (
        probability_of_larger,
    )
    from embspace.geometry.contrast import (
        GroupContrast,
        chance_accuracy,
        contrast_groups,
        neighbor_weights,
        relabellings,
    )
    from embspace.geometry.cubes import (
        EmbeddedCube,
        union_covariance,
    )
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
    from embspace.geometry.dot_sign import (
        probability_not_positive,
    )
    from embspace.geometry.extremes import (
        ExtremePairs,
    )
    from embspace.geometry.group_pairs import (
        GroupedVectors,
        GroupPairs,
        scan_group_pairs,
    )
    from embspace.geometry.groups import (
        average_linkage,
        group_means,
        group_members,
        nearest_in_group,
        purity,
        silhouettes,
        within_and_between,
    )
    from embspace.geometry.held_out import (
        held_out_scores,
        wins_by_stratum,
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
    from embspace.geometry.links import (
        circle_pair,
        linking_number,
    )
    from embspace.geometry.maps import (
        MapQuality,
        map_quality,
        neighbor_overlap,
    )
    from embspace.geometry.matched_draws import (
        two_unrelated_pairs,
        unrelated_pairs,
    )
    from embspace.geometry.neighbors import (
        NeighborGraph,
    )
    from embspace.geometry.offsets import (
        MeanOffsets,
        consistency_of_draws,
        flipped_offset_consistency,
        half_sample_weights,
        mean_offsets,
        mean_weights,
        offset_consistency,
    )
    from embspace.geometry.pairs import (
        PairScan,
        scan_pairs,
    )
    from embspace.geometry.participation import (
        participation_ratio,
    )
    from embspace.geometry.paths import (
        PathSteps,
        component_paths,
        layer_share,
        path_steps,
        rotated_paths,
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
    from embspace.geometry.resampling import (
        half_sample_bounds,
        half_sample_interval,
        upper_p_value,
    )
    from embspace.geometry.retrieval import (
        bm25,
        ranks_of_relevant,
        recall_at,
        reciprocal_rank,
        reciprocal_rank_by_chance,
    )
    from embspace.geometry.rings import (
        circular_rank_correlation,
        largest_step_ratio,
        ring_neighbor_share,
        ring_order_correlation,
    )
    from embspace.geometry.separation import (
        linearly_separable,
        same_group_neighbor_share,
    )
    from embspace.geometry.shared_direction import (
        PairProducts,
        mean_pair_cosine,
        pair_products,
        shared_cosine,
        shared_energy,
    )
    from embspace.geometry.sinusoids import (
        sinusoidal_cosines,
        sinusoidal_positions,
        sinusoidal_positions_as_printed,
    )
    from embspace.geometry.spectrum import (
        components_for,
        covariance_eigenvalues,
        explained_variance,
        gaussian_covariance_eigenvalues,
    )
    from embspace.geometry.strata import (
        half_of_each,
        stratified_interval,
    )

__all__ = [
    "Distribution",
    "EmbeddedCube",
    "ExtremePairs",
    "GroupContrast",
    "GroupPairs",
    "GroupedVectors",
    "Kernels",
    "LocalFeatures",
    "MapQuality",
    "MeanOffsets",
    "NeighborGraph",
    "OneDimensionality",
    "Outlyingness",
    "PairProducts",
    "PairScan",
    "PathSteps",
    "PrincipalComponents",
    "ProcrustesFit",
    "Regime",
    "Search",
    "SpectralPeak",
    "Winding",
    "advance",
    "average_linkage",
    "bm25",
    "chance_accuracy",
    "change_points",
    "circle_pair",
    "circular_rank_correlation",
    "cka_of_orders",
    "common_neighbors",
    "component_paths",
    "components_for",
    "consistency_of_draws",
    "contrast_groups",
    "cosine_bound",
    "cosine_matrix",
    "cosine_tail",
    "cosines_by_offset",
    "covariance_eigenvalues",
    "cumulative_turns",
    "debiased_cka_of_subsets",
    "debiased_linear_cka",
    "dominant_frequency",
    "explained_variance",
    "find_regimes",
    "flipped_offset_consistency",
    "gaussian_covariance_eigenvalues",
    "group_means",
    "group_members",
    "half_of_each",
    "half_sample_bounds",
    "half_sample_interval",
    "half_sample_weights",
    "held_out_scores",
    "largest_step_ratio",
    "layer_share",
    "linear_cka",
    "linear_kernels",
    "linearly_separable",
    "linking_number",
    "local_features",
    "map_quality",
    "mean_offsets",
    "mean_pair_cosine",
    "mean_weights",
    "monotonicity",
    "mutual_nearest_neighbors",
    "nearest_in_group",
    "nearest_rows",
    "neighbor_overlap",
    "neighbor_weights",
    "norms",
    "null_penalties",
    "offset_consistency",
    "offset_cosines",
    "one_dimensionality",
    "order_along_tree",
    "outlying_positions",
    "pair_products",
    "participation_ratio",
    "path_steps",
    "penalty_at",
    "periodogram",
    "principal_components",
    "probability_not_positive",
    "probability_of_larger",
    "procrustes_distance",
    "procrustes_fit",
    "procrustes_similarity",
    "properties_by_window",
    "purity",
    "ranks_of_relevant",
    "recall_at",
    "reciprocal_rank",
    "reciprocal_rank_by_chance",
    "relabellings",
    "ring_neighbor_share",
    "ring_order_correlation",
    "rotated_paths",
    "same_group_neighbor_share",
    "scan_group_pairs",
    "scan_pairs",
    "shared_cosine",
    "shared_energy",
    "shuffled_properties_by_window",
    "silent_penalty",
    "silhouettes",
    "simulated_features",
    "sinusoidal_cosines",
    "sinusoidal_positions",
    "sinusoidal_positions_as_printed",
    "spectral_peak",
    "stationary_kernel",
    "stationary_tables",
    "stratified_interval",
    "symmetry",
    "translation_invariance",
    "two_unrelated_pairs",
    "unbiased_hsic",
    "union_covariance",
    "unit_rows",
    "unrelated_pairs",
    "upper_p_value",
    "winding",
    "winding_plane",
    "wins_by_stratum",
    "within_and_between",
]

_HOMES = {
    "Distribution": "distribution",
    "EmbeddedCube": "cubes",
    "ExtremePairs": "extremes",
    "GroupContrast": "contrast",
    "GroupPairs": "group_pairs",
    "GroupedVectors": "group_pairs",
    "Kernels": "alignment_draws",
    "LocalFeatures": "position_features",
    "MapQuality": "maps",
    "MeanOffsets": "offsets",
    "NeighborGraph": "neighbors",
    "OneDimensionality": "lines",
    "Outlyingness": "position_features",
    "PairProducts": "shared_direction",
    "PairScan": "pairs",
    "PathSteps": "paths",
    "PrincipalComponents": "pca",
    "ProcrustesFit": "alignment",
    "Regime": "regimes",
    "Search": "regimes",
    "SpectralPeak": "helix",
    "Winding": "helix",
    "advance": "helix",
    "average_linkage": "groups",
    "bm25": "retrieval",
    "chance_accuracy": "contrast",
    "change_points": "regimes",
    "circle_pair": "links",
    "circular_rank_correlation": "rings",
    "cka_of_orders": "alignment_draws",
    "common_neighbors": "alignment",
    "component_paths": "paths",
    "components_for": "spectrum",
    "consistency_of_draws": "offsets",
    "contrast_groups": "contrast",
    "cosine_bound": "directions",
    "cosine_matrix": "directions",
    "cosine_tail": "directions",
    "cosines_by_offset": "position_properties",
    "covariance_eigenvalues": "spectrum",
    "cumulative_turns": "helix",
    "debiased_cka_of_subsets": "alignment_draws",
    "debiased_linear_cka": "alignment",
    "dominant_frequency": "helix",
    "explained_variance": "spectrum",
    "find_regimes": "regimes",
    "flipped_offset_consistency": "offsets",
    "gaussian_covariance_eigenvalues": "spectrum",
    "group_means": "groups",
    "group_members": "groups",
    "half_of_each": "strata",
    "half_sample_bounds": "resampling",
    "half_sample_interval": "resampling",
    "half_sample_weights": "offsets",
    "held_out_scores": "held_out",
    "largest_step_ratio": "rings",
    "layer_share": "paths",
    "linear_cka": "alignment",
    "linear_kernels": "alignment_draws",
    "linearly_separable": "separation",
    "linking_number": "links",
    "local_features": "position_features",
    "map_quality": "maps",
    "mean_offsets": "offsets",
    "mean_pair_cosine": "shared_direction",
    "mean_weights": "offsets",
    "monotonicity": "position_properties",
    "mutual_nearest_neighbors": "alignment",
    "nearest_in_group": "groups",
    "nearest_rows": "alignment",
    "neighbor_overlap": "maps",
    "neighbor_weights": "contrast",
    "norms": "directions",
    "null_penalties": "regimes",
    "offset_consistency": "offsets",
    "offset_cosines": "position_features",
    "one_dimensionality": "lines",
    "order_along_tree": "lines",
    "outlying_positions": "position_features",
    "pair_products": "shared_direction",
    "participation_ratio": "participation",
    "path_steps": "paths",
    "penalty_at": "regimes",
    "periodogram": "helix",
    "principal_components": "pca",
    "probability_not_positive": "dot_sign",
    "probability_of_larger": "comparison",
    "procrustes_distance": "alignment",
    "procrustes_fit": "alignment",
    "procrustes_similarity": "alignment",
    "properties_by_window": "position_properties",
    "purity": "groups",
    "ranks_of_relevant": "retrieval",
    "recall_at": "retrieval",
    "reciprocal_rank": "retrieval",
    "reciprocal_rank_by_chance": "retrieval",
    "relabellings": "contrast",
    "ring_neighbor_share": "rings",
    "ring_order_correlation": "rings",
    "rotated_paths": "paths",
    "same_group_neighbor_share": "separation",
    "scan_group_pairs": "group_pairs",
    "scan_pairs": "pairs",
    "shared_cosine": "shared_direction",
    "shared_energy": "shared_direction",
    "shuffled_properties_by_window": "position_properties",
    "silent_penalty": "regimes",
    "silhouettes": "groups",
    "simulated_features": "regimes",
    "sinusoidal_cosines": "sinusoids",
    "sinusoidal_positions": "sinusoids",
    "sinusoidal_positions_as_printed": "sinusoids",
    "spectral_peak": "helix",
    "stationary_kernel": "regimes",
    "stationary_tables": "regimes",
    "stratified_interval": "strata",
    "symmetry": "position_properties",
    "translation_invariance": "position_properties",
    "two_unrelated_pairs": "matched_draws",
    "unbiased_hsic": "alignment",
    "union_covariance": "cubes",
    "unit_rows": "directions",
    "unrelated_pairs": "matched_draws",
    "upper_p_value": "resampling",
    "winding": "helix",
    "winding_plane": "helix",
    "wins_by_stratum": "held_out",
    "within_and_between": "groups",
}


def __getattr__(name: str) -> Any:
    """A public name, from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
