"""Maps of a cloud, from its nearest neighbors: deterministic, whatever the number of cores."""
