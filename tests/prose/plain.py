"""Counts words that make a reader look for a noun, in docs, docstrings and names.

`python -m tests.prose.plain`, at the root of the project, prints pages and folders, worst first;
with `--docstrings N` the N docstrings with most such words beyond four per hundred.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path("src/embspace")
STANDING_FOR_A_NOUN = """it its itself they them their theirs those one ones other others another
    each such"""
OPENING_A_CLAUSE = "that which whose whom what"  # "what it has", "rows which have"
STANDING_FOR_A_SENTENCE = "so there"
PRONOUNS = frozenset(f"{STANDING_FOR_A_NOUN} {OPENING_A_CLAUSE} {STANDING_FOR_A_SENTENCE}".split())
# `this` and `these` before a noun are clear; before a verb or a full stop they stand for one.
BARE = re.compile(
    r"\b(?:this|these)(?=[.,;:)]|\s+(?:is|are|was|were|has|have|had|can|may|must|do|does|did|will|"
    r"would|should|says?|makes?|gives?|takes?|holds?|needs?|stands?|means?)\b)",
    re.IGNORECASE,
)
WORD = re.compile(r"[^\W\d_][\w'’-]*")
NO_PROSE = (
    re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE),
    re.compile(r"<!--.*?-->", re.DOTALL),
    re.compile(r"\$\$.*?\$\$", re.DOTALL),
    re.compile(r"\$[^$\n]*\$"),
    re.compile(r"(?<=\])\([^)\s]*\)"),
    re.compile(r"^\s*(?:>>>|\.\.\.) .*$", re.MULTILINE),
)
CODE = re.compile(r"`[^`\n]*`")
OPAQUE = re.compile(r"_?(?:each|found|asked|told|of_\w+)")


@dataclass
class Share:
    """Number of words (or names) that are counted, and number of all words."""

    n: int = 0
    n_all: int = 0

    def add(self, share: "Share") -> None:
        """Add the counts of a further text."""
        self.n += share.n
        self.n_all += share.n_all

    @property
    def per_hundred(self) -> float:
        """Counted words per hundred words."""
        return 100 * self.n / max(1, self.n_all)


def pronouns(text: str) -> Share:
    """Return the pronouns among the words of a text of prose, without code and formulas."""
    for pattern in NO_PROSE:
        text = pattern.sub(" ", text)
    words = WORD.findall(CODE.sub(" code ", text).lower())
    return Share(sum(word in PRONOUNS for word in words) + len(BARE.findall(text)), len(words))


def docstrings(root: Path) -> Iterator[tuple[Path, int, str]]:
    """Yield file, line and text of each docstring of the source, those of fields included."""
    for file in sorted((root / SOURCE).rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            for child in body if isinstance(body, list) else ():
                match child:
                    case ast.Expr(value=ast.Constant(value=str(text))):
                        yield file.relative_to(root), child.lineno, text


def assigned_names(source: str) -> Iterator[str]:
    """Yield each name that a module assigns: variables, fields, parameters, functions."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name


def opaque_names(source: str) -> Share:
    """Return the names that name no thing among all that a module assigns."""
    names = list(assigned_names(source))
    return Share(sum(bool(OPAQUE.fullmatch(name)) for name in names), len(names))


def folder_of(file: Path) -> str:
    """Return the folder of src/embspace that a file lies in; the package itself is `.`."""
    parts = file.relative_to(SOURCE).parts
    return parts[0] if len(parts) > 1 else "."


def by_page(root: Path) -> dict[str, Share]:
    """Return the pronouns of each page of docs/."""
    pages = sorted((root / "docs").glob("*.md"))
    return {page.stem: pronouns(page.read_text(encoding="utf-8")) for page in pages}


def by_folder(root: Path) -> dict[str, Share]:
    """Return the pronouns of the docstrings, by folder of the source."""
    shares: dict[str, Share] = {}
    for file, _, text in docstrings(root):
        shares.setdefault(folder_of(file), Share()).add(pronouns(text))
    return shares


def names_by_folder(root: Path) -> dict[str, Share]:
    """Return the opaque names, by folder of the source."""
    shares: dict[str, Share] = {}
    for file in sorted((root / SOURCE).rglob("*.py")):
        share = opaque_names(file.read_text(encoding="utf-8"))
        shares.setdefault(folder_of(file.relative_to(root)), Share()).add(share)
    return shares


def names_in(folder: Path) -> Share:
    """Return the opaque names of all modules below a folder."""
    share = Share()
    for file in folder.rglob("*.py"):
        share.add(opaque_names(file.read_text(encoding="utf-8")))
    return share


def worst_docstrings(root: Path, n: int, *, allowed: float) -> list[tuple[float, Path, int]]:
    """Return surplus, file and line of the docstrings with most pronouns beyond the allowed."""
    surplus = [
        (share.n - allowed * share.n_all / 100, file, line)
        for file, line, text in docstrings(root)
        for share in [pronouns(text)]
    ]
    return sorted(surplus, key=lambda row: -row[0])[:n]


def _print(title: str, shares: dict[str, Share]) -> None:
    print(f"{title}: per hundred, of all")
    for name, share in sorted(shares.items(), key=lambda item: -item[1].per_hundred):
        print(f"  {name:16} {share.per_hundred:6.2f} {share.n_all:7,}")


def main() -> None:
    """Print the shares of the project in the current folder."""
    root = Path.cwd()
    if sys.argv[1:2] == ["--docstrings"]:
        for surplus, file, line in worst_docstrings(root, int(sys.argv[2]), allowed=4):
            print(f"{surplus:5.1f} {file}:{line}")
        return
    _print("pronouns of docs", by_page(root))
    _print("pronouns of docstrings", by_folder(root))
    _print("opaque names", names_by_folder(root))


if __name__ == "__main__":
    main()
