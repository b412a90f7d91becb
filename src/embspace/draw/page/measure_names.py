"""Names the measures of layers for readers."""

MEASURES = {
    "abide": "ABIDE dimension",
    "alpha_req": "slope of the spectrum (α-ReQ)",
    "gride_plateau": "Gride dimension on its plateau",
    "top_dimension_share": "top dimension's share",
    "self_similarity": "self-similarity",
    "adjusted_self_similarity": "adjusted self-similarity",
    "n_outlier_dimensions": "outlier dimensions",
    "debiased_participation_ratio": "debiased participation ratio",
    "partition_isotropy_at_unit_norm": "partition isotropy at unit norm",
    "intra_sentence_similarity": "similarity within a text",
    "iso_score": "IsoScore",
    "rank_me": "RankMe",
    "two_nn": "TwoNN dimension",
    "two_nn_discarding": "TwoNN, largest ratios discarded",
    "two_nn_lowest_fifth_as_coded": "TwoNN, lowest fifth as coded",
    "two_nn_maximum_likelihood": "TwoNN, maximum likelihood",
    "mle_dimension": "MLE dimension, 20 neighbors",
    "gride": "Gride dimension",
    "hubness": "hubness (k-occurrence skew)",
    "reciprocity": "reciprocity of 10 neighbors",
    "local_distance_variation": "variation of distances to neighbors",
}


def name_of(measure: str) -> str:
    """Return a measure's name for readers."""
    return MEASURES.get(measure, measure.replace("_", " "))
