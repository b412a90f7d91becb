"""Published claims on layers and training, and the verdicts on models and runs of params.yaml."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from embspace.errors import InputError
from embspace.published.contents import Contents, read_contents
from embspace.published.numbers import fits
from embspace.published.sources import RunClaim, Source, Undecided, read_sources

SEED, VERDICT = "seed", "verdict"


@dataclass(frozen=True)
class Ruling:
    """A claim and one run, or one model; the verdict by seed."""

    section: str
    claim: str
    run: str
    verdicts: dict[str, str]
    """Empty for an unmeasured run."""


@dataclass(frozen=True)
class RunReport:
    """The claims on training of a publication."""

    source: str
    n_claims: int
    rulings: tuple[Ruling, ...]
    """Claims about decoders are skipped for encoders, and vice versa."""
    undecided: tuple[Undecided, ...] = ()
    """The printed statements that cannot be decided."""
    waiting: Mapping[str, int] = field(default_factory=dict)
    """The number of claims on layers per repository without a profiled model."""


def rulings_on(
    results: Path,
    runs: Collection[str],
    profiled: Collection[str],
    checkpointed: Collection[str],
) -> list[RunReport]:
    """Return the verdicts on runs and models, with one report per source."""
    names = {"run": runs, "model": profiled, "checkpointed": checkpointed}
    return [
        RunReport(
            source.source,
            len(source.claims_on_runs),
            tuple(_rulings(source, results, names)),
            tuple(source.undecided),
        )
        for source in read_sources()
        if source.claims_on_runs
    ]


def _rulings(source: Source, results: Path, names: Mapping[str, Collection[str]]) -> list[Ruling]:
    rulings = [
        _ruling(claim, name, results)
        for claim in source.claims_on_runs
        for name in names[claim.asked_of]
    ]
    return [ruling for ruling in rulings if ruling is not None]


def _ruling(claim: RunClaim, run: str, results: Path) -> Ruling | None:
    """Return a ruling; None for a run of another kind than the claim is about."""
    place = claim.file.replace(f"{{{claim.asked_of}}}", run)
    file = results / Path(place).relative_to("results")
    if not file.is_file():
        return Ruling(claim.section, claim.claim, run, {})
    contents = read_contents(file)
    _check_columns(file, contents, {SEED, VERDICT, *claim.where})
    rows = [row for row in contents.rows if fits(row, claim.where)]
    verdicts = {str(row[SEED]): str(row[VERDICT]) for row in rows}
    return Ruling(claim.section, claim.claim, run, verdicts) if rows else None


def _check_columns(file: Path, contents: Contents, needed: set[str]) -> None:
    if lacking := sorted(needed - set(contents.columns)):
        raise InputError(f"{file}: has no column '{lacking[0]}', which a claim on runs needs")
