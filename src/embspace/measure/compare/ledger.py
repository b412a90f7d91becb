"""Stage `measure_ledger`: every published number and claim, beside what is measured here."""

from collections.abc import Collection, Iterator
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from embspace.files.scalars import save_scalars
from embspace.files.tables import save_table
from embspace.published.claims import Decision, Outcome, decide
from embspace.published.evidence import Evidence
from embspace.published.numbers import Check, check_entry, is_given
from embspace.published.roles import in_roles
from embspace.published.sources import (
    ANY_MODEL,
    Claim,
    Entry,
    LayerClaim,
    Source,
    Undecided,
    read_source,
)
from embspace.published.subjects import Subject, subject
from embspace.published.untrained import beside_untrained, count_verdicts, kept_verdicts
from embspace.settings.params import CorpusName
from embspace.settings.roles import Role, taken_roles
from embspace.settings.stage import StageConfig, run_stage

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
)
NUMBERS = ["value", "low", "high", "null", "null_low", "null_high", "p_value"]
COLUMNS = ["source", "kind", "section", "page", "question", "about", "statement", "statistic"]
COLUMNS += ["published", *NUMBERS, "holds_if", "rule"]
COLUMNS += ["verdict", "rests_on", "reason", "decided", "decided_because"]
RULES = ["row", "statement", "asked_at", *NUMBERS, "verdict", "reason"]
VERDICTS = {"agrees": "matches", "DIFFERS": "differs", "MISSING": "not checkable"}


class Ledger(NamedTuple):
    """A verdict a row, and of claims that are asked in several ways one a way."""

    table: pd.DataFrame
    """Columns `row`, COLUMNS and those of `beside_untrained`."""
    rules: pd.DataFrame
    """Columns RULES."""


def measure_ledger(
    sources: list[Source],
    model: Subject,
    results: Path,
    corpora: Collection[str],
    untrained: pd.DataFrame | None,
    *,
    roles: dict[Role, CorpusName],
) -> Ledger:
    """The verdict on `model` for every printed number and claim, a row each.

    `kind` is number, claim or undecided. A number matches if ours rounds to the printed number; a
    number that repeats our own setting or design is restated, and counts as no match. A number of a
    different model is not checkable from this model's results; `value` has this model's number. A
    claim is decided by `holds_if` for every model, unless the claim names a `model`; `rests_on` is
    the basis: an interval, a null, or a full count. A claim on long or short texts is tested on the
    corpus with this role, if among `corpora`. A claim on the layers of a different model is not
    checkable; the row names the deciding command. `untrained` has the verdicts of the same rules on
    random weights.
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
    table = beside_untrained(pd.DataFrame(rows, columns=["row", *COLUMNS]), untrained)
    return Ledger(table, pd.DataFrame(ways, columns=RULES))


def _rows(
    source: Source, model: Subject, results: Path
) -> Iterator[tuple[dict[str, Any], tuple[Outcome, ...]]]:
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


def _decided(source: Source, claim: Claim) -> dict[str, str]:
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


def _outcome_row(outcome: Outcome) -> dict[str, Any]:
    return {
        "asked_at": outcome.asked_at,
        **_numbers(outcome.evidence),
        "verdict": outcome.verdict,
        "reason": outcome.reason,
    }


def _numbers(evidence: Evidence) -> dict[str, float]:
    return {name: getattr(evidence, name) for name in NUMBERS}


def _layer_claim_row(claim: LayerClaim) -> dict[str, Any]:
    """Return the row of what only profiled models have, and so no table that every ledger reads."""
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


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    sources = [read_source(Path(file)) for file in SOURCES]
    model = subject(name, config.model)
    untrained = kept_verdicts(config.model.get("untrained"), Path("data/published/verdicts"))
    ledger = measure_ledger(
        sources, model, Path("results"), config.corpora, untrained, **config.settings
    )
    save_table(ledger.table, f"results/ledger/{name}.csv")
    save_table(ledger.rules, f"results/ledger/rules/{name}.csv")
    save_scalars(count_verdicts(ledger.table), f"results/ledger/{name}.json")


if __name__ == "__main__":
    run_stage(main, measure_ledger)
