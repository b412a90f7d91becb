"""Islands of texts: places, labels, and texts."""
