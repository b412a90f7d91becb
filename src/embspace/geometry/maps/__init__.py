"""Maps in two dimensions, and what they keep."""
