"""Holds docs, docstrings and names to what a reader understands at the first reading.

All ceilings are what was measured when they were written, rounded up to a tenth: lower a ceiling
whenever its number has fallen, and never raise one.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.prose.plain import (
    Share,
    by_folder,
    by_page,
    names_by_folder,
    opaque_names,
    pronouns,
    worst_docstrings,
)

WORDS = 53_633
"""How many words all pages of docs/ may have, marks and code included."""
PAGES = {
    "analyses": 9.1,
    "app": 1.7,
    "architecture": 8.0,
    "attention": 1.9,
    "conventions": 2.3,
    "definitions": 3.1,
    "examples": 2.4,
    "explorer": 0.4,
    "glossary": 1.2,
    "grammar": 3.4,
    "grid": 1.4,
    "half_samples": 2.0,
    "layers": 2.1,
    "models": 2.5,
    "parameters": 2.5,
    "published": 2.1,
    "relatives": 1.6,
    "rna_model": 2.9,
    "scale": 1.3,
    "sequences": 1.2,
    "settings": 2.5,
    "thesis": 5.4,
    "token_tracker": 3.7,
    "training": 1.5,
    "your_models": 2.9,
    "your_texts": 1.0,
}
"""Pronouns per hundred words of a page; four are the aim."""
DOCSTRINGS = {
    ".": 13.9,
    "app": 11.9,
    "cite": 11.6,
    "clouds": 10.7,
    "compare": 11.8,
    "draw": 9.1,
    "extract": 11.4,
    "files": 10.6,
    "geometry": 8.7,
    "grammar": 10.2,
    "loaded": 11.3,
    "measure": 10.2,
    "models": 11.6,
    "prepare": 11.2,
    "project": 11.5,
    "published": 12.6,
    "scripts": 8.9,
    "settings": 12.1,
    "stream": 11.3,
    "train": 10.9,
    "verify": 13.2,
}
"""Pronouns per hundred words of docstrings, by folder of src/embspace; four are the aim."""
NAMES = {
    ".": 7.5,
    "app": 4.4,
    "cite": 7.3,
    "clouds": 2.5,
    "compare": 6.3,
    "draw": 2.8,
    "extract": 3.2,
    "files": 1.0,
    "geometry": 3.5,
    "grammar": 1.0,
    "loaded": 0.0,
    "measure": 6.5,
    "models": 3.2,
    "prepare": 1.9,
    "project": 5.0,
    "published": 1.7,
    "scripts": 0.0,
    "settings": 3.8,
    "stream": 4.1,
    "train": 4.7,
    "verify": 4.2,
}
"""Names that name no thing per hundred assigned names, by folder; 0.3 are the aim."""


@pytest.mark.parametrize(
    ("text", "n", "n_all"),
    [
        ("It says what those of the other layer have.", 4, 9),
        ("The mean of the rows; `it` is code.", 0, 8),
        ("Read [the page](it/which.md) of $that_x$.\n```\nwhich one\n```\n", 0, 4),
        ("Twelve 0.5<!-- it/which.csv one --> vectors", 0, 2),
        ("This measure is exact, but this is not. Take these.", 2, 10),
        (">>> it = one\nEach row", 1, 2),
    ],
)
def test_pronouns_are_counted_in_prose_alone(text: str, n: int, n_all: int) -> None:
    share = pronouns(text)
    assert (share.n, share.n_all) == (n, n_all)


def test_names_are_counted_where_they_are_assigned() -> None:
    share = opaque_names(
        "for each in rows:\n    found, n = f(each)\n    self.of_half: int = told\n"
    )
    assert (share.n, share.n_all) == (3, 4)


def test_the_worst_docstring_comes_first(tmp_path: Path) -> None:
    source = tmp_path / "src/embspace"
    source.mkdir(parents=True)
    (source / "x.py").write_text(
        '"""Rows."""\nN = 1\n"""It."""\n\n\ndef f():\n    """It is it."""\n'
    )
    assert [row[2] for row in worst_docstrings(tmp_path, 2, allowed=4)] == [7, 3]


def test_docs_are_short(root: Path) -> None:
    pages = (root / "docs").glob("*.md")
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) < WORDS


@pytest.mark.parametrize(
    ("measured", "ceilings"),
    [(by_page, PAGES), (by_folder, DOCSTRINGS), (names_by_folder, NAMES)],
    ids=["docs", "docstrings", "names"],
)
def test_no_number_rises(
    measured: Callable[[Path], dict[str, Share]], ceilings: dict[str, float], root: Path
) -> None:
    shares = measured(root)
    assert set(shares) == set(ceilings)
    above = {
        name: f"{share.per_hundred:.2f}"
        for name, share in shares.items()
        if share.per_hundred > ceilings[name]
    }
    assert not above, "see python -m tests.prose.plain"
