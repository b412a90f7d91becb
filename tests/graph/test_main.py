"""The files that declarations decide are as `python -m embspace.graph` writes them."""

from pathlib import Path

import pytest

from embspace.graph.__main__ import rest, tables
from embspace.graph.declarations import declared
from embspace.verify.rules import read_tolerances, rules_of


def test_what_is_written_is_committed(root: Path):
    differing = [
        str(path)
        for path, content in (tables() | rest(root)).items()
        if (root / path).read_text(encoding="utf-8") != content
    ]
    assert not differing, "call `python -m embspace.graph`"


def test_every_declared_kind_is_in_force(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root)
    tolerances = read_tolerances()
    for member in declared():
        for name, path in member.analysis.outputs.items():
            table = member.analysis.tables.get(name)
            kinds = table.kinds if table else dict(member.analysis.scalars)
            rules = rules_of(tolerances, Path(path).relative_to(Path(path).parts[0]))
            for column, kind in kinds.items() if path.startswith("results/") else ():
                assert rules.kind(column) == tolerances.kinds[kind], f"{path}: {column}"
