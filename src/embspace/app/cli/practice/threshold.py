"""The command on rare pairs of texts: threshold."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from embspace.app.cli.practice.options import on_corpus

if TYPE_CHECKING:
    from embspace.app.practice.answers import Answer


@on_corpus
def threshold(
    question: Mapping[str, Any],
    known: Annotated[
        str | None,
        typer.Option(
            "--known",
            help="A table of pairs that are the same, with the columns first and second, ids of "
            "texts; or `label`: all pairs of one label.",
            metavar="FILE",
        ),
    ] = None,
    precision: Annotated[
        float,
        typer.Option("--precision", help="Wanted, with --known.", min=0.01, max=0.999),
    ] = 0.95,
    texts: Annotated[
        int,
        typer.Option("--texts", help="Of a corpus whose false alarms are expected.", min=2),
    ] = 10_000,
    layers: Annotated[
        bool, typer.Option("--layers", help="Every layer and pooling in rates.csv.")
    ] = False,
) -> "Answer":
    """Say above which cosine two different texts of a corpus are a rare pair, and list such pairs.

    Shows the cosine that one pair in 10^3, 10^4, 10^5 reaches, with intervals over documents; how
    many pairs lie above .8, .9, .95; with known duplicates, the threshold of a wanted precision,
    held out.
    `embspace threshold posts.csv --results thresholds`
    """
    from embspace.app.practice.threshold import threshold as threshold_of

    return threshold_of(
        **question, known=known, precision=precision, texts=texts, all_layers=layers
    )
