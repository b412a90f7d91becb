"""Words with given values, and how well a direction predicts these values."""
