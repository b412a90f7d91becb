"""Scores of a prediction's places, and measures of the scores against the truth."""
