"""A model in the memory of this process, and what it makes of texts, without tree or stage."""
