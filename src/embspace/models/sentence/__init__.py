"""Sentence models as intended by the makers: the modules after the transformer in modules.json."""
