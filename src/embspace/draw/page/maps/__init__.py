"""Draws maps of the clouds of a model, and says how far each can be trusted."""
