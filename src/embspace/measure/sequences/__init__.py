"""Measures what classifiers of simulated sequences have learned, against what is known of them."""
