"""Numbers of the prose: each names the cells of results/ that it is held against.

A mark is a comment directly behind a number, which a reader of the rendered page does not see:

    an AUC of 0.9986<!-- separability.json raw.auc -->
    0.85<!-- positions/profiles.csv mean offset=1 --> at offset 1
    6<!-- evolution/shared_steps.csv min(shared_energy) first_layer>0 x100 --> %
    568<!-- ledger.csv rows() --> rows

It has the file under results/, without the name of the default model or `toy`; the column, or the
dotted key; the cells that choose one row, with = (a value that ends in * is a beginning), < or >
(a number, or another column of the row); and a factor, where the number is not the cell itself. Of
several rows `min(column)`, `max(column)`, `sum(column)` and `rows()`, how many there are, make one
number. It holds if it is what the cell rounds to at its digits.

`python -m tests.prose`, at the root of the project, holds all of it against results/. It prints
what does not hold, and each number that looks like a result and has no mark; with `--fill` it first
writes the numbers anew. The test takes tests/baselines: what another processor has computed has
other digits, within the tolerances.
"""

from pathlib import Path

from tests.prose.marks import filled, numbers_that_fail
from tests.prose.results import Results
from tests.prose.unmarked import comments_behind_nothing, numbers_without_mark

PAGES = (
    "README.md",
    "docs/analyses.md",
    "docs/conventions.md",
    "docs/examples.md",
    "docs/layers.md",
    "docs/parameters.md",
    "docs/attention.md",
    "docs/rna_model.md",
    "docs/token_tracker.md",
    "docs/training.md",
    "docs/your_models.md",
    "docs/your_texts.md",
)


def problems(root: Path, folder: str) -> list[str]:
    """Return what does not hold of the pages, one sentence each; empty when all does.

    `folder` has the results: results, or tests/baselines.
    """
    results = Results(root / folder)
    sentences = []
    for page in PAGES:
        text = (root / page).read_text()
        sentences += [
            f"{page}:{sentence}"
            for sentence in (
                *comments_behind_nothing(text),
                *numbers_that_fail(text, results),
                *numbers_without_mark(page, text),
            )
        ]
    return sentences


def fill(root: Path) -> None:
    """Write the marked numbers of all pages anew, but those whose mark names no cell."""
    results = Results(root / "results")
    for page in PAGES:
        text = (root / page).read_text()
        (root / page).write_text(filled(text, results))
