"""The clouds of vectors that stages measure."""
