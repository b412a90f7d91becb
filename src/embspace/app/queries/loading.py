"""Keeps transformers' messages on weights out of a command's output."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_report_of_weights() -> Iterator[None]:
    """Keep transformers from listing weights without use in a space, as a head's or a pooler's.

    Missing weights are an error of `load_model`, with their names. The module of models must have
    no level of its own, or it would warn about layers that are not sharded.
    """
    with warnings.catch_warnings():
        # In a notebook without ipywidgets a bar is text, which nobody need be told.
        warnings.filterwarnings("ignore", "IProgress not found")
        from transformers.utils.logging import get_verbosity

    get_verbosity()  # the first call sets the level, which would undo the one below
    logger = logging.getLogger("transformers")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
