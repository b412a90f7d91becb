"""Stages that turn tensors into tables."""
