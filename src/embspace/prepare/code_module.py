"""Reads the imports and calls of a module, from the source alone."""

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from embspace.errors import InputError

# What imports a module by a name that is known only when it runs.
DYNAMIC = {"import_module", "__import__", "run_module", "run_path", "exec_module"}


class Imported(NamedTuple):
    """A module named by an import statement, and names in the module, possibly modules too."""

    module: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Module:
    """A module, parsed once."""

    path: Path

    @property
    def is_stage(self) -> bool:
        """Whether running the module runs a stage."""
        calls = any(self._calls({"run_stage"}))
        return calls and '__name__ == "__main__"' in self._text

    @cached_property
    def imports(self) -> tuple[Imported, ...]:
        """Return the imports, in functions too, but not the imports for a type checker alone.

        Raises:
            InputError: if the module imports by a name that only a run knows.
        """
        if line := next(self._calls(DYNAMIC), None):
            raise InputError(
                f"{self.path}:{line}: imports a module by a name that only a run knows; in what a "
                "stage runs, name it in an import statement"
            )
        imports = []
        for node in _running(self._tree):
            if isinstance(node, ast.Import):
                imports += [Imported(alias.name, ()) for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                imports.append(Imported(node.module, tuple(alias.name for alias in node.names)))
        return tuple(imports)

    @cached_property
    def opened_beside(self) -> tuple[Path, ...]:
        """The data files in the module's folder that the source names."""
        files = sorted(path for path in self.path.parent.iterdir() if path.is_file())
        data = (path for path in files if path.suffix not in (".py", ".pyi"))
        return tuple(path for path in data if f'"{path.name}"' in self._text)

    @cached_property
    def digest(self) -> str:
        """Return the hash of the source without docstrings and comments.

        The hash is of the text, because the output of a parser differs between versions of Python.
        """
        lines = self._text.splitlines()
        for number in self._lines_of_docstrings():
            lines[number - 1] = ""
        for token in tokenize.generate_tokens(io.StringIO(self._text).readline):
            if token.type == tokenize.COMMENT:
                number, start = token.start
                lines[number - 1] = lines[number - 1][:start]
        left = "\n".join(line.rstrip() for line in lines if line.strip())
        return md5(left.encode())

    @cached_property
    def _text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def _tree(self) -> ast.Module:
        return ast.parse(self._text, filename=str(self.path))

    def _lines_of_docstrings(self) -> Iterator[int]:
        """Yield the numbers of the lines of all strings that stand as a statement."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)

    def _calls(self, names: set[str]) -> Iterator[int]:
        """Yield the lines with calls of functions of these names."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Call) and _last_name(node.func) in names:
                yield node.lineno


def md5(content: bytes) -> str:
    """Return the hash by which DVC, too, tells contents apart."""
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _last_name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module, less what only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from child.orelse
        else:
            yield child
            yield from _running(child)
