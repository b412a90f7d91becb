"""Holds docs, docstrings and names to what a reader understands at the first reading.

Ceilings of pages above the aim are what was measured when they were written, rounded up to a tenth:
lower a ceiling whenever its number has fallen, and never raise one.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.prose.plain import (
    Share,
    by_folder,
    by_page,
    names_by_folder,
    names_in,
    opaque_names,
    pronouns,
    worst_docstrings,
)

AIM = 4.0
"""Pronouns per hundred words of a page, and of the docstrings of a folder."""
WORDS = 57_050
"""How many words all pages of docs/ may have, marks and code included; 2,900 are questions.md,
800 the rules of open_questions.md, 350 the answers to open questions for two further models."""
PAGES = {"analyses": 8.1, "architecture": 7.5, "thesis": 5.3}
"""Pronouns per hundred words of pages that are not below `AIM` yet."""
OPAQUE_NAMES = 0.3
"""Names that name no thing per hundred assigned names; only columns of saved tables may stay."""


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


def test_pages_are_plain(root: Path) -> None:
    assert not above({page: PAGES.get(page, AIM) for page in by_page(root)}, by_page(root))


@pytest.mark.parametrize(
    ("measured", "most"),
    [(by_folder, AIM), (names_by_folder, OPAQUE_NAMES)],
    ids=["docstrings", "names"],
)
def test_folders_are_plain(
    measured: Callable[[Path], dict[str, Share]], most: float, root: Path
) -> None:
    shares = measured(root)
    assert len(shares) > 10
    assert not above(dict.fromkeys(shares, most), shares), "see python -m tests.prose.plain"


@pytest.mark.parametrize("folder", ["tests", "benchmarks"])
def test_names_beside_the_source_are_plain(folder: str, root: Path) -> None:
    share = names_in(root / folder)
    assert share.n_all > 1000
    assert share.per_hundred < OPAQUE_NAMES, "see tests.prose.plain.names_in"


def above(ceilings: dict[str, float], shares: dict[str, Share]) -> dict[str, str]:
    """Return the shares above their ceilings, by name."""
    return {
        name: f"{share.per_hundred:.2f}"
        for name, share in shares.items()
        if share.per_hundred > ceilings[name]
    }
