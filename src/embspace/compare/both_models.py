"""Declares an input of a comparison for both models of a pair."""

from collections.abc import Callable, Sequence
from typing import Any

from embspace.analysis import PIN, Source


def both_models(
    argument: str, load: Callable[..., Any], *paths: str, lists: Sequence[str] = ()
) -> dict[str, Source]:
    """Return the sources of `argument` and `other_<argument>`.

    `paths` are of the first model, named {model}; a path without a name belongs to both.
    """
    others = [path.replace("{model}", "{other_model}") for path in paths]
    return {
        argument: Source(load, paths, lists=lists),
        f"other_{argument}": Source(load, others, lists=lists),
    }


DESCRIBED = "conf/model/{model}.yaml"
WEIGHTS = (DESCRIBED, PIN)
"""The files of a loader of weights: the second one changes when a file of the model does."""
NAMES = Source(lambda _, names: names)
"""The names of both models."""
