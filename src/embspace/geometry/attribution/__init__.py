"""Scores of the places that a prediction rests on, and measures of them against the truth."""
