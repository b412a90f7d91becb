"""Which modules a module imports, itself and through others."""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.mirror.tree import Name, Tree

# Imports.


def dotted_path(path: str) -> str:
    return ".".join(Path(path).with_suffix("").parts[1:])


def dotted_name(name: Name) -> str:
    return dotted_path(name.module)


def importers_of(tree: Tree, start: str) -> dict[str, str]:
    """All modules that are loaded with `start`, itself included, and who imports each first."""
    importers = {start: start}
    queue = [start]
    for name in queue:
        path = tree.modules[name]
        named = imports_of(tree.module(path), name, path)
        imported = {name, *(tree.homes.get(each, each) for each in named)}
        for each in sorted(package for module in imported for package in with_packages(module)):
            if each in tree.modules and each not in importers:
                importers[each] = name
                queue.append(each)
    return importers


def with_packages(name: str) -> Iterator[str]:
    """`a.b.c`, and `a` and `a.b`, whose __init__.py run first."""
    parts = name.split(".")
    return (".".join(parts[: end + 1]) for end in range(len(parts)))


@cache
def imports_of(module: ast.Module, name: str, path: str) -> frozenset[str]:
    """What a module imports, also inside functions; `from a import b` may be a or a.b."""
    package = name if path.endswith("__init__.py") else name.rpartition(".")[0]
    found: set[str] = set()
    for node in running(module):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [node.module])])
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return frozenset(each for each in found if each.split(".")[0] == "embspace")


def running(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module, less what only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from child.orelse
        else:
            yield child
            yield from running(child)


def holds_code(tree: Tree, path: str) -> bool:
    """False for an __init__.py that holds only its docstring, or that and a list of names."""
    if not path.endswith("__init__.py"):
        return True
    body = [node for node in tree.module(path).body if not isinstance(node, ast.Expr)]
    return bool(body) and not _only_lists_names(body)


def _only_lists_names(body: list[ast.stmt]) -> bool:
    """Whether all that a package does is to load the names of its stub from their modules."""
    *imports, last = body
    attached = "lazy_loader.attach_stub(" in ast.unparse(last)
    return attached and all(isinstance(node, ast.Import) for node in imports)


def listing(words: Iterable[str]) -> str:
    return ", ".join(words) or "none"
