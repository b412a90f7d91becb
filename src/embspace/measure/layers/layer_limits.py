"""Cuts the intervals of measures of layers at the ends of the ranges of these measures."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from embspace.geometry.inference.half_samples import TextEstimate

COSINES = (
    "mean_cosine",
    "mean_cosine_to_mean",
    "self_similarity",
    "intra_sentence_similarity",
    "adjusted_maximum_explainable_variance",  # a difference of two shares
)
SHARES = (
    "mean_resultant_length",
    "maximum_explainable_variance",
    "maximum_explainable_variance_as_coded",
    "maximum_explainable_variance_as_recoded",
    "top_variance_share",
    "spectral_entropy",
    "iso_score",
    "iso_score_star",
    "partition_isotropy",
    "partition_isotropy_at_unit_norm",
    "reciprocity",
)
COUNTS = (
    "stable_rank",
    "rank_me",
    "effective_rank",
    "effective_rank_of_covariance",
    "participation_ratio",
)
FROM_ZERO = (
    "cone_index",
    "n_outlier_dimensions",
    "text_entropy",
    "debiased_participation_ratio",
    "alpha_req",
    "local_distance_variation",
    "two_nn",
    "two_nn_discarding",
    "two_nn_maximum_likelihood",
    "two_nn_lowest_fifth_as_coded",
    "mle_dimension",
    "mean_local_dimension",
    "gride",
    "gride_plateau",
    "abide",
    "correlation_dimension",
)
LIMITS: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(COSINES, (-1.0, 1.0)),
    "adjusted_self_similarity": (-2.0, 2.0),
    "text_curvature": (0.0, np.pi),
    **dict.fromkeys(SHARES, (0.0, 1.0)),
    **dict.fromkeys(COUNTS, (1.0, np.inf)),
    **dict.fromkeys(FROM_ZERO, (0.0, np.inf)),
}


def within_range(estimate: TextEstimate, measure: str) -> TextEstimate:
    """Return the estimate of a measure, with its interval cut to possible values.

    A multiple of the standard error, added to the value, may leave the range of the measure.
    """
    least, most = LIMITS.get(measure, (-np.inf, np.inf))
    low, high = (float(np.clip(bound, least, most)) for bound in (estimate.low, estimate.high))
    return replace(estimate, low=low, high=high)
