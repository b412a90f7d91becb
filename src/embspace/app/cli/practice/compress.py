"""The command on fewer and coarser numbers: compress."""

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


def compress(
    corpus: CorpusArgument,
    model: ModelOption = None,
    layer: LayerOption = -1,
    pooling: UsualPoolingOption = None,
    vectors: VectorsOption = None,
    lost: Annotated[
        float,
        typer.Option("--lost", help="Share of a task that may be lost.", min=0.0001, max=0.9999),
    ] = 0.05,
    results: ResultsOption = None,
    text_column: TextColumnOption = None,
    id_column: IdColumnOption = None,
    label_column: LabelColumnOption = None,
    document_column: DocumentColumnOption = None,
    separator: SeparatorOption = None,
    skip_empty: SkipEmptyOption = False,
) -> None:
    """Say how far vectors of a corpus may be cut or rounded, and what is lost.

    The first m coordinates, m components, m random ones, float16, int8, sign bits with and without
    rescoring: neighbors, search by halves of texts and labels that are kept, with intervals over
    documents, and the smallest setting that surely loses less than a share.
    `embspace compress posts.csv --lost 0.02`
    """
    with clear_errors():
        from embspace.app.practice.compress import compress as compress_of

        answer = compress_of(
            corpus,
            **of_model(model, layer, pooling, vectors),
            reading=reading_of(
                *(text_column, id_column, label_column, document_column),
                separator=separator,
                skip_empty=skip_empty,
            ),
            lost=lost,
        )
        show(answer, results)
