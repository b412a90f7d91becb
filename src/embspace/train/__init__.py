"""Stages that train small models and keep all checkpoints."""
