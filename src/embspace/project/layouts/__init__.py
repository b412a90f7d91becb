"""Maps of a cloud, from its nearest neighbours: deterministic, whatever the number of cores."""
