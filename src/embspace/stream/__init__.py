"""Measures corpora that fit into no memory and onto no one machine: sums while embedding."""
