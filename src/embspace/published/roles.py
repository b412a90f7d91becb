"""Claims about texts, asked of the corpora that stand for them here."""

from collections.abc import Mapping
from typing import Any

from embspace.published.sources import Claim, Source
from embspace.settings.roles import Role, corpus_in_role


def in_roles(source: Source, roles: Mapping[Role, str]) -> Source:
    """Return the source with the corpus in the place of each role that its claims name."""
    claims = [Claim.model_validate(_filled(each.model_dump(), roles)) for each in source.claims]
    return source.model_copy(update={"claims": claims})


def _filled(content: Any, roles: Mapping[Role, str]) -> Any:
    if isinstance(content, dict):
        return {key: _filled(each, roles) for key, each in content.items()}
    if isinstance(content, list):
        return [_filled(each, roles) for each in content]
    return corpus_in_role(content, roles) if isinstance(content, str) else content
