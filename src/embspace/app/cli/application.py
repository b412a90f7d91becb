"""The command `embspace` with its subcommands, grouped by purpose."""

import logging
from typing import Annotated

import typer

from embspace.app.cli.compare import compare
from embspace.app.cli.corpora import corpus
from embspace.app.cli.export import export
from embspace.app.cli.live import app as live_app
from embspace.app.cli.models import describe, fetch, models, reports
from embspace.app.cli.parameters import lookup, read
from embspace.app.cli.pipeline import check, prune, run, verify
from embspace.app.cli.practice.compress import compress
from embspace.app.cli.practice.drift import drift
from embspace.app.cli.practice.hubs import hubs
from embspace.app.cli.practice.outliers import outliers
from embspace.app.cli.practice.threshold import threshold
from embspace.app.cli.practice.tokens import tokens
from embspace.app.cli.practice.transform import transform
from embspace.app.cli.report import report
from embspace.app.cli.results import cite, cosine, define, figure, search
from embspace.app.cli.studies import init
from embspace.app.cli.texts import layer, sample
from embspace.app.cli.thesis import thesis
from embspace.app.cli.tracks import track
from embspace.app.cli.vectors import vectors

GROUPS = {
    "Questions": (layer, search, cosine, read, lookup, track, figure, thesis, cite, define),
    "Your texts and vectors": (threshold, drift, compress, transform, hubs, outliers, tokens),
    "Reports": (models, report, compare, reports, live_app),
    "Studies": (init, describe, fetch, sample, check, run, verify, prune),
    "Data": (vectors, corpus, export),
}

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # where a line ends in a docstring, none ends on the screen
)


def _print_version(is_given: bool) -> bool:
    if is_given:
        from importlib.metadata import version

        typer.echo(f"embspace {version('embspace')}")
        raise typer.Exit
    return is_given


@app.callback()
def embspace(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Geometry of the embedding spaces of BERT-family models."""
    if logging.lastResort:  # what shows warnings where nobody asked for another way
        logging.lastResort.setFormatter(logging.Formatter("warning: %(message)s"))


for group, commands in GROUPS.items():
    for command in commands:
        app.command(rich_help_panel=group)(command)
