"""The command on the entries of a vocabulary: tokens."""

from pathlib import Path
from typing import Annotated

import typer

from embspace.app.cli.shared.options import MODEL_HELP
from embspace.app.cli.shared.places import at_texts
from embspace.errors import visible

CsvOption = Annotated[
    Path | None, typer.Option("--csv", help="Write all rows to this file.", metavar="FILE")
]


def tokens(
    model: Annotated[str, typer.Argument(help=f"{MODEL_HELP}.")], csv: CsvOption = None
) -> None:
    """List the tokens of a vocabulary that no text is read as, and tokens that look untrained.

    Under-trained tokens are found by Land & Bartolo's indicators: their rows are like the rows of
    tokens that no text reaches. No text is needed.
    `embspace tokens minilm --csv tokens.csv`
    """
    from embspace.app.practice.tokens import tokens_of

    to = csv.absolute() if csv else None
    with at_texts(model) as name:
        from embspace.loaded.model import load

        made = tokens_of(load(name, Path.cwd()))
        if to:
            from embspace.files.tables import save_table

            save_table(made.table, str(to))
    typer.echo(visible(str(made)))
