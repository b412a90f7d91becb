"""Sentence models as their makers meant them: the modules after the transformer in modules.json."""
