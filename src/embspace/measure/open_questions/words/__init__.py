"""Words with values of their own, and what a direction says of them."""
