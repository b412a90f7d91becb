"""The public names, each with the module that defines it: what people call on arrays."""

from .groups.alignment import debiased_linear_cka as debiased_linear_cka
from .groups.alignment import linear_cka as linear_cka
from .groups.alignment import mutual_nearest_neighbors as mutual_nearest_neighbors
from .groups.alignment import procrustes_similarity as procrustes_similarity
from .groups.two_clouds import compare_clouds as compare_clouds
from .inference.half_samples import estimate_over_texts as estimate_over_texts
from .maps.lines import one_dimensionality as one_dimensionality
from .maps.maps import map_quality as map_quality
from .maps.maps import neighbor_overlap as neighbor_overlap
from .maps.pca import principal_components as principal_components
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
from .measures.declaration import measure as measure
from .measures.dimension_shares import n_outlier_dimensions as n_outlier_dimensions
from .measures.dimension_shares import top_dimension_share as top_dimension_share
from .measures.distance_ratios import gride as gride
from .measures.effective_numbers import effective_number as effective_number
from .measures.hubs import hubness as hubness
from .measures.hubs import local_distance_variation as local_distance_variation
from .measures.hubs import reciprocity as reciprocity
from .measures.likelihood_dimension import mean_local_dimension as mean_local_dimension
from .measures.likelihood_dimension import mle_dimension as mle_dimension
from .measures.mean_direction import cone_index as cone_index
from .measures.mean_direction import mean_cosine as mean_cosine
from .measures.mean_direction import mean_cosine_to_mean as mean_cosine_to_mean
from .measures.mean_direction import mean_resultant_length as mean_resultant_length
from .measures.near_pairs import correlation_dimension as correlation_dimension
from .measures.neighborhoods.adaptive_scale import abide as abide
from .measures.neighborhoods.gride_plateau import gride_plateau as gride_plateau
from .measures.neighborhoods.information_imbalance import (
    information_imbalance as information_imbalance,
)
from .measures.neighborhoods.label_overlap import balanced_label_overlap as balanced_label_overlap
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
from .measures.spectrum import covariance_eigenvalues as covariance_eigenvalues
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
from .pairs.directions import cosine_matrix as cosine_matrix
from .pairs.pairs import scan_pairs as scan_pairs
from .practice.uniformity import positive_pair_alignment as positive_pair_alignment
from .practice.uniformity import uniformity as uniformity

_MOVED: list[str]
