"""Measures of classifiers of simulated sequences, against the known facts of the sequences."""
