"""Stage `measure_ledger`: every published number and claim, beside our measurements."""

from collections.abc import Collection, Iterator
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd

from embspace.analysis import SCALARS, Analysis, Column, Outcome, Source, Table
from embspace.published.claims import Decision, decide
from embspace.published.claims import Outcome as RuleOutcome
from embspace.published.evidence import Evidence
from embspace.published.numbers import Check, check_entry, is_given
from embspace.published.roles import in_roles
from embspace.published.sources import (
    ANY_MODEL,
    Claim,
    Entry,
    LayerClaim,
    Undecided,
    read_source,
)
from embspace.published.sources import Source as Publication
from embspace.published.subjects import Subject
from embspace.published.untrained import (
    beside_untrained,
    count_verdicts,
    kept_verdicts,
    untrained_name,
)
from embspace.settings.model import Model, VectorsModel, repository_of
from embspace.settings.params import CorpusName
from embspace.settings.roles import Role, taken_roles
from embspace.settings.stage import run_stage

SOURCES = (  # that say something of models, not of runs alone
    "data/published/luisto_thesis.yaml",
    "data/published/minilm_model_card.yaml",
    "data/published/cheng_brain_alignment.yaml",
    "data/published/saponati_self_attention.yaml",
    "data/published/dar_head_pairs.yaml",
    "data/published/skean_layer_by_layer.yaml",
    "data/published/bonino_geometry_of_bert.yaml",
    "data/published/dar_parameter_alignment.yaml",
    "data/published/dar_parameters.yaml",
    "data/published/avery_token_tracker.yaml",
    "data/published/tsukagoshi_redundancy.yaml",
)
NUMBERS: dict[str, Column] = {
    "value": "repeated",
    "low": "repeated",
    "high": "repeated",
    "null": "repeated",
    "null_low": "repeated",
    "null_high": "repeated",
    "p_value": "repeated",
}
ROWS: dict[str, Column] = {
    "row": "row",
    "source": "name",
    "kind": "name",
    "section": "name",
    "page": "count",
    "question": "name",
    "about": "name",
    "statement": "name",
    "statistic": "name",
    "published": "name",
    **NUMBERS,
    "holds_if": "name",
    "rule": "name",
    "verdict": "name",
    "rests_on": "name",
    "reason": "name",
    "decided": "name",
    "decided_because": "name",
}
BESIDE_UNTRAINED: dict[str, Column] = {
    "untrained_value": "repeated",
    "untrained_verdict": "name",
    "untrained_draws": "count",
    "training": "name",
    "family_q_value": "repeated",
}
VERDICTS = {"agrees": "matches", "DIFFERS": "differs", "MISSING": "not checkable"}


def read_publications(*files: str) -> list[Publication]:
    """Return the publications of these files."""
    return [read_source(Path(file)) for file in files]


def untrained_verdicts(folder: str, name: str, model: Model) -> pd.DataFrame | None:
    """Return the kept verdicts on the same architecture with random weights; None without."""
    if isinstance(model, VectorsModel):
        return None
    usual = untrained_name(name)  # as a report makes it, which no description names
    is_kept = (Path(folder) / f"{usual}.csv").is_file()
    return kept_verdicts(model.untrained or (usual if is_kept else None), Path(folder))


LEDGER = Analysis(
    noun="ledger",
    question="Which numbers and claims of publications hold?",
    reads={
        "sources": Source(read_publications, SOURCES),
        "model": Source(lambda name, model: Subject(name, repository_of(model))),
        "results": Source(lambda *_: Path("results")),
        "corpora": Source(lambda *given: given[-1], lists=["corpora"]),
        "untrained": Source(untrained_verdicts, "data/published/verdicts", described=True),
    },
    tables={
        "csv": Table({**ROWS, **BESIDE_UNTRAINED}),
        "rules": Table(  # the ways to decide the claims that have several
            {
                "row": "row",
                "statement": "row",
                "asked_at": "row",
                **NUMBERS,
                "verdict": "name",
                "reason": "name",
            }
        ),
    },
    scalars=dict.fromkeys(("number.*", "claim.*", "undecided.*", "training.*"), "count"),
    undrawn=[SCALARS],
)


def measure_ledger(
    sources: list[Publication],
    model: Subject,
    results: Path,
    corpora: Collection[str],
    untrained: pd.DataFrame | None,
    *,
    roles: dict[Role, CorpusName],
) -> Outcome:
    """Return the verdict on `model` for every printed number and claim, one row per entry.

    `kind` is number, claim or undecided. A number matches if ours rounds to the printed number; a
    number that repeats our own setting or design is restated, and counts as no match. A number of a
    different model is not checkable from this model's results; `value` has this model's number. A
    claim is decided by `holds_if` for every model, unless the claim names a `model`; `rests_on` is
    the basis: an interval, a null, or a full count. A claim on long or short texts is tested on the
    corpus with this role, if it is among `corpora`. A claim on the layers of a different model is
    not checkable; the row names the command that decides it. `untrained` has the verdicts of the
    same rules on random weights.
    """
    taken = taken_roles(roles, corpora)
    rows: list[dict[str, Any]] = []
    ways: list[dict[str, Any]] = []
    for source in sources:
        for row, outcomes in _rows(in_roles(source, taken), model, results):
            rows.append({"row": len(rows) + 1, "source": source.source} | row)
            if len(outcomes) > 1:
                named = {"row": len(rows), "statement": row["statement"]}
                ways += [named | _outcome_row(outcome) for outcome in outcomes]
    table = beside_untrained(pd.DataFrame(rows, columns=[*ROWS]), untrained)
    rules = LEDGER.tables["rules"].of(ways)
    return {"csv": table, "rules": rules, SCALARS: count_verdicts(table)}


def _rows(
    source: Publication, model: Subject, results: Path
) -> Iterator[tuple[dict[str, Any], tuple[RuleOutcome, ...]]]:
    for entry in source.entries:
        for row in _number_rows(entry, model, results):
            yield row, ()
    for claim in source.claims:
        decision = decide(claim, model, results)
        yield _claim_row(claim, decision) | _decided(source, claim), decision.outcomes
    for on_layers in source.claims_on_layers:
        yield _layer_claim_row(on_layers) | _decided(source, on_layers), ()
    for item in source.undecided:
        yield _undecided_row(item), ()


def _decided(source: Publication, claim: Claim) -> dict[str, str]:
    decided = claim.decided or source.decided
    assert decided  # as the schema says
    return {"decided": decided.when, "decided_because": decided.why}


def _number_rows(entry: Entry, model: Subject, results: Path) -> Iterator[dict[str, Any]]:
    for check in check_entry(entry, model, results):
        ours = pd.to_numeric(check.ours, errors="coerce")
        verdict, reason = VERDICTS[check.verdict], _why(check)
        if not model.is_meant_by(entry.model):
            verdict, reason = "not checkable", f"is about {entry.model}"
        elif entry.given and not is_given(entry, model, results):
            verdict, reason = "not checkable", f"needs {entry.given.what}"
        elif entry.restates and verdict == "matches":
            verdict = "restated"
        yield {
            "kind": "number",
            "section": entry.section,
            "page": entry.page,
            "statement": check.quantity,
            "published": check.published,
            "value": ours,
            "verdict": verdict,
            "reason": reason,
        }


def _why(check: Check) -> str:
    return check.ours if check.verdict == "MISSING" else check.note


def _claim_row(claim: Claim, decision: Decision) -> dict[str, Any]:
    return {
        "kind": "claim",
        "section": claim.section,
        "page": claim.page,
        "question": claim.question,
        "about": claim.about,
        "statement": claim.claim,
        "statistic": claim.statistic,
        **_numbers(decision.evidence),
        "holds_if": claim.holds_if,
        "rule": claim.rule_hash,
        "verdict": decision.verdict,
        "rests_on": decision.evidence.basis,
        "reason": decision.reason or claim.note,
    }


def _outcome_row(outcome: RuleOutcome) -> dict[str, Any]:
    return {
        "asked_at": outcome.asked_at,
        **_numbers(outcome.evidence),
        "verdict": outcome.verdict,
        "reason": outcome.reason,
    }


def _numbers(evidence: Evidence) -> dict[str, float]:
    return {name: getattr(evidence, name) for name in NUMBERS}


def _layer_claim_row(claim: LayerClaim) -> dict[str, Any]:
    """Return the row of a claim on layers, which only the tables of profiled models can decide."""
    return {
        "kind": "claim",
        "section": claim.section,
        "page": claim.page,
        "about": claim.about,
        "statement": claim.claim,
        "statistic": claim.statistic,
        "published": claim.published,
        "holds_if": claim.holds_if,
        "rule": claim.rule_hash,
        "verdict": "not checkable",
        "reason": _why_elsewhere(claim),
    }


def _why_elsewhere(claim: LayerClaim) -> str:
    if claim.model == ANY_MODEL:
        return (
            "needs tables of models under `profiled` in params.yaml; `embspace verify --all` "
            "decides it of each of these"
        )
    return (
        f"is about the layers of {claim.model}; once that model is under `profiled` in "
        "params.yaml, `embspace verify --all` decides it"
    )


def _undecided_row(item: Undecided) -> dict[str, Any]:
    return {
        "kind": "undecided",
        "section": item.section,
        "page": item.page,
        "statement": item.quantity,
        "published": item.published,
        "value": pd.to_numeric(item.correct.replace(",", ""), errors="coerce")
        if item.correct
        else nan,
        "verdict": item.verdict,
        "reason": f"is about {item.model}; {item.reason}" if item.model else item.reason,
    }


main = LEDGER.main(measure_ledger)

if __name__ == "__main__":
    run_stage(main, measure_ledger)
