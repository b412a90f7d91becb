"""The command on changes of coordinates: transform."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from embspace.app.cli.practice.options import on_corpus
from embspace.errors import InputError

if TYPE_CHECKING:
    from embspace.app.practice.answers import Answer


@on_corpus
def transform(
    question: Mapping[str, Any],
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            help="Write a change as an .npz: (x - mean) @ matrix.",
            metavar="FILE",
        ),
    ] = None,
    change: Annotated[
        str | None, typer.Option("--change", help="Which one to save; without it, the best.")
    ] = None,
) -> "Answer":
    """Say whether centering, whitening and related maps help on a corpus, and write the map.

    Shows what each map does to search by halves of texts, neighbors of the same label, hubness and
    mean cosine, beside the raw vectors, with paired intervals over documents.
    `embspace transform posts.csv --save change.npz`
    """
    if change is not None and save is None:
        raise InputError("--change: found without --save, allowed: with it")
    from embspace.app.practice.transform import transform as transform_of

    answer = transform_of(**question)
    if save is not None:
        answer.save_change(save, change)
    return answer
