"""Islands of texts: places in a space or on a map, labels, and texts."""
