"""Describes the files of data/published/: each published statement, and where our number is."""

import hashlib
import json
import re
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator, model_validator

from embspace.errors import InputError, not_among
from embspace.settings.model import REPOSITORY
from embspace.settings.roles import ROLES, open_role
from embspace.settings.schema import Strict, read_yaml, validate

PUBLISHED = Path("data/published")
ANY_MODEL = "any"
"""The name, in place of a repository, of a number about no weights or a claim about all models."""
EVIDENCE = ("value", "low", "high", "null", "null_low", "null_high", "p_value", "q_value")
ABOUT = rf"^{ANY_MODEL}$|{REPOSITORY}"
FEWEST_THINGS = 3  # whose pairs may be correlated
About = Literal["weights", "training", "toy", "arithmetic", "tokenizer", "architecture"]
OF_LAYERS = re.compile(r"results/\w+/(\w+/)?\{model\}(--\w+)?\.(csv|json)")
"""Matches files of what is measured for models under `profiled`, or pairs under `compared`."""
RULE = re.compile(
    r"(value|estimate|low|high) (<|>|<=|>=) (null|null_low|null_high|-?[\d.]+)"
    r"|(q_value) (<) ([\d.]+)"
)


class RowOfTwo(Strict):
    """A row about two things, in whichever order."""

    columns: list[str] = Field(min_length=2, max_length=2)
    values: list[str | int] = Field(min_length=2, max_length=2)


class Given(Strict):
    """A condition on our results, without which a published number is not compared."""

    what: str
    """The condition in words, for a user whose results do not meet it."""
    file: str
    where: dict[str, str | int]
    """There is a row with these values."""


class Entry(Strict):
    """Numbers of a row, or of a JSON file."""

    quantity: str
    section: str = ""
    page: int | None = None
    model: str = Field(pattern=ABOUT)
    """The repository of the number's model."""
    file: str
    """Under results/; {model} stands for the model's name."""
    where: dict[str, str | int] = {}
    pair: RowOfTwo | None = None
    given: Given | None = None
    published: dict[str, str] = Field(min_length=1)
    """Column or dotted JSON key -> the number as printed: its digits are its tolerance."""
    factor: int = 1
    """Our number is multiplied by this factor."""
    nearest: bool = False
    """True to take, of all fitting rows, the row with the value nearest to the printed number."""
    absolute_tolerance: float | None = Field(default=None, gt=0)
    """The allowed difference; without it, half a unit of the last printed digit."""
    reason: str = ""
    restates: str = ""
    """The setting or design of ours repeated by the number; the number then counts as no match."""
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


class RowsThatName(Strict):
    """Rows with any of these values in any of these columns."""

    columns: list[str] = Field(min_length=1)
    values: list[str | int] = Field(min_length=1)


class CellPlace(Strict):
    """A number of ours, with interval and null from the same row."""

    file: str
    where: dict[str, str | int] = {}
    """Values of columns; of layers also `last`, `last-1` and a range as `1..last-1`."""
    pair: RowOfTwo | None = None
    value: str = ""
    share_of: RowsThatName | None = None
    """The rows whose share among the chosen rows replaces a value."""
    share_below: dict[str, str | int] = {}
    """The row to rank: the share of the further chosen rows with a smaller value."""
    take: Literal["largest", "smallest"] | None = None
    """Take the chosen row with the largest or smallest value."""
    every: dict[str, list[str | int]] = {}
    """Comparators: the rule is tested with each of these values of a column; `[]`: with all."""
    low: str | None = None
    high: str | None = None
    null: str | None = None
    null_low: str | None = None
    null_high: str | None = None
    p_value: str | None = None
    q_value: str | None = None
    """The p-value, corrected for everything that its table tests."""
    exact: bool = False
    """True for a full count without sampling: the interval is the value itself."""

    @property
    def chosen_by(self) -> dict[str, str | int]:
        """Return the cells that choose the row; cells of a pair stand in a fixed order.

        `{role}` stands for the corpus with this role in params.yaml.
        """
        pair = zip(self.pair.columns, self.pair.values, strict=True) if self.pair else ()
        return self.where | dict(pair)

    @property
    def open_roles(self) -> list[str]:
        """Return the roles without a corpus."""
        return [role for name in self.chosen_by.values() if (role := open_role(name))]

    @model_validator(mode="after")
    def _roles_are_known(self) -> "CellPlace":
        for role in self.open_roles:
            if role not in ROLES:
                raise ValueError(f"a role: {not_among(role, ROLES)}")
        return self

    @model_validator(mode="after")
    def _says_one_number(self) -> "CellPlace":
        if bool(self.value) == bool(self.share_of):
            raise ValueError("expected either `value` or `share_of`")
        if self.share_below and self.take:
            raise ValueError("`share_below` and `take` exclude each other")
        return self

    @property
    def columns(self) -> dict[str, str]:
        """The columns to read, by kind of number."""
        by_kind = {name: getattr(self, name) for name in EVIDENCE}
        return {name: column for name, column in by_kind.items() if column}


class Rule(Strict):
    """A statistic, with the condition that decides a claim."""

    cell: CellPlace
    minus: CellPlace | None = None
    over: CellPlace | None = None
    """The value less, or over, that of another cell."""
    null_of: CellPlace | None = None
    """A row of another table, whose value is the null."""
    every: dict[str, list[str | int]] = {}
    """Settings: the rule is applied at these values of a column, in all cells with the column in
    `where`; `[]`: at all values. `where` has the source's own value.
    """
    holds_if: str
    """Comparisons with a number or the null, joined by `and`.

    `value` is the whole interval if known, `estimate` only the value, `low` and `high` the ends,
    for the range of a full count. `q_value` below a number is true, or undecided: a test without
    rejection says nothing.
    """

    @field_validator("holds_if")
    @classmethod
    def _is_a_rule(cls, rule: str) -> str:
        for part in rule.split(" and "):
            if not RULE.fullmatch(part):
                raise ValueError(f"is no rule: {part!r}; allowed: {RULE.pattern}, joined by 'and'")
        return rule

    @model_validator(mode="after")
    def _one_operation(self) -> "Rule":
        if self.minus and self.over:
            raise ValueError("`minus` and `over` exclude each other")
        return self

    @model_validator(mode="after")
    def _what_varies_has_a_value_of_its_own(self) -> "Rule":
        for column in self.every:
            if column not in self.cell.where:
                raise ValueError(
                    f"`every` varies {column!r}, of which `where` of `cell` has no value"
                )
        return self

    @property
    def cells(self) -> list[CellPlace]:
        """All cells of the rule."""
        return [cell for cell in (self.cell, self.minus, self.over, self.null_of) if cell]


class OtherRule(Rule):
    """Another sensible rule for the same claim."""

    why: str = Field(min_length=1)


class Decided(Strict):
    """Says whether a rule was fixed before its results were seen, as the history shows."""

    when: Literal["before results", "after results"]
    why: str = Field(min_length=1)


class Claim(Rule):
    """A statement of the publication, with the deciding rule."""

    claim: str
    """The statement in our words."""
    section: str
    page: int | None = None
    model: str = Field(ANY_MODEL, pattern=ABOUT)
    """The repository of the only model that the claim is about."""
    question: str = ""
    """The research question behind the claim."""
    statistic: str
    about: About = "weights"
    """The deciding evidence; a claim without trained weights has no twin at random weights, and a
    claim about `training` makes this comparison itself.
    """
    otherwise: list[OtherRule] = []
    """Further rules; if a verdict differs, the claim depends on the rule."""
    decided: Decided | None = None
    """None: as the source says for all."""
    note: str = ""
    agrees_with: str = ""
    """The beginning of the quantity of numbers of pairs: the value is then the correlation of these
    numbers with ours, the rows of `cell`; the null renames the things in all ways.
    """
    printed: list[Entry] = []
    """The printed numbers that the claim is about, filled in from the source."""

    @property
    def rule_hash(self) -> str:
        """Return eight letters that change with the claim's deciding parts, not with the words."""
        keys = set(Rule.model_fields)
        others = [other.model_dump(include=keys) for other in self.otherwise]
        decides = [self.model, self.about, self.model_dump(include=keys), others]
        return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:8]


class LayerClaim(Claim):
    """A claim on layers or weights, decided for profiled or compared models.

    Printed numbers tie the claim to one model; a claim in words may be tested on every model.
    """

    published: str = ""
    """The numbers, as printed; empty for a claim in words, of any model."""

    @model_validator(mode="after")
    def _is_about_what_is_profiled(self) -> "LayerClaim":
        if self.published and self.model == ANY_MODEL:
            raise ValueError(f"`model` is the repository of one model, found '{ANY_MODEL}'")
        if not self.published and self.model != ANY_MODEL:
            raise ValueError("key 'published' is missing, the numbers about this one model")
        for cell in self.cells:
            if not OF_LAYERS.fullmatch(cell.file):
                allowed = "results/<noun>/{model}.csv, or in a folder of it"
                raise ValueError(f"`file` of a cell: found {cell.file!r}; allowed: {allowed}")
        return self


class RunClaim(Strict):
    """A statement on layers or training, decided by a stage for a model or a run."""

    claim: str
    """The statement in our words."""
    section: str
    file: str = Field(pattern=r"^results/[^{}]*\{(run|model|checkpointed)\}\.csv$")
    """A table with a row a seed, columns `seed` and `verdict`; {run} is a run's name, {model} a
    model's under `profiled`, {checkpointed} a model's under `checkpointed`.
    """
    where: dict[str, str | int]
    decided: Decided

    @property
    def asked_of(self) -> str:
        """Return the word in braces, the kind of names to fill in."""
        return self.file.partition("{")[2].partition("}")[0]


class Undecided(Strict):
    """A printed number or table that nothing of ours can decide, and why."""

    quantity: str
    section: str
    page: int | None = None
    model: str = Field("", pattern=rf"^$|{REPOSITORY}")
    """The repository of the claim's model, if conf/model/ describes the model."""
    verdict: Literal["error in the source", "lost in the source", "not checkable"]
    published: str = ""
    correct: str = ""
    """The right value or word in place of an error."""
    reason: str = Field(min_length=1)


class Item(Strict):
    """A figure, table or section of a publication, and what shows the same here."""

    item: str
    shows: str
    figures: list[str]
    """Nouns; none for a drawing of which nothing is measured."""


class Source(Strict):
    """A publication."""

    source: str
    url: str = ""
    protocol: str
    """How the numbers were obtained, in our words."""
    questions: dict[str, str] = {}
    """The research questions, by the name used in claims."""
    sections: dict[str, str] = {}
    """The subjects of the sections, in our words."""
    items: list[Item] = []
    entries: list[Entry] = []
    claims: list[Claim] = []
    decided: Decided | None = None
    """Date of the rules of the claims, except for claims with a date of their own."""
    claims_on_runs: list[RunClaim] = []
    claims_on_layers: list[LayerClaim] = []
    undecided: list[Undecided] = []

    @model_validator(mode="after")
    def _says_something(self) -> "Source":
        claims = [*self.claims, *self.claims_on_layers]
        if not (self.entries or claims or self.claims_on_runs or self.undecided):
            kinds = "`entries`, `claims`, `claims_on_runs`, `claims_on_layers` or `undecided`"
            raise ValueError(f"expected {kinds}, found none of them")
        if not self.decided and any(claim.decided is None for claim in claims):
            raise ValueError("expected `decided`: when the rules of the claims were fixed")
        return self


def read_source(path: Path) -> Source:
    """Return a publication.

    Raises:
        InputError: naming the file and the unfit key.
    """
    source = validate(Source, read_yaml(path), str(path))
    claims = [_beside_printed(claim, source.entries, path) for claim in source.claims]
    return source.model_copy(update={"claims": claims})


def _beside_printed(claim: Claim, entries: list[Entry], path: Path) -> Claim:
    """Return the claim with the printed numbers that it is about; most claims have none."""
    if not claim.agrees_with:
        return claim
    printed = [entry for entry in entries if entry.quantity.startswith(claim.agrees_with)]
    if not printed or not all(e.pair and claim.cell.value in e.published for e in printed):
        raise InputError(
            f"{path}: key 'agrees_with': {claim.agrees_with!r}, allowed: the beginning of "
            f"quantities of pairs with a number of {claim.cell.value!r}"
        )
    if reason := _why_not_all_pairs(printed):
        raise InputError(f"{path}: key 'agrees_with': {claim.agrees_with!r} has {reason}")
    return claim.model_copy(update={"printed": printed})


def _why_not_all_pairs(printed: list[Entry]) -> str:
    """Return why entries do not have every pair of a few things exactly once; "" if they do."""
    from embspace.geometry.inference.mantel import MOST_THINGS  # imports NumPy

    pairs = {frozenset(map(str, entry.pair.values)) for entry in printed if entry.pair}
    n_things = len(frozenset().union(*pairs))
    if not FEWEST_THINGS <= n_things <= MOST_THINGS:
        return f"{n_things} things, allowed: {FEWEST_THINGS} to {MOST_THINGS}"
    n_pairs = n_things * (n_things - 1) // 2
    if not len(pairs) == len(printed) == n_pairs:
        return f"{len(pairs)} pairs in {len(printed)} entries, allowed: {n_pairs} pairs, once each"
    return ""


def read_sources() -> list[Source]:
    """All publications, by file name; errors as of `read_source`."""
    return [read_source(path) for path in sorted(PUBLISHED.glob("*.yaml"))]
