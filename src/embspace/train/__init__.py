"""Stages that train small models and keep every step that matters."""
