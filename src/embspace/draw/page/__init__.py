"""Style, tables and files that the drawings of all chapters use."""
