"""Answers to users' questions on texts or vectors of their own."""
