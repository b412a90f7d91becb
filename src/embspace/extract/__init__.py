"""Stages that read tensors out of a model."""
