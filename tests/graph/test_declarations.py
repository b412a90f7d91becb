from pathlib import Path

import pytest

from embspace.graph import declarations
from embspace.graph.declarations import Declared, declaration, modules
from embspace.prepare.code import code_of, modules_in

# Analyses that call a function of another one's module.
IMPORTED = {"layer_choice": ["search"]}


def test_no_stage_depends_on_the_declarations_of_others(root: Path):
    code = modules_in(root / "src")
    declaring = {code[module].path for module in modules().values()}
    for noun, module in modules().items():
        run = {file.path for file in code_of(module, code)} & declaring
        expected = {noun, *IMPORTED.get(noun, [])}
        assert run == {code[modules()[name]].path for name in expected}, noun
    for chapter in {declaration(noun).chapter for noun in modules()}:
        drawing = f"embspace.draw.{chapter}.__main__"
        assert not {file.path for file in code_of(drawing, code)} & declaring
        assert [path.name for path in code[drawing].opened_beside] == ["tables.yaml"]


def test_a_declaration_of_another_noun_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(declarations, "modules", lambda: {"helices": modules()["helix"]})
    with pytest.raises(ValueError, match=r"positional\.helix: declares measure_helix"):
        declarations.declaration.__wrapped__("helices")


def test_a_noun_is_its_modules_name():
    assert modules()["helix"] == "embspace.measure.positional.helix"
    for noun in modules():
        member = declaration(noun)
        assert isinstance(member, Declared)
        assert member.analysis.noun == noun
