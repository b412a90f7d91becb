"""Stages that lay clouds of vectors out on a plane."""
