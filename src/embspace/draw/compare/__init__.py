"""Figures and tables of what compares models."""
