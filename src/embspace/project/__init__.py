"""Stages for maps of clouds of vectors."""
