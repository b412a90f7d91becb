"""Maps in two dimensions, and measures of their faithfulness."""
