"""Words with given values, predicted by a direction."""
