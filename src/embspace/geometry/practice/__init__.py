"""Measures behind the questions that people bring: thresholds, hubs, changes, compression."""
