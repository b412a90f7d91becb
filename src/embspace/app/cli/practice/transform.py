"""The command on changes of coordinates: transform."""

from pathlib import Path
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
from embspace.errors import InputError


def transform(
    corpus: CorpusArgument,
    model: ModelOption = None,
    layer: LayerOption = -1,
    pooling: UsualPoolingOption = None,
    vectors: VectorsOption = None,
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
    results: ResultsOption = None,
    text_column: TextColumnOption = None,
    id_column: IdColumnOption = None,
    label_column: LabelColumnOption = None,
    document_column: DocumentColumnOption = None,
    separator: SeparatorOption = None,
    skip_empty: SkipEmptyOption = False,
) -> None:
    """Say whether centering, whitening and their kin help on a corpus, and write the change.

    What they do to search by halves of texts, neighbors of one label, hubness and mean cosine, each
    beside the raw vectors, with paired intervals over documents.
    `embspace transform posts.csv --save change.npz`
    """
    with clear_errors():
        if change is not None and save is None:
            raise InputError("--change: found without --save, allowed: with it")
        from embspace.app.practice.transform import transform as transform_of

        answer = transform_of(
            corpus,
            **of_model(model, layer, pooling, vectors),
            reading=reading_of(
                *(text_column, id_column, label_column, document_column),
                separator=separator,
                skip_empty=skip_empty,
            ),
        )
        if save is not None:
            answer.save_change(save, change)
        show(answer, results)
