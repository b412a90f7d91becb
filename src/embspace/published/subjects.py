"""The subjects of published numbers: a model takes part under any file name."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embspace.published.sources import ANY_MODEL
from embspace.settings.find_description import described_in
from embspace.settings.model import describe_model, repository_of
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml

MODELS = CONF / "model"


@dataclass(frozen=True)
class Subject:
    """A model of ours: the name in results, and the origin of the weights."""

    name: str
    repository: str | None
    """None for unpublished weights."""

    def is_meant_by(self, about: str) -> bool:
        """Return whether a statement about the repository `about`, or any, is about this model."""
        return about in (ANY_MODEL, self.repository)

    def file(self, place: str, results: Path) -> Path:
        """Return the file of results of this model that `place` names."""
        return results / Path(place.replace("{model}", self.name)).relative_to("results")


def subject(name: str, described: dict[str, Any]) -> Subject:
    """Return the model of the name, from what its file says."""
    return Subject(name, repository_of(describe_model(name, described)))


def read_subject(name: str) -> Subject:
    """The model described by conf/model/<name>.yaml.

    Raises:
        InputError: if the file does not exist, or a key does not fit.
    """
    return subject(name, read_yaml(described_in(MODELS, name)))


def names_of(repository: str) -> list[str]:
    """Return the names of the models in conf/model/ that have the weights of a repository."""
    subjects = (read_subject(path.stem) for path in sorted(MODELS.glob("*.yaml")))
    return [subject.name for subject in subjects if subject.repository == repository]
