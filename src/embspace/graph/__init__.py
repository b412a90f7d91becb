"""Writes the files that the declarations of analyses decide: stages, headings, kinds, lists."""
