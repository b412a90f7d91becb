"""The distribution of coordinates: how far it is from normal."""
