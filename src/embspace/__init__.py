"""Geometry of the embedding spaces of BERT-family models."""
