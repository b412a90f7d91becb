"""Probes of a loaded model: a few forward passes show how it has to be read."""
