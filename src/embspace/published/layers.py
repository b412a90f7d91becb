"""Published claims on the layers of one model, decided by the profiles of that model."""

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from embspace.published.claims import decide
from embspace.published.roles import in_roles
from embspace.published.runs import Ruling, RunReport
from embspace.published.sources import ANY_MODEL, LayerClaim, Source, read_sources
from embspace.published.subjects import Subject
from embspace.settings.roles import Role


def rulings_on_layers(
    results: Path, profiled: Collection[Subject], roles: Mapping[Role, str]
) -> list[RunReport]:
    """Return the verdicts on the layers of profiled models, a report per source.

    No stage decides these claims: only profiled or compared models have the needed tables, and the
    ledger exists for every model. `roles` maps the roles named in claims to corpora.
    """
    return [
        _report(in_roles(source, roles), profiled, results)
        for source in read_sources()
        if source.claims_on_layers
    ]


def _report(source: Source, profiled: Collection[Subject], results: Path) -> RunReport:
    pairs = [
        (claim, model)
        for claim in source.claims_on_layers
        for model in profiled
        if model.is_meant_by(claim.model)
    ]
    about = Counter(claim.model for claim in source.claims_on_layers)
    measured = {claim.model for claim, _ in pairs} | {ANY_MODEL}  # which waits for no model
    return RunReport(
        source.source,
        n_claims=0,
        rulings=tuple(_ruling(claim, model, results) for claim, model in pairs),
        waiting={model: n for model, n in about.items() if model not in measured},
    )


def _ruling(claim: LayerClaim, model: Subject, results: Path) -> Ruling:
    decision = decide(claim, model, results)
    words = f"{decision.verdict}: {decision.reason}" if decision.reason else decision.verdict
    # No seed, of which an interval over texts takes the place.
    return Ruling(claim.section, claim.claim, model.name, {"": words})
