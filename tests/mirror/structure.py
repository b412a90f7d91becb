"""Rules 12 and 13: a chapter can be read alone, and nothing outgrows a reader."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.mirror.source import Definition, functions_in
from tests.mirror.tree import FOLDED, VERBS, Tree

# What the chapters of a verb share, which itself needs no chapter; others may build on layers.
SHARED = {"measure": ("tables",), "draw": ("page",)}
BUILT_ON = {"measure": ("layers",), "draw": ()}
MODULES, MODULES_IN_ROOT = 20, 3  # in a folder, `__init__.py` aside
LINES, LINES_IN_ROOT = 300, 200  # of a dvc.yaml, that people write
STATEMENTS = 50  # lines of a function after its docstring

# Rule 12: who imports whom.


def chapters_stand_alone(tree: Tree) -> Iterator[str]:
    for name, path in tree.modules.items():
        for imported in sorted(tree.imported(path)):
            allowed = _allowed(name.split(".")[1:], imported.split(".")[1:])
            if allowed:
                yield f"{path}: imports {imported}; expected, of its kind, only {allowed}."


def _allowed(importer: list[str], imported: list[str]) -> str:
    """Return what a module may import instead; empty if it may import this."""
    folder, chapter = [*importer, "", ""][:2]
    verb, other = [*imported, "", ""][:2]
    if folder == "geometry" and verb not in ("geometry", ""):
        return "geometry"
    if folder == "draw" and verb in VERBS and verb != "draw":
        return "draw"
    if folder not in FOLDED or verb != folder or other in ("", chapter):
        return ""
    allowed = [*SHARED[folder], *([] if chapter in SHARED[folder] else BUILT_ON[folder])]
    return "" if other in allowed else " and ".join([chapter, *allowed])


# Rule 13: folders, graphs and functions stay short, and a name means one thing.


def nothing_outgrows_its_reader(tree: Tree) -> Iterator[str]:
    yield from _full_folders(tree)
    for graph in tree.graphs:
        n_lines, most = _by_hand(tree, graph), LINES if "/" in graph else LINES_IN_ROOT
        if n_lines > most:
            yield f"{graph}: has {n_lines} lines; expected at most {most}."
    for path in tree.modules.values():
        for function in functions_in(tree.module(path)):
            if (n_lines := _length(function)) > STATEMENTS:
                where = f"{path}: {function.name}()"
                yield f"{where} has {n_lines} lines; expected at most {STATEMENTS}."
    for path in tree.glob("conf/**/*.yaml"):
        if "${" in tree.text(path):
            yield f"{path}: has ${{...}}; DVC reads the file alone, and `dvc exp run -S` fails."


def _by_hand(tree: Tree, graph: str) -> int:
    """Return the number of lines of a graph, less the stages of declared analyses."""
    text = tree.text(graph)
    for stage in tree.runnable:
        if stage.graph == graph and tree.is_declared(stage.module):
            text = re.sub(rf"^  {stage.name}:\n(?:^    .*\n)*", "", text, flags=re.MULTILINE)
    return text.count("\n")


def _full_folders(tree: Tree) -> Iterator[str]:
    paths = [Path(path) for path in tree.modules.values()]
    counts = Counter(path.parent.as_posix() for path in paths if path.stem != "__init__")
    for folder, count in counts.items():
        most = MODULES if folder.count("/") > 1 else MODULES_IN_ROOT
        if count > most:
            yield f"{folder}/: has {count} modules; expected at most {most}."


def _length(function: Definition) -> int:
    body = function.body[bool(ast.get_docstring(function, clean=False)) :]
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def aliases_have_one_definition(tree: Tree) -> Iterator[str]:
    homes: dict[str, list[str]] = {}
    for path in tree.modules.values():
        for name in _aliases(tree.module(path)):
            homes.setdefault(name, []).append(path)
    for name, paths in homes.items():
        if len(paths) > 1:
            yield f"{name}: is a type in {', '.join(paths)}; expected one that the others import."


def _aliases(module: ast.Module) -> Iterator[str]:
    """Yield the public names that a module gives to types; a TypeVar is a call, and no type."""
    for node in module.body:
        if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Call):
            name = ast.unparse(node.targets[0])
            if re.fullmatch(r"[A-Z]\w*[a-z]\w*", name):
                yield name
