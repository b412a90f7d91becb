"""Formats of users' tables: every file of texts, labels or vectors is read by these modules."""
