"""Units of a streamed corpus: texts with their copies, and the texts of a document."""
