"""What a module says, read from its source: nothing is imported or run."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import yaml

# Modules.


@cache
def parse(text: str) -> ast.Module:
    return ast.parse(text)


@cache
def load(text: str) -> Any:
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def function_named(module: ast.Module, name: str) -> ast.FunctionDef | None:
    functions = (node for node in module.body if isinstance(node, ast.FunctionDef))
    return next((function for function in functions if function.name == name), None)


def does_something(module: ast.Module) -> bool:
    return any(isinstance(node, ast.FunctionDef) for node in ast.walk(module))


def calls_of(module: ast.Module, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
            yield node


def assigned_to(module: ast.Module, variable: str) -> ast.expr | None:
    """What a variable of a module is set to."""
    for node in module.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(each, ast.Name) and each.id == variable for each in targets):
            return getattr(node, "value", None)
    return None


@cache
def strings_in(module: ast.Module) -> tuple[str, ...]:
    """All strings of a module; what an f-string fills in is `{}`."""
    formatted = [node for node in ast.walk(module) if isinstance(node, ast.JoinedStr)]
    inside = {id(part) for string in formatted for part in string.values}
    constants = [node for node in ast.walk(module) if isinstance(node, ast.Constant)]
    plain = [node.value for node in constants if id(node) not in inside]
    return (*map(unfilled, formatted), *(text for text in plain if isinstance(text, str)))


def unfilled(string: ast.JoinedStr) -> str:
    parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in string.values)
    return "".join(map(str, parts))


def paths_in(module: ast.Module) -> list[str]:
    """The strings that are paths of data, results or figures, descriptions, or what was fetched."""
    pattern = r"(data|results|figures|conf/model|conf/corpus)/\S+|models\.lock"
    return [text for text in strings_in(module) if re.fullmatch(pattern, text)]
