"""Reads what a module says from its source: nothing is imported or run."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

Definition = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def parse(text: str) -> ast.Module:
    return ast.parse(text)


@cache
def load(text: str) -> Any:
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@cache
def dotted(path: str) -> str:
    """Return the dotted name of the module at src/<path>."""
    return ".".join(Path(path).with_suffix("").parts[1:]).removesuffix(".__init__")


@cache
def imports_of(module: ast.Module, package: str) -> frozenset[str]:
    """Return what a module imports, also inside functions; `from a import b` may be a or a.b.

    `package` is where it lies, for `from .a import b`.
    """
    names: set[str] = set()
    for node in _running(module):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = f"{package}.{node.module}" if node.level else str(node.module)
            names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return frozenset(name for name in names if name.split(".")[0] == "embspace")


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module, less what only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from child.orelse
        else:
            yield child
            yield from _running(child)


@cache
def functions_in(module: ast.Module) -> tuple[Definition, ...]:
    """Return all functions of a module, also those inside classes and functions."""
    return tuple(node for node in ast.walk(module) if isinstance(node, Definition))


def function_named(module: ast.Module, name: str) -> ast.FunctionDef | None:
    functions = (node for node in module.body if isinstance(node, ast.FunctionDef))
    return next((function for function in functions if function.name == name), None)


def keywords_of(function: ast.FunctionDef) -> set[str]:
    return {argument.arg for argument in function.args.kwonlyargs}


def calls_of(module: ast.Module, name: str) -> list[ast.Call]:
    """Return the calls of a function, `name` or the end of what is called."""
    return _calls(module).get(name, [])


@cache
def _calls(module: ast.Module) -> dict[str, list[ast.Call]]:
    """Return all calls of a module by the end of what is called."""
    calls: dict[str, list[ast.Call]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            calls.setdefault(ast.unparse(node.func).rpartition(".")[2], []).append(node)
    return calls


def assigned_to(module: ast.Module, variable: str) -> ast.expr | None:
    """Return what a variable of a module is set to."""
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == variable:
            return node.value
    return None


@cache
def strings_in(module: ast.Module) -> tuple[str, ...]:
    """Return all strings of a module; what an f-string fills in is `{}`."""
    formatted = [node for node in ast.walk(module) if isinstance(node, ast.JoinedStr)]
    inside = {id(part) for string in formatted for part in string.values}
    constants = [node for node in ast.walk(module) if isinstance(node, ast.Constant)]
    plain = [node.value for node in constants if id(node) not in inside]
    return (*map(_unfilled, formatted), *(text for text in plain if isinstance(text, str)))


def _unfilled(string: ast.JoinedStr) -> str:
    parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in string.values)
    return "".join(map(str, parts))


def paths_in(module: ast.Module) -> list[str]:
    """Return the strings that are paths of data, results, figures, descriptions, or the lock."""
    pattern = r"(data|results|figures|conf/model|conf/corpus)/\S+|models\.lock"
    return [text for text in strings_in(module) if re.fullmatch(pattern, text)]
