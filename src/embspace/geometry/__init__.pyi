"""The public names, each with the module that defines it."""

from .attention.key_variance import TextMoments as TextMoments
from .attention.key_variance import key_share_bounds as key_share_bounds
from .attention.key_variance import key_shares as key_shares
from .attention.key_variance import text_moments as text_moments
from .attention.query_key_form import EigenvalueCounts as EigenvalueCounts
from .attention.query_key_form import directionality as directionality
from .attention.query_key_form import effective_rank_of_form as effective_rank_of_form
from .attention.query_key_form import eigenvalue_counts as eigenvalue_counts
from .attention.query_key_form import expected_overlap as expected_overlap
from .attention.query_key_form import form_singular_values as form_singular_values
from .attention.query_key_form import form_symmetry as form_symmetry
from .attention.query_key_form import principal_angles as principal_angles
from .attention.query_key_form import skew_share as skew_share
from .attention.query_key_form import squared_shares as squared_shares
from .attention.query_key_form import subspace_overlap as subspace_overlap
from .groups.alignment import ProcrustesFit as ProcrustesFit
from .groups.alignment import common_neighbors as common_neighbors
from .groups.alignment import common_neighbors_without_each as common_neighbors_without_each
from .groups.alignment import debiased_linear_cka as debiased_linear_cka
from .groups.alignment import linear_cka as linear_cka
from .groups.alignment import mutual_nearest_neighbors as mutual_nearest_neighbors
from .groups.alignment import nearest_rows as nearest_rows
from .groups.alignment import procrustes_distance as procrustes_distance
from .groups.alignment import procrustes_fit as procrustes_fit
from .groups.alignment import procrustes_similarity as procrustes_similarity
from .groups.alignment import unbiased_hsic as unbiased_hsic
from .groups.contrast import GroupContrast as GroupContrast
from .groups.contrast import chance_accuracy as chance_accuracy
from .groups.contrast import contrast_groups as contrast_groups
from .groups.contrast import neighbor_weights as neighbor_weights
from .groups.contrast import relabelings as relabelings
from .groups.groups import average_linkage as average_linkage
from .groups.groups import group_means as group_means
from .groups.groups import group_members as group_members
from .groups.groups import nearest_in_group as nearest_in_group
from .groups.groups import nearest_others as nearest_others
from .groups.groups import neighbors_in_group as neighbors_in_group
from .groups.groups import purity as purity
from .groups.groups import same_group_neighbor_share as same_group_neighbor_share
from .groups.groups import silhouettes as silhouettes
from .groups.groups import within_and_between as within_and_between
from .groups.held_out_scores import held_out_scores as held_out_scores
from .groups.held_out_scores import linearly_separable as linearly_separable
from .groups.held_out_scores import wins_by_stratum as wins_by_stratum
from .groups.offsets import MeanOffsets as MeanOffsets
from .groups.offsets import consistency_of_draws as consistency_of_draws
from .groups.offsets import flipped_offset_consistency as flipped_offset_consistency
from .groups.offsets import half_sample_weights as half_sample_weights
from .groups.offsets import mean_offsets as mean_offsets
from .groups.offsets import mean_weights as mean_weights
from .groups.offsets import offset_consistency as offset_consistency
from .groups.paths import PathSteps as PathSteps
from .groups.paths import component_paths as component_paths
from .groups.paths import layer_share as layer_share
from .groups.paths import path_steps as path_steps
from .groups.paths import rotated_paths as rotated_paths
from .groups.retrieval import bm25 as bm25
from .groups.retrieval import ranks_of_relevant as ranks_of_relevant
from .groups.retrieval import recall_at as recall_at
from .groups.retrieval import reciprocal_rank as reciprocal_rank
from .groups.retrieval import reciprocal_rank_by_chance as reciprocal_rank_by_chance
from .groups.shared_direction import PairProducts as PairProducts
from .groups.shared_direction import mean_pair_cosine as mean_pair_cosine
from .groups.shared_direction import pair_products as pair_products
from .groups.shared_direction import shared_cosine as shared_cosine
from .groups.shared_direction import shared_energy as shared_energy
from .inference.alignment_draws import Kernels as Kernels
from .inference.alignment_draws import cka_of_orders as cka_of_orders
from .inference.alignment_draws import debiased_cka_of_subsets as debiased_cka_of_subsets
from .inference.alignment_draws import linear_kernels as linear_kernels
from .inference.half_samples import TextEstimate as TextEstimate
from .inference.half_samples import estimate_over_texts as estimate_over_texts
from .inference.matched_draws import two_unrelated_pairs as two_unrelated_pairs
from .inference.matched_draws import unrelated_pairs as unrelated_pairs
from .inference.null_clouds import coordinates_shuffled as coordinates_shuffled
from .inference.null_clouds import exchanged_between_texts as exchanged_between_texts
from .inference.null_clouds import gaussian_of_covariance as gaussian_of_covariance
from .inference.null_clouds import isotropic_gaussian as isotropic_gaussian
from .inference.resampling import Interval as Interval
from .inference.resampling import half_of_each as half_of_each
from .inference.resampling import half_sample_bounds as half_sample_bounds
from .inference.resampling import half_sample_interval as half_sample_interval
from .inference.resampling import interval_bounds as interval_bounds
from .inference.resampling import probability_of_larger as probability_of_larger
from .inference.resampling import stratified_interval as stratified_interval
from .inference.resampling import stream_of as stream_of
from .inference.resampling import upper_p_value as upper_p_value
from .maps.cubes import EmbeddedCube as EmbeddedCube
from .maps.cubes import union_covariance as union_covariance
from .maps.lines import OneDimensionality as OneDimensionality
from .maps.lines import one_dimensionality as one_dimensionality
from .maps.lines import order_along_tree as order_along_tree
from .maps.links import circle_pair as circle_pair
from .maps.links import linking_number as linking_number
from .maps.maps import MapQuality as MapQuality
from .maps.maps import map_quality as map_quality
from .maps.maps import neighbor_overlap as neighbor_overlap
from .maps.pca import PrincipalComponents as PrincipalComponents
from .maps.pca import principal_components as principal_components
from .maps.rings import circular_rank_correlation as circular_rank_correlation
from .maps.rings import largest_step_ratio as largest_step_ratio
from .maps.rings import ring_neighbor_share as ring_neighbor_share
from .maps.rings import ring_order_correlation as ring_order_correlation
from .measures.context import (
    adjusted_maximum_explainable_variance as adjusted_maximum_explainable_variance,
)
from .measures.context import adjusted_self_similarity as adjusted_self_similarity
from .measures.context import intra_sentence_similarity as intra_sentence_similarity
from .measures.context import maximum_explainable_variance as maximum_explainable_variance
from .measures.context import (
    maximum_explainable_variance_as_coded as maximum_explainable_variance_as_coded,
)
from .measures.context import (
    maximum_explainable_variance_as_recoded as maximum_explainable_variance_as_recoded,
)
from .measures.context import self_similarity as self_similarity
from .measures.declaration import Definition as Definition
from .measures.declaration import Estimate as Estimate
from .measures.declaration import measure as measure
from .measures.declaration import value_of as value_of
from .measures.dimension_shares import dimension_contributions as dimension_contributions
from .measures.dimension_shares import n_outlier_dimensions as n_outlier_dimensions
from .measures.dimension_shares import outlier_dimensions as outlier_dimensions
from .measures.dimension_shares import top_dimension_share as top_dimension_share
from .measures.direction_sums import DirectionSums as DirectionSums
from .measures.direction_sums import direction_sums_of as direction_sums_of
from .measures.distance_ratios import gride as gride
from .measures.distance_ratios import gride_by_scale as gride_by_scale
from .measures.dot_sign import probability_not_positive as probability_not_positive
from .measures.effective_numbers import effective_number as effective_number
from .measures.hubs import hubness as hubness
from .measures.hubs import local_densities as local_densities
from .measures.hubs import local_distance_variation as local_distance_variation
from .measures.hubs import reciprocity as reciprocity
from .measures.likelihood_dimension import local_dimensions as local_dimensions
from .measures.likelihood_dimension import mean_local_dimension as mean_local_dimension
from .measures.likelihood_dimension import mle_dimension as mle_dimension
from .measures.mean_direction import cone_index as cone_index
from .measures.mean_direction import mean_cosine as mean_cosine
from .measures.mean_direction import mean_cosine_to_mean as mean_cosine_to_mean
from .measures.mean_direction import mean_resultant_length as mean_resultant_length
from .measures.near_pairs import correlation_dimension as correlation_dimension
from .measures.neighborhoods.adaptive_scale import abide as abide
from .measures.neighborhoods.adaptive_scale import neighborhood_sizes as neighborhood_sizes
from .measures.neighborhoods.gride_plateau import Plateau as Plateau
from .measures.neighborhoods.gride_plateau import gride_plateau as gride_plateau
from .measures.neighborhoods.gride_plateau import plateau_of as plateau_of
from .measures.neighborhoods.information_imbalance import (
    information_imbalance as information_imbalance,
)
from .measures.neighborhoods.label_overlap import (
    balanced_label_overlap as balanced_label_overlap,
)
from .measures.neighborhoods.label_overlap import label_overlap as label_overlap
from .measures.partition_function import partition_isotropy as partition_isotropy
from .measures.partition_function import (
    partition_isotropy_at_unit_norm as partition_isotropy_at_unit_norm,
)
from .measures.registry import definitions as definitions
from .measures.spectral_measures import debiased_participation_ratio as debiased_participation_ratio
from .measures.spectral_measures import effective_rank as effective_rank
from .measures.spectral_measures import effective_rank_of_covariance as effective_rank_of_covariance
from .measures.spectral_measures import iso_score as iso_score
from .measures.spectral_measures import iso_score_star as iso_score_star
from .measures.spectral_measures import participation_ratio as participation_ratio
from .measures.spectral_measures import rank_me as rank_me
from .measures.spectral_measures import spectral_entropy as spectral_entropy
from .measures.spectral_measures import stable_rank as stable_rank
from .measures.spectral_measures import top_variance_share as top_variance_share
from .measures.spectrum import components_for as components_for
from .measures.spectrum import covariance_eigenvalues as covariance_eigenvalues
from .measures.spectrum import explained_variance as explained_variance
from .measures.spectrum import gaussian_covariance_eigenvalues as gaussian_covariance_eigenvalues
from .measures.spectrum_slope import alpha_req as alpha_req
from .measures.spectrum_slope import alpha_req_as_coded as alpha_req_as_coded
from .measures.texts.text_curvature import text_curvature as text_curvature
from .measures.texts.text_curvature import (
    text_curvature_folded_as_coded as text_curvature_folded_as_coded,
)
from .measures.texts.text_curvature import (
    text_curvature_of_states_as_coded as text_curvature_of_states_as_coded,
)
from .measures.texts.text_entropy import text_entropy as text_entropy
from .measures.texts.text_entropy import text_entropy_as_coded as text_entropy_as_coded
from .measures.two_nearest import two_nn as two_nn
from .measures.two_nearest import two_nn_discarding as two_nn_discarding
from .measures.two_nearest import two_nn_lowest_fifth_as_coded as two_nn_lowest_fifth_as_coded
from .measures.two_nearest import two_nn_maximum_likelihood as two_nn_maximum_likelihood
from .pairs.directions import cosine_bound as cosine_bound
from .pairs.directions import cosine_matrix as cosine_matrix
from .pairs.directions import cosine_tail as cosine_tail
from .pairs.directions import norms as norms
from .pairs.directions import unit_rows as unit_rows
from .pairs.distribution import Distribution as Distribution
from .pairs.extremes import ExtremePairs as ExtremePairs
from .pairs.group_pairs import GroupedVectors as GroupedVectors
from .pairs.group_pairs import GroupPairs as GroupPairs
from .pairs.group_pairs import scan_group_pairs as scan_group_pairs
from .pairs.moments import Moments as Moments
from .pairs.moments import moments_of as moments_of
from .pairs.neighbor_graph import neighbor_graph_of as neighbor_graph_of
from .pairs.neighbors import NeighborGraph as NeighborGraph
from .pairs.pairs import PairScan as PairScan
from .pairs.pairs import scan_pairs as scan_pairs
from .parameters.alignment import Assignment as Assignment
from .parameters.alignment import Covariances as Covariances
from .parameters.alignment import best_assignment as best_assignment
from .parameters.alignment import layer_numbers as layer_numbers
from .parameters.alignment import layer_similarity as layer_similarity
from .parameters.alignment import projected_row_means as projected_row_means
from .parameters.alignment import raw_row_means as raw_row_means
from .parameters.alignment import vocabulary_covariances as vocabulary_covariances
from .parameters.keep_k import Grams as Grams
from .parameters.keep_k import keep_k as keep_k
from .parameters.keep_k import keep_k_grams as keep_k_grams
from .parameters.keep_k import keep_k_scores as keep_k_scores
from .parameters.keep_k import random_members as random_members
from .parameters.planted_copies import found_layers as found_layers
from .parameters.projection import TopTokens as TopTokens
from .parameters.projection import mean_member_cosine as mean_member_cosine
from .parameters.projection import token_readers as token_readers
from .parameters.projection import top_tokens as top_tokens
from .parameters.related import named_by_any as named_by_any
from .parameters.related import set_similarity as set_similarity
from .parameters.related import strongest_tokens as strongest_tokens
from .parameters.vocabulary_pairs import VocabularyPairs as VocabularyPairs
from .parameters.vocabulary_pairs import equal_pairs as equal_pairs
from .parameters.vocabulary_pairs import n_pairs_above as n_pairs_above
from .parameters.vocabulary_pairs import token_factor as token_factor
from .parameters.vocabulary_pairs import top_pairs as top_pairs
from .positional.helix import SpectralPeak as SpectralPeak
from .positional.helix import Winding as Winding
from .positional.helix import advance as advance
from .positional.helix import cumulative_turns as cumulative_turns
from .positional.helix import dominant_frequency as dominant_frequency
from .positional.helix import periodogram as periodogram
from .positional.helix import rank_advance as rank_advance
from .positional.helix import spectral_peak as spectral_peak
from .positional.helix import winding as winding
from .positional.helix import winding_plane as winding_plane
from .positional.position_features import LocalFeatures as LocalFeatures
from .positional.position_features import Outlyingness as Outlyingness
from .positional.position_features import local_features as local_features
from .positional.position_features import offset_cosines as offset_cosines
from .positional.position_features import outlying_positions as outlying_positions
from .positional.position_properties import cosines_by_offset as cosines_by_offset
from .positional.position_properties import monotonicity as monotonicity
from .positional.position_properties import properties_by_window as properties_by_window
from .positional.position_properties import (
    shuffled_properties_by_window as shuffled_properties_by_window,
)
from .positional.position_properties import symmetry as symmetry
from .positional.position_properties import translation_invariance as translation_invariance
from .positional.regimes import Regime as Regime
from .positional.regimes import Search as Search
from .positional.regimes import change_points as change_points
from .positional.regimes import find_regimes as find_regimes
from .positional.regimes import null_penalties as null_penalties
from .positional.regimes import penalty_at as penalty_at
from .positional.regimes import silent_penalty as silent_penalty
from .positional.regimes import simulated_features as simulated_features
from .positional.regimes import stationary_kernel as stationary_kernel
from .positional.regimes import stationary_tables as stationary_tables
from .positional.sinusoids import sinusoidal_cosines as sinusoidal_cosines
from .positional.sinusoids import sinusoidal_positions as sinusoidal_positions
from .positional.sinusoids import sinusoidal_positions_as_printed as sinusoidal_positions_as_printed
from .positional.smooth_nulls import falling_fit as falling_fit
from .positional.smooth_nulls import falling_tables as falling_tables
from .positional.smooth_nulls import random_walks as random_walks
from .positional.smooth_nulls import shuffled_tables as shuffled_tables
from .positional.smooth_nulls import stationary_copies as stationary_copies
from .positional.waves import Wave as Wave
from .positional.waves import both_ways as both_ways
from .positional.waves import falling_wave as falling_wave
from .positional.waves import pattern_share as pattern_share
from .positional.waves import profile_gain as profile_gain
