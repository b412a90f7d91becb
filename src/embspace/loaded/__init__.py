"""A model in the memory of this process, and the model's states of texts, without tree or stage."""
