"""Texts of a streamed corpus that belong together: copies, and the texts of a document."""
