"""Describes an analysis from its declaration: question, method, tables, settings."""

from inspect import getdoc
from pathlib import Path

from embspace.analysis import Table
from embspace.graph.declarations import Declared, declaration, plain_question
from embspace.settings.roots import find_root
from embspace.settings.schema import read_yaml


def described(noun: str) -> str:
    """Return the question, measures, inputs, tables and settings of an analysis.

    Raises:
        KeyError: if the analysis is not declared.
    """
    member = declaration(noun)
    analysis = member.analysis
    tables = [
        f"{_blank(analysis.outputs[name])}\n{_columns(table)}"
        for name, table in analysis.tables.items()
    ]
    others = [_blank(path) for path in analysis.outputs.values() if not path.endswith(".csv")]
    parts = {
        "": plain_question(analysis),
        f"{analysis.stage}(), {member.function.__module__}": getdoc(member.function) or "",
        "It reads": "\n".join(map(_blank, analysis.deps())),
        "It writes": "\n".join([*tables, *others]),
        f"Settings, {member.settings}": _settings(member),
        "Further": f"embspace run {noun}\nembspace cite MODEL {noun}",
    }
    sections = (f"{title}\n{_indented(body)}" if title else body for title, body in parts.items())
    return "\n\n".join([noun, *sections])


def _blank(path: str) -> str:
    return path.replace("{", "<").replace("}", ">")


def _columns(table: Table) -> str:
    """Return a line per column: name or pattern, and the heading for readers, if any."""
    headings, width = table.headings, max(map(len, table.kinds), default=0)
    return "\n".join(f"  {name:{width}}  {headings.get(name, '')}" for name in table.kinds)


def _settings(member: Declared) -> str:
    """Return the settings of the current study, or of the package."""
    content = read_yaml(find_root() / Path(member.settings))
    return "\n".join(f"{key}: {value}" for key, value in content.items())


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())
