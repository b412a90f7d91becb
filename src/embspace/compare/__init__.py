"""Compares two models, a pair at a time: one module a stage, one table a pair."""
