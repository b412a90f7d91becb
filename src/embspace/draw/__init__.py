"""Stages that turn tables into figures."""
