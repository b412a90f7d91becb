"""Corpora that nobody here wrote: docstrings of installed packages, and paragraphs of a license."""

import ast
import json
from collections.abc import Sequence
from importlib.metadata import files
from importlib.util import find_spec
from pathlib import Path

import numpy as np

PACKAGES = ("scipy", "sklearn")
CORPORA = ("scipy", "sklearn", "new", "docs")


def docstrings(n: int, packages: Sequence[str] = PACKAGES) -> list[dict[str, str]]:
    """Return docstrings of installed packages, as many of each; a module is a document."""
    rng = np.random.default_rng(0)
    rows = []
    for package in packages:
        spec = find_spec(package)
        folder = Path(str(spec.origin)).parent if spec else Path()
        known = [
            {"id": f"{file.relative_to(folder.parent).with_suffix('')}:{node.name}:{node.lineno}"}
            | {"text": text}
            | {"document": str(file.relative_to(folder.parent))}
            for file in sorted(folder.rglob("*.py"))
            if "tests" not in file.parts
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            and len(text := " ".join((ast.get_docstring(node) or "").split())[:500]) > 80
        ]
        rows += [known[row] for row in sorted(rng.permutation(len(known))[: n // len(packages)])]
    return rows


def further(n: int = 95) -> list[dict[str, str]]:
    """Return docstrings of a third package, and five paragraphs of a license."""
    (file,) = (file for file in files("transformers") or () if file.name == "LICENSE")
    paragraphs = file.read_text(encoding="utf-8").split("\n\n")
    defined = [" ".join(part.split()) for part in paragraphs if part.lstrip().startswith('"')][:5]
    license_rows = [
        {"id": f"license:{row}", "text": text, "document": f"license:{row}"}
        for row, text in enumerate(defined)
    ]
    return docstrings(n, ["pandas"]) + license_rows


def save_corpora(folder: Path, n: int = 2000) -> None:
    """Write the texts that docs/questions.md asks of."""
    rows = docstrings(n)
    corpora = {"docs": rows, "scipy": rows[: n // 2], "sklearn": rows[n // 2 :], "new": further()}
    for name in CORPORA:
        lines = "".join(f"{json.dumps(row)}\n" for row in corpora[name])
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")


def save_rounded(folder: Path) -> None:
    """Write the vectors of the texts in 8 bits, as a second version."""
    from embspace.app.practice.reading import read_corpus
    from embspace.geometry.practice.compression import Int8Ranges

    x = read_corpus(str(folder / "docs.jsonl")).at().vectors
    ranges = Int8Ranges.of(x)
    np.save(folder / "int8.npy", ranges.vectors(ranges.codes(x)).astype(np.float32))
