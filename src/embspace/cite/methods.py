"""What src/embspace/cite/sentences/<noun>.yaml may say: the method of one analysis."""

from collections.abc import Iterator
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from embspace.cite.wording import placeholders
from embspace.errors import InputError, not_among
from embspace.settings.params import TOY
from embspace.settings.schema import validate

DATA = files("embspace.cite")
STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
MODEL = "model"
"""The placeholder of the model's label."""


class _Rows(BaseModel):
    """Some rows of a table; a JSON file is one row, with dotted keys as columns."""

    model_config = STRICT

    file: str = Field(pattern=r"^results/")
    """{model} stands for the model's name, as in `column`."""
    where: dict[str, str | int | list[str]] = {}
    """Column -> the value that it has, or those of which it has one."""
    having: str | None = None
    """A column that is not empty."""


class Number(_Rows):
    """One number of the results."""

    column: str
    take: Literal["value", "largest", "distinct"] = "value"
    """The value that all these rows have; the largest; how many different ones there are."""


class Listing(_Rows):
    """A phrase for each of some rows; rows of the same phrase have one."""

    item: str
    """With the row's columns as placeholders; `texts` says of which corpus the row is."""
    corpus: str = "corpus"
    """The column that names it."""


class Methods(BaseModel):
    """How one analysis is described; every setting is said, or is in `not_said`."""

    model_config = STRICT

    noun: str
    """Of the file's name."""
    verb: Literal["measure", "project", "compare"]
    toy: bool = False
    """Whether there is no model."""
    numbers: dict[str, Number] = {}
    lists: dict[str, Listing] = {}
    sentences: list[str] = Field(min_length=1)
    """Placeholders: a number or a list; settings.<key> of this noun, <verb>.<noun>.<key> of
    another; model, its label."""
    not_said: list[str] = []
    """Settings that change what is listed, drawn or how fast, and none of the method; or of which
    the results tell what came of them."""

    @property
    def of_one_model(self) -> bool:
        """Whether it is about a model: not of toys, nor of all models together."""
        return not self.toy and self.verb != "compare"

    @property
    def stage(self) -> str:
        """Its name in dvc.yaml."""
        return f"{self.verb}_{self.noun}"

    @cached_property
    def template(self) -> str:
        """All sentences."""
        return " ".join(self.sentences)

    @property
    def settings_said(self) -> set[str]:
        """The keys of its own settings that a sentence mentions."""
        names = (name.partition(".") for name in placeholders(self.template))
        return {key for group, _, key in names if group == "settings"}

    @model_validator(mode="after")
    def _placeholders_are_known(self) -> "Methods":
        asked = {name for name in placeholders(self.template) if "." not in name}
        own = {*self.numbers, *self.lists}
        if unknown := asked - own - ({MODEL} if self.of_one_model else set()):
            raise ValueError(f"no number or list is named {', '.join(sorted(unknown))}")
        if unused := own - asked:
            raise ValueError(f"no sentence has {', '.join(sorted(unused))}")
        if both := self.settings_said & set(self.not_said):
            raise ValueError(f"`not_said`, but said: {', '.join(sorted(both))}")
        name = TOY if self.toy else "{model}" if self.of_one_model else self.noun
        for rows in [*self.numbers.values(), *self.lists.values()]:
            if Path(rows.file).stem != name:
                raise ValueError(f"`file` is named {name}, found {rows.file}")
        return self


def nouns() -> list[str]:
    """All that there are sentences for."""
    found = (Path(str(each)) for each in (DATA / "sentences").iterdir())
    return sorted(path.stem for path in found if path.suffix == ".yaml")


def load_methods(noun: str) -> Methods:
    """The sentences of an analysis.

    Raises:
        InputError: if there are none, with the nouns that there are.
    """
    if noun not in nouns():
        raise InputError(f"noun: {not_among(noun, nouns())}")
    file = f"sentences/{noun}.yaml"
    return validate(Methods, {"noun": noun, **_data(file)}, f"embspace/cite/{file}")


def papers_of(repository: str | None) -> list[str]:
    """The keys of a model's own papers; none for a model that embspace does not know."""
    papers: dict[str, list[str]] = _data("models.yaml")
    return papers.get(repository or "", [])


def all_papers() -> Iterator[str]:
    """The keys of the papers of all models that are known."""
    for keys in _data("models.yaml").values():
        yield from keys


def _data(file: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((DATA / file).read_text(encoding="utf-8"))
    return content
