"""What was published, and where ours is to be found: schema of data/published/*.yaml."""

import re
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from embspace.settings.schema import read_yaml, validate
from embspace.verify.rules import STRICT

PUBLISHED = Path("data/published")
ANY_MODEL = "any"
"""In the place of a model: the number is about no weights, and every model's results have it."""
RULE = re.compile(r"(value|low|high) (<|>|<=|>=) (null|null_low|null_high|-?[\d.]+)")


class Pair(BaseModel):
    """A row about two things, in whichever order."""

    model_config = STRICT

    columns: list[str] = Field(min_length=2, max_length=2)
    values: list[str | int] = Field(min_length=2, max_length=2)


class Given(BaseModel):
    """What must hold of our results before a number of theirs can be asked for."""

    model_config = STRICT

    what: str
    """In words, for who lacks it."""
    file: str
    where: dict[str, str | int]
    """There is a row with these values."""


class Entry(BaseModel):
    """Numbers of one row, or of one JSON file."""

    model_config = STRICT

    quantity: str
    section: str = ""
    page: int | None = None
    model: str
    file: str
    """Under results/; {model} stands for the model's name."""
    where: dict[str, str | int] = {}
    pair: Pair | None = None
    given: Given | None = None
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


class CellPlace(BaseModel):
    """One number of ours, and in the same row its interval and null."""

    model_config = STRICT

    file: str
    where: dict[str, str | int] = {}
    value: str
    low: str | None = None
    high: str | None = None
    null: str | None = None
    null_low: str | None = None
    null_high: str | None = None


class Claim(BaseModel):
    """A statement of the publication, and what decides it, fixed before looking."""

    model_config = STRICT

    claim: str
    """In our words."""
    section: str
    page: int
    model: str = ANY_MODEL
    """The only one that the claim is about."""
    question: str = ""
    """The research question that hangs on it."""
    statistic: str
    cell: CellPlace
    minus: CellPlace | None = None
    over: CellPlace | None = None
    """The value, without interval, less or over that of another cell."""
    holds_if: str
    """Comparisons of value, low and high with a number or the null, joined by `and`."""
    note: str = ""

    @field_validator("holds_if")
    @classmethod
    def _a_rule(cls, rule: str) -> str:
        for part in rule.split(" and "):
            if not RULE.fullmatch(part):
                raise ValueError(f"is no rule: {part!r}; allowed: {RULE.pattern}, joined by 'and'")
        return rule

    @model_validator(mode="after")
    def _one_operation(self) -> "Claim":
        if self.minus and self.over:
            raise ValueError("`minus` and `over` exclude each other")
        return self


class RunClaim(BaseModel):
    """A statement on training, of which a stage has decided for every seed of a run."""

    model_config = STRICT

    claim: str
    """In our words."""
    section: str
    file: str = Field(pattern=r"^results/.*\{run\}")
    """With a row a seed, columns `seed` and `verdict`; {run} stands for the run's name."""
    where: dict[str, str | int]


class Undecided(BaseModel):
    """A printed number or table that nothing of ours can decide, and why."""

    model_config = STRICT

    quantity: str
    section: str
    page: int
    verdict: Literal["slip", "lost in the source", "cannot be had"]
    published: str = ""
    correct: str = ""
    """Of a slip: what it should be."""
    reason: str = Field(min_length=1)


class Source(BaseModel):
    """One publication."""

    model_config = STRICT

    source: str
    url: str = ""
    protocol: str
    """How the numbers came about, in our words."""
    entries: list[Entry] = []
    claims: list[Claim] = []
    claims_on_runs: list[RunClaim] = []
    undecided: list[Undecided] = []

    @model_validator(mode="after")
    def _says_something(self) -> "Source":
        if not (self.entries or self.claims or self.claims_on_runs):
            raise ValueError("expected `entries`, `claims` or `claims_on_runs`, found none of them")
        return self


def read_source(path: Path) -> Source:
    """One publication.

    Raises:
        InputError: naming the file and the key that does not fit.
    """
    return validate(Source, read_yaml(path), str(path))


def read_sources() -> list[Source]:
    """All publications, by file name; errors as of `read_source`."""
    return [read_source(path) for path in sorted(PUBLISHED.glob("*.yaml"))]
