"""Maps of a cloud, from nearest neighbors: deterministic, whatever the number of cores."""
