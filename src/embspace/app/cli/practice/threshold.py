"""The command on rare pairs of texts: threshold."""

from typing import Annotated

import typer

from embspace.app.cli.failures import clear_errors
from embspace.app.cli.practice.options import (
    CorpusArgument,
    ModelOption,
    ResultsOption,
    UsualPoolingOption,
    VectorsOption,
    of_model,
    show,
)
from embspace.app.cli.reading import (
    DocumentColumnOption,
    IdColumnOption,
    LabelColumnOption,
    SeparatorOption,
    SkipEmptyOption,
    TextColumnOption,
    reading_of,
)
from embspace.app.cli.results import LayerOption


def threshold(
    corpus: CorpusArgument,
    model: ModelOption = None,
    layer: LayerOption = -1,
    pooling: UsualPoolingOption = None,
    vectors: VectorsOption = None,
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
    results: ResultsOption = None,
    text_column: TextColumnOption = None,
    id_column: IdColumnOption = None,
    label_column: LabelColumnOption = None,
    document_column: DocumentColumnOption = None,
    separator: SeparatorOption = None,
    skip_empty: SkipEmptyOption = False,
) -> None:
    """Say above which cosine two different texts of a corpus are a rare pair, and list such pairs.

    One pair in 10^3, 10^4, 10^5, with intervals over documents; how many pairs lie above .8, .9,
    .95; with known duplicates, the threshold of a wanted precision, held out.
    `embspace threshold posts.csv --results thresholds`
    """
    with clear_errors():
        from embspace.app.practice.threshold import threshold as threshold_of

        answer = threshold_of(
            corpus,
            **of_model(model, layer, pooling, vectors),
            reading=reading_of(
                *(text_column, id_column, label_column, document_column),
                separator=separator,
                skip_empty=skip_empty,
            ),
            known=known,
            precision=precision,
            texts=texts,
            all_layers=layers,
        )
        show(answer, results)
