"""Tables as people have them: every file of texts, labels or vectors is read by way of these."""
