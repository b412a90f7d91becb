"""Texts of a streamed corpus that belong together: copies, and those of one document."""
