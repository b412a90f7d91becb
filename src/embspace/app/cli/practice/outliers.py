"""The command on texts that are far from all others: outliers."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from embspace.app.cli.practice.options import on_corpus

if TYPE_CHECKING:
    from embspace.app.practice.answers import Answer


@partial(on_corpus, with_labels=False)
def outliers(
    question: Mapping[str, Any],
    of: Annotated[
        str | None,
        typer.Option("--of", help="Texts or vectors to judge; without it, the corpus's own."),
    ] = None,
    neighbors: Annotated[
        int, typer.Option("--neighbors", help="Nearest texts that count.", min=1)
    ] = 10,
) -> "Answer":
    """List the texts far from the rest of a corpus, and say what they are.

    Shows the distance to the nearest texts, its percentile among the corpus's own, a p-value, and
    outliers at a false discovery rate of 5 %, beside length, script, unknown tokens and copies.
    `embspace outliers posts.csv --of new.csv`
    """
    from embspace.app.practice.outliers import outliers as outliers_of

    return outliers_of(**question, of=of, k=neighbors)
