"""Formats of users' tables: all files of texts, labels or vectors are read by these modules."""
