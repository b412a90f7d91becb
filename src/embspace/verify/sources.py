"""What was published, and where ours is to be found: schema of data/published/*.yaml."""

from decimal import Decimal, InvalidOperation
from pathlib import Path

from pydantic import BaseModel, Field, field_validator, model_validator

from embspace.config import read_yaml, validate
from embspace.verify.rules import STRICT

PUBLISHED = Path("data/published")


class Pair(BaseModel):
    """A row about two things, in whichever order."""

    model_config = STRICT

    columns: list[str] = Field(min_length=2, max_length=2)
    values: list[str | int] = Field(min_length=2, max_length=2)


class Entry(BaseModel):
    """Numbers of one row, or of one JSON file."""

    model_config = STRICT

    quantity: str
    model: str
    file: str
    """Under results/; {model} stands for the model's name."""
    where: dict[str, str | int] = {}
    pair: Pair | None = None
    published: dict[str, str] = Field(min_length=1)
    """Column or dotted JSON key -> the number as printed: its digits are its tolerance."""
    factor: int = 1
    """Ours is multiplied by it."""
    absolute_tolerance: float | None = Field(default=None, gt=0)
    """In place of half a unit of the last printed digit."""
    reason: str = ""
    note: str = ""

    @field_validator("published")
    @classmethod
    def _numbers(cls, published: dict[str, str]) -> dict[str, str]:
        for column, printed in published.items():
            try:
                finite = Decimal(printed).is_finite()
            except InvalidOperation:
                finite = False
            if not finite:
                raise ValueError(f"'{column}' is no number: {printed!r}")
        return published

    @model_validator(mode="after")
    def _well_formed(self) -> "Entry":
        if not self.file.startswith("results/"):
            raise ValueError(f"`file` starts with 'results/', found {self.file!r}")
        if (self.absolute_tolerance is None) != (not self.reason):
            raise ValueError("`absolute_tolerance` and its `reason` come together")
        return self


class Source(BaseModel):
    """One publication."""

    model_config = STRICT

    source: str
    url: str = ""
    protocol: str
    """How the numbers came about, in our words."""
    entries: list[Entry] = Field(min_length=1)


def read_sources() -> list[Source]:
    """All publications, by file name.

    Raises:
        InputError: naming the file and the key that does not fit.
    """
    return [
        validate(Source, read_yaml(path), str(path)) for path in sorted(PUBLISHED.glob("*.yaml"))
    ]
