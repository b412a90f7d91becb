"""Describes `roles` of params.yaml: the corpora that take the places of the thesis's texts."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Literal, get_args

Role = Literal["long_texts", "short_texts", "sentences_of_long_texts"]
ROLES: tuple[Role, ...] = get_args(Role)
PLACE = re.compile(r"\{(\w+)\}")
"""A role in braces, in place of the name of the role's corpus."""


def one_role_each(roles: dict[Role, str]) -> dict[Role, str]:
    """Return the roles, if no corpus has two roles; else a ValueError names the corpus."""
    corpora = list(roles.values())
    for corpus in corpora:
        if corpora.count(corpus) > 1:
            raise ValueError(f"A corpus has one role, and '{corpus}' has {corpora.count(corpus)}")
    return roles


def taken_roles(roles: Mapping[Role, str], corpora: Collection[str]) -> dict[Role, str]:
    """Return the roles whose corpus is among `corpora`."""
    return {role: corpus for role, corpus in roles.items() if corpus in corpora}


def open_role(name: str | int) -> str | None:
    """Return the role that a name in braces stands for; None for any other name."""
    match = PLACE.fullmatch(str(name))
    return match.group(1) if match else None


def corpus_in_role(name: str, roles: Mapping[Role, str]) -> str:
    """Return the corpus in the role `{role}`; any other name, or a free role, unchanged."""
    by_name = {f"{{{role}}}": corpus for role, corpus in roles.items()}
    return by_name.get(name, name)


def corpora_in_roles(names: Iterable[str], roles: Mapping[Role, str]) -> list[str]:
    """Return the result of `corpus_in_role` for every name."""
    return [corpus_in_role(name, roles) for name in names]
