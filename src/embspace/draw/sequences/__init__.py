"""Draws what classifiers of sequences have learned."""
