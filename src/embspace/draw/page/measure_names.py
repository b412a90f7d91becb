"""Names the measures of layers, and other values of tables, for readers."""

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


VALUES = MEASURES | {
    "as_is": "as they are",
    "centered_unit_length": "centered, unit length",
    "cls": "first token",
    "groups_and_random": "groups, and random words",
    "ica": "ICA",
    "macro_f1": "macro F1",
    "word_pairs": "likely pairs of neighbors",
    **{
        name: name.replace("_", " ")
        for name in (
            *("all_corpora", "two_sources", "mean_cosine", "reciprocal_rank", "dot_product"),
            *("euclidean_distance", "random_weights", "random_words", "random_characters"),
            *("bag_of_words", "swapped_roles", "first_words", "ordinary_tokens"),
            *("masked_language_modeling", "causal_language_modeling", "share_with_copies"),
            *("no_outlier_dimensions", "median_n_tokens", "median_n_characters"),
        )
    },
}
"""Values of tables that are names in the code; others stand as they are."""


def name_of(measure: str) -> str:
    """Return a measure's name for readers."""
    return MEASURES.get(measure, measure.replace("_", " "))
