"""Answers to the questions that people bring to their own texts or vectors."""
