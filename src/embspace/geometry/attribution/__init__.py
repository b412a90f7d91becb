"""Scores of the places that a prediction rests on, and measures of scores against the truth."""
