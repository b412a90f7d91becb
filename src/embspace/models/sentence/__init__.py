"""Sentence models as their makers meant them: what follows the transformer in modules.json."""
