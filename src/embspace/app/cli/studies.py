"""Command `init`: a study of one's own."""

from pathlib import Path
from typing import Annotated

import typer

from embspace.app.cli.shared.failures import clear_errors


def init(
    folder: Annotated[Path, typer.Argument(help="A new folder, or an empty one.")],
    model: Annotated[
        str | None,
        typer.Option("--model", help="A name, a folder, or a repository; without it, minilm."),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus", help="A file of texts, or one of conf/corpus/; without it, embspace's own."
        ),
    ] = None,
) -> None:
    """Make a study: a folder with params.yaml and conf/ to change, and results to keep.

    In the study, `embspace run`, `dvc repro` and `dvc exp run -S` compute what is out of date.
    """
    from embspace.app.init import write_own_study

    with clear_errors():
        typer.echo(write_own_study(folder.absolute(), model, corpus))
