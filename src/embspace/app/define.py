"""Prints the definition of a measure, and writes docs/definitions.md, which has all of them."""

import re

from embspace.errors import InputError, not_among
from embspace.geometry.measures.declaration import FAMILIES, TRANSFORMATIONS, Definition, Family
from embspace.geometry.measures.registry import definitions

OF_FAMILY: dict[Family, str] = {
    "direction": "Do the vectors point the same way?",
    "spectrum": "Over how many directions is their variance spread?",
    "context": "What does a vector owe to its word, and what to its text?",
    "intrinsic_dimension": "How many numbers would it take to say where on the cloud a vector is?",
    "hubs": "Who is whose neighbor, and how far away?",
}
IN_WORDS = {
    "rotation": "rotation",
    "scale": "one scale for all",
    "translation": "translation",
    "lengths": "the length of each vector",
    "coordinate_scales": "a scale for each coordinate",
}


def define(name: str | None) -> str:
    """Return the definition of a measure; without a name, a line for each.

    Raises:
        InputError: if there is no such measure.
    """
    known = definitions()
    if name is None:
        return "\n\n".join(_listed(family, known) for family in FAMILIES)
    if name not in known:
        raise InputError(f"measure: {not_among(name, known)}")
    each = known[name]
    facts = {
        "family": each.family,
        "formula": each.formula,
        "range": each.range,
        "source": each.source,
        "unchanged by": _unchanged_by(each),
        "few vectors": each.bias,
    }
    shown = "\n".join(f"{key + ':':13} {value}" for key, value in facts.items())
    return f"{each.name}\n\n{each.text}\n\n{shown}\n\n{_example(each, known)}"


def definitions_page() -> str:
    """Return the reference part of docs/definitions.md, with formulas that GitHub renders."""
    known = definitions()
    parts = []
    for family in FAMILIES:
        parts.append(f"## {family.replace('_', ' ').capitalize()}\n\n*{OF_FAMILY[family]}*\n")
        parts += [_section(each, known) for each in known.values() if each.family == family]
    return "\n".join(parts)


def _listed(family: Family, known: dict[str, Definition]) -> str:
    of_family = [each for each in known.values() if each.family == family]
    width = max(len(each.name) for each in of_family)
    lines = [f"  {each.name:{width}}  {each.summary}" for each in of_family]
    return "\n".join([f"{family}: {OF_FAMILY[family]}", *lines])


def _section(each: Definition, known: dict[str, Definition]) -> str:
    rows = {
        "range": f"${each.range}$",
        "source": each.source,
        "unchanged by": _unchanged_by(each),
        "few vectors": each.bias.replace(r"\(", "$").replace(r"\)", "$"),
    }
    table = "\n".join(f"- {key}: {value}" for key, value in rows.items())
    example = f"```python\n{_example(each, known)}\n\n```"  # doctest ends at the empty line
    formula = f"```math\n{each.formula}\n```"
    return "\n\n".join([f"### `{each.name}`", formula, each.text, table, example]) + "\n"


def _unchanged_by(each: Definition) -> str:
    return ", ".join(IN_WORDS[change] for change in TRANSFORMATIONS if change in each.invariant_to)


def _example(each: Definition, known: dict[str, Definition]) -> str:
    """Return the worked example, with the measures that it uses imported."""
    if not each.example:
        return ""
    lines = [line.removeprefix("    ") for line in each.example.strip().splitlines()]
    used = [name for name in known if re.search(rf"\b{name}\(", each.example)]
    return "\n".join([f">>> from embspace.geometry import {', '.join(used)}", *lines])
