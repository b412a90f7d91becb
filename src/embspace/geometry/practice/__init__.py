"""Measures for questions of practice: thresholds, hubs, changes, compression."""
