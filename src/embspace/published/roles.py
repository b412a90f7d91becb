"""Claims about texts, tested on the corpora that stand for those texts here."""

from collections.abc import Mapping
from typing import Any

from embspace.published.sources import Claim, Source
from embspace.settings.roles import Role, corpus_in_role


def in_roles(source: Source, roles: Mapping[Role, str]) -> Source:
    """Return the source with corpora in place of the roles named in claims."""
    claims = [_claim_in_roles(claim, roles) for claim in source.claims]
    on_layers = [_claim_in_roles(claim, roles) for claim in source.claims_on_layers]
    return source.model_copy(update={"claims": claims, "claims_on_layers": on_layers})


def _claim_in_roles(claim: Claim, roles: Mapping[Role, str]) -> Claim:
    """Return the claim, of the same class, with corpora in the places of roles."""
    return type(claim).model_validate(_filled(claim.model_dump(), roles))


def _filled(content: Any, roles: Mapping[Role, str]) -> Any:
    if isinstance(content, dict):
        return {key: _filled(part, roles) for key, part in content.items()}
    if isinstance(content, list):
        return [_filled(part, roles) for part in content]
    return corpus_in_role(content, roles) if isinstance(content, str) else content
