"""The published checkpoints of a model's training, as separate models of the hub."""

from dataclasses import dataclass

import numpy as np

from embspace.errors import InputError
from embspace.settings.model import HubFiles, HubModel, Model, Network, model_file


@dataclass(frozen=True)
class PublishedCheckpoint:
    """The weights after a number of steps of training, where the makers have put them."""

    name: str
    """In models.lock, <model>@step<step>."""
    step: int
    model: Network
    """The model as described, at the repository and revision of the checkpoint."""

    @property
    def files(self) -> HubFiles:
        """Return the files on the hub.

        Raises:
            TypeError: for a model of another source.
        """
        if not isinstance(self.model, HubFiles):
            raise TypeError(f"{self.name}: found a model of '{self.model.source}', allowed: 'hub'")
        return self.model


def published_checkpoints(name: str, model: Model) -> list[PublishedCheckpoint]:
    """Return all checkpoints named in the file of the model `name`, by step.

    Raises:
        InputError: if the file names none.
    """
    if not isinstance(model, HubModel) or model.checkpoints is None:
        raise InputError(
            f"{model_file(name)}: has no key 'checkpoints', which says where the steps of the "
            "model's training are on the hub"
        )
    unit = model.checkpoints.unit
    return [
        PublishedCheckpoint(f"{name}@step{number * unit}", number * unit, _at(model, number))
        for number in sorted(set(model.checkpoints.steps))
    ]


def chosen_checkpoints(name: str, model: Model, n_checkpoints: int) -> list[PublishedCheckpoint]:
    """`n_checkpoints` of the published checkpoints, spread by the logarithm of the step.

    The first and the last, then repeatedly the checkpoint farthest from the chosen: a larger number
    only adds checkpoints. All, if no more are published.
    """
    published = published_checkpoints(name, model)
    place = np.log1p([checkpoint.step for checkpoint in published])
    chosen = list(dict.fromkeys([0, len(published) - 1]))
    while len(chosen) < min(n_checkpoints, len(published)):
        nearest = np.abs(place[:, None] - place[chosen]).min(axis=1)
        chosen.append(int(np.argmax(nearest)))
    return [published[number] for number in sorted(chosen)]


def _at(model: HubModel, number: int) -> HubModel:
    """Return the model at a number of `checkpoints.steps`, without the model's own pins."""
    checkpoints = model.checkpoints
    assert checkpoints is not None
    repository = checkpoints.repository or model.repository
    revision = checkpoints.revision or "main"
    place = {"repository": repository, "revision": revision}
    filled = {key: value.replace("{step}", str(number)) for key, value in place.items()}
    return model.model_copy(update={**filled, "sha256": {}, "checkpoints": None})
