"""Corpora that come from the network."""
