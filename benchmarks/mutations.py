"""Small changes to the mathematics of a module, one at a time, as a slip of the hand would make.

A site is a place in the code that has a change: a comparison that takes or leaves equality, an
operator, a sign, a constant, an axis. What documents or declares is no site: docstrings,
annotations, decorators, f-strings, assertions and what is raised.
"""

import ast
import copy
from typing import NamedTuple, TypeGuard

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


def mutants_of(source: str) -> list[Mutant]:
    """Return every change of a module, in the order of its code."""
    found: list[Mutant] = []
    whole = ast.unparse(ast.parse(source)).splitlines()
    while True:
        mutator = _Mutator(len(found))
        tree = mutator.visit(ast.parse(source))
        if mutator.mutant is None:
            return found
        code = ast.unparse(ast.fix_missing_locations(tree))
        lines = zip(code.splitlines(), whole, strict=True)
        becomes = next((line.strip() for line, before in lines if line != before), "")
        found.append(mutator.mutant._replace(becomes=becomes, code=code))


class _Mutator(ast.NodeTransformer):
    """Changes the site of one number, and none other."""

    def __init__(self, number: int) -> None:
        self.to_come = number
        self.around: list[str] = []
        self.mutant: Mutant | None = None

    def visit(self, node: ast.AST) -> ast.AST:
        """Change the node if it is the site, else look into it."""
        if isinstance(node, LEFT_OUT):
            return node
        changed = _changed(node)
        if changed is not None and self.mutant is None:
            if self.to_come == 0:
                line, function = getattr(node, "lineno", 0), ".".join(self.around)
                before, after = ast.unparse(node), ast.unparse(changed)
                self.mutant = Mutant(line, before, after, function, becomes="", code="")
                return changed
            self.to_come -= 1
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            return self.generic_visit(node)
        self.around.append(node.name)
        node = self.generic_visit(node)
        self.around.pop()
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Look into all that is no annotation, decorator or default argument."""
        for name, value in list(ast.iter_fields(node)):
            if name in NOT_MATHEMATICS or _is_declared(node, name):
                continue
            if isinstance(value, list):
                value[:] = [self.visit(each) if _is_code(each) else each for each in value]
            elif _is_code(value):
                setattr(node, name, self.visit(value))
        return node


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
    return any(isinstance(each, ast.JoinedStr) or _is_string(each) for each in sides)


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
