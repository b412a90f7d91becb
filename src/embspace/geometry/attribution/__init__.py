"""What a prediction rests on: scores of places, and how they are held against the truth."""
