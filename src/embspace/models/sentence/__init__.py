"""Sentence models as their makers meant: the modules after the transformer in modules.json."""
