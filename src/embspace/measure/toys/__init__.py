"""Measures of clouds with known geometry."""
