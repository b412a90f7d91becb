"""Holds the style, the tables and the files that the drawings of all chapters share."""
