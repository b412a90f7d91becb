"""How far the distribution of coordinates is from normal."""
