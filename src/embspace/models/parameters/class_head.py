"""Reads the head by which a trained model tells classes apart, as vectors of the model's width."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError

LAST = ("classifier.out_proj", "classifier", "score")
"""Names of the map to the classes, in the heads of transformers."""
INNER = ("base_model.pooler.dense", "pre_classifier", "classifier.dense", "head.dense")
"""Names of the map in front of the head, which not all heads have."""


@dataclass(frozen=True, eq=False)
class ClassHead:
    """The vectors of the classes."""

    labels: list[str]
    rows: Float[np.ndarray, "label dim"]
    """The weights of the last map."""
    through: Float[np.ndarray, "label dim"] | None
    """The rows times the map in front, whose nonlinearity is left out: a state of the stream near 0
    is compared with them. None where no map is in front.
    """


def class_head(module: Any) -> ClassHead:
    """Return the vectors of the classes of a module of sequence classification; float32.

    Raises:
        InputError: if the architecture keeps the map to its classes elsewhere.
    """
    last = _linear_at(module, LAST)
    if last is None:
        raise InputError(
            f"{type(module).__name__}: has no map to its classes at {', '.join(LAST)}, which are "
            "the places that are known"
        )
    rows = _weight(last)
    inner = _linear_at(module, INNER)
    names = module.config.id2label
    return ClassHead(
        labels=[str(names[number]) for number in range(len(rows))],
        rows=rows,
        through=None if inner is None else rows @ _weight(inner),
    )


def _linear_at(module: Any, places: tuple[str, ...]) -> Any:
    import torch

    for place in places:
        try:
            part = attrgetter(place)(module)
        except AttributeError:
            continue
        if isinstance(part, torch.nn.Linear):
            return part
    return None


def _weight(linear: Any) -> np.ndarray:
    values: np.ndarray = linear.weight.detach().cpu().float().numpy()
    return values
