"""Probes of a loaded model: a few forward passes show how to read texts."""
