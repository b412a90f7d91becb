"""Islands of texts: where they lie, what labels say of them, and the texts themselves."""
