"""The names of all features of heads, in the order of the tables."""

from embspace.geometry.attention.head_features import FEATURES

ARTICLE_FEATURES = ("article_mass", "article_mass_elsewhere", "article_excess")
ALL_FEATURES = (*FEATURES, *ARTICLE_FEATURES)
WITHOUT_FIRST = "_without_first_key"
"""The end of the names of columns and tensors whose maps lack the first token."""
