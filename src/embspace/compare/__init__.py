"""Compares two models, a pair at a time: a module per stage, a table per pair."""
