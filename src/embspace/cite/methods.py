"""The templates of all analyses, sentences/<verb>_<noun>.jinja, and the papers of models."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path

import yaml
from jinja2 import Environment, nodes

from embspace.errors import InputError, not_among

DATA = files("embspace.cite")


@dataclass(frozen=True)
class Methods:
    """The sentences of an analysis; `Facts.variables` lists the variables of a template.

    The comment `Not said` of a template names settings of listing, drawing or speed, and settings
    whose effect the results show.
    """

    name: str
    """<verb>_<noun>, as the stage."""
    template: str

    @property
    def verb(self) -> str:
        """The folder of the settings in conf/."""
        return self.name.partition("_")[0]

    @property
    def noun(self) -> str:
        """The folder of the results."""
        return self.name.partition("_")[2]

    @cached_property
    def names_model(self) -> bool:
        """Return whether the template names a model; those of toys and of several models do not."""
        names = Environment().parse(self.template).find_all(nodes.Name)
        return "model" in {node.name for node in names}


def all_methods() -> dict[str, Methods]:
    """Return every template by noun."""
    paths = [Path(str(path)) for path in (DATA / "sentences").iterdir()]
    templates = [Methods(path.stem, path.read_text(encoding="utf-8")) for path in paths]
    return {
        methods.noun: methods for methods in sorted(templates, key=lambda methods: methods.noun)
    }


def load_methods(noun: str) -> Methods:
    """The sentences of an analysis.

    Raises:
        InputError: if the analysis has no sentences, with the nouns that have.
    """
    known = all_methods()
    if noun not in known:
        raise InputError(f"noun: {not_among(noun, known)}")
    return known[noun]


def papers_of(repository: str | None) -> list[str]:
    """The keys of a model's own papers; none for an unknown model."""
    return _papers().get(repository or "", [])


def all_papers() -> Iterator[str]:
    """The keys of the papers of all known models."""
    for keys in _papers().values():
        yield from keys


def _papers() -> dict[str, list[str]]:
    papers: dict[str, list[str]] = yaml.safe_load(
        (DATA / "models.yaml").read_text(encoding="utf-8")
    )
    return papers
