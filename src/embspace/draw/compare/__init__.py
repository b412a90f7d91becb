"""Draws figures and tables of what compares models."""
