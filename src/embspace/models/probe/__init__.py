"""Probes of a loaded model: a few forward passes that show how it has to be read."""
