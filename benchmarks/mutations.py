"""Small changes to the mathematics of a module, one at a time, as a slip of the hand would make.

A site is a place in the code that has a change: a comparison that takes or leaves equality, an
operator, a sign, a constant, an axis. What documents or declares is no site: docstrings,
annotations, decorators, f-strings, assertions and what is raised.
"""

import ast
import copy
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeGuard

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.MatMult: ast.Mult,
}
NAMES = {"min": "max", "max": "min", "mean": "median", "all": "any", "any": "all"}
LEFT_OUT = (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom)
NOT_MATHEMATICS = {"annotation", "returns", "decorator_list", "type_params", "bases"}
SHARE = 0.97  # what a constant between 0 and 1 is multiplied by


class Mutant(NamedTuple):
    """A module with one change."""

    line: int
    before: str
    after: str
    function: str
    """That holds the change, with the classes and functions around it; empty in none."""
    becomes: str
    """The changed statement, or the first line of it, as it is after the change."""
    code: str
    """The whole module, without its comments."""


class _Site(NamedTuple):
    """A place that has a change: the field, or the item of a field's list, that holds a node."""

    holder: Any
    place: str | int
    node: ast.AST
    changed: ast.AST
    around: tuple[str, ...]

    def put(self, node: ast.AST) -> None:
        """Let the place hold the node."""
        if isinstance(self.place, int):
            self.holder[self.place] = node
        else:
            setattr(self.holder, self.place, node)


def mutants_of(source: str) -> list[Mutant]:
    """Return every change of a module, in the order of its code."""
    statements = ast.parse(source).body
    texts = [ast.unparse(statement) for statement in statements]
    return [
        _mutant(site, statement, texts, number)
        for number, statement in enumerate(statements)
        for site in list(_sites(statements, number, ()))
    ]


def _mutant(site: _Site, statement: ast.stmt, texts: list[str], number: int) -> Mutant:
    """Return the change of a site in the statement of a number, which is then as it was."""
    site.put(site.changed)
    text = ast.unparse(statement)
    site.put(site.node)
    lines = zip(text.splitlines(), texts[number].splitlines(), strict=True)
    return Mutant(
        line=getattr(site.node, "lineno", 0),
        before=ast.unparse(site.node),
        after=ast.unparse(site.changed),
        function=".".join(site.around),
        becomes=next((line.strip() for line, before in lines if line != before), ""),
        code="\n".join([*texts[:number], text, *texts[number + 1 :], ""]),
    )


def _sites(holder: Any, place: str | int, around: tuple[str, ...]) -> Iterator[_Site]:
    """Yield the site at a place, if it is one, and the sites below."""
    node = holder[place] if isinstance(place, int) else getattr(holder, place)
    if not _is_code(node) or isinstance(node, LEFT_OUT):
        return
    changed = _changed(node)
    if changed is not None:
        yield _Site(holder, place, node, changed, around)
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        around = (*around, node.name)
    for name, value in ast.iter_fields(node):
        if name in NOT_MATHEMATICS or _is_declared(node, name):
            continue
        if isinstance(value, list):
            for number in range(len(value)):
                yield from _sites(value, number, around)
        else:
            yield from _sites(node, name, around)


def _is_code(value: object) -> TypeGuard[ast.AST]:
    """Return whether a field's value is code, and no docstring."""
    return isinstance(value, ast.AST) and not (
        isinstance(value, ast.Expr) and isinstance(value.value, ast.Constant)
    )


def _is_declared(node: ast.AST, field: str) -> bool:
    """Return whether a field holds the arguments of a function that is defined, not called."""
    return isinstance(node, ast.FunctionDef | ast.Lambda) and field == "args"


def _is_text(node: ast.BinOp) -> bool:
    """Return whether the operator joins or formats text."""
    sides = (node.left, node.right)
    return any(isinstance(side, ast.JoinedStr) or _is_string(side) for side in sides)


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _changed(node: ast.AST) -> ast.AST | None:
    """Return a changed copy of the node itself; None where it has no change."""
    other = copy.copy(node)  # not what is below it: each site of a module is looked for anew
    match other:
        case ast.Compare(ops=[operator]) if type(operator) in COMPARISONS:
            other.ops = [COMPARISONS[type(operator)]()]
        case ast.BinOp(op=operator) if type(operator) in OPERATORS and not _is_text(other):
            other.op = OPERATORS[type(operator)]()
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            return operand
        case ast.Constant(value=bool(value)):
            other.value = not value
        case ast.Constant(value=int(value)):
            other.value = value + 1
        case ast.Constant(value=float(value)) if value + 1 != value:
            other.value = value * SHARE if 0 < value < 1 else value + 1
        case ast.Attribute(attr=name) if name in NAMES:
            other.attr = NAMES[name]
        case _:
            return None
    return other
