"""The command on fewer and coarser numbers: compress."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from embspace.app.cli.practice.options import on_corpus

if TYPE_CHECKING:
    from embspace.app.practice.answers import Answer


@on_corpus
def compress(
    question: Mapping[str, Any],
    lost: Annotated[
        float,
        typer.Option("--lost", help="Share of a task that may be lost.", min=0.0001, max=0.9999),
    ] = 0.05,
) -> "Answer":
    """Say how far vectors of a corpus may be cut or rounded, and what is lost.

    For the first m coordinates, m components, m random coordinates, float16, int8, and sign bits
    with and without rescoring: how much is kept of neighbors, of search by halves of texts and of
    labels, with intervals over documents, and the smallest setting that surely loses less than a
    share.
    `embspace compress posts.csv --lost 0.02`
    """
    from embspace.app.practice.compress import compress as compress_of

    return compress_of(**question, lost=lost)
