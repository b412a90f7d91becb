"""The command that puts two models side by side: compare."""

from contextlib import chdir
from pathlib import Path
from typing import Annotated

import typer

from embspace.app.cli.report import CorporaOption, Shown
from embspace.app.cli.shared.failures import clear_errors
from embspace.app.cli.shared.given import AllowUnusedOption, TokenizerOption, given_of
from embspace.app.cli.shared.jobs import JobsOption, end_on_signals
from embspace.app.cli.shared.reading import (
    DocumentColumnOption,
    IdColumnOption,
    SeparatorOption,
    SkipEmptyOption,
    TextColumnOption,
    reading_of,
)


def compare(
    model: Annotated[
        str, typer.Argument(help="One that `embspace models` lists, a folder, or owner/name.")
    ],
    other_model: Annotated[str, typer.Argument(help="Another one.")],
    corpus: CorporaOption = None,
    text_column: TextColumnOption = None,
    id_column: IdColumnOption = None,
    document_column: DocumentColumnOption = None,
    separator: SeparatorOption = None,
    skip_empty: SkipEmptyOption = False,
    no_measures: Annotated[
        bool,
        typer.Option(
            "--no-measures",
            help="Leave out the table of what was measured of both, which takes longest.",
        ),
    ] = False,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Leave the browser alone; say where the page is.")
    ] = False,
    allow_unused: AllowUnusedOption = None,
    tokenizer: TokenizerOption = None,
    jobs: JobsOption = None,
) -> None:
    """Compare two models on the same texts, and open a page of the figures and tables.

    Shows how alike their layers represent texts and words, which of them holds more of the other's
    neighbors, which tokens and parameters they share, how far apart their weights lie, and what was
    measured of both. Prints the cost first; earlier results are taken from the cache.
    `embspace compare minilm ./my_model`
    """
    from embspace.app.reporting.pairs import describe_pair, write_comparison
    from embspace.settings.roots import find_root

    end_on_signals()
    here = Path.cwd()
    reading = reading_of(
        *(text_column, id_column, None, document_column),
        separator=separator,
        skip_empty=skip_empty,
    )
    with clear_errors():
        root, given = find_root(), given_of(allow_unused, tokenizer)
        pair = describe_pair(model, other_model, corpus, typer.echo, reading=reading, **given)
        with chdir(root):
            made = write_comparison(pair, typer.echo, with_measures=not no_measures, jobs=jobs)
        shown = Shown(root, here, may_open=not no_open)
        shown(made)
    typer.echo(shown.page)
