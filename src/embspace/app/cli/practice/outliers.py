"""The command on texts that are far from all others: outliers."""

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
    SeparatorOption,
    SkipEmptyOption,
    TextColumnOption,
    reading_of,
)
from embspace.app.cli.results import LayerOption


def outliers(
    corpus: CorpusArgument,
    of: Annotated[
        str | None,
        typer.Option("--of", help="Texts or vectors to judge; without it, the corpus's own."),
    ] = None,
    model: ModelOption = None,
    layer: LayerOption = -1,
    pooling: UsualPoolingOption = None,
    vectors: VectorsOption = None,
    neighbors: Annotated[
        int, typer.Option("--neighbors", help="Nearest texts that count.", min=1)
    ] = 10,
    results: ResultsOption = None,
    text_column: TextColumnOption = None,
    id_column: IdColumnOption = None,
    document_column: DocumentColumnOption = None,
    separator: SeparatorOption = None,
    skip_empty: SkipEmptyOption = False,
) -> None:
    """Say which texts are off a corpus, and what they are.

    Distance to the nearest texts, its percentile among the corpus's own, a p-value, and outliers
    at a false discovery rate of 5 %, with length, script, unknown tokens and copies beside.
    `embspace outliers posts.csv --of new.csv`
    """
    with clear_errors():
        from embspace.app.practice.outliers import outliers as outliers_of

        answer = outliers_of(
            corpus,
            of=of,
            **of_model(model, layer, pooling, vectors),
            reading=reading_of(
                *(text_column, id_column, None, document_column),
                separator=separator,
                skip_empty=skip_empty,
            ),
            k=neighbors,
        )
        show(answer, results)
