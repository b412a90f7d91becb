"""The command on texts that come up for every query: hubs."""

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


def hubs(
    corpus: CorpusArgument,
    model: ModelOption = None,
    layer: LayerOption = -1,
    pooling: UsualPoolingOption = None,
    vectors: VectorsOption = None,
    results: ResultsOption = None,
    text_column: TextColumnOption = None,
    id_column: IdColumnOption = None,
    label_column: LabelColumnOption = None,
    document_column: DocumentColumnOption = None,
    separator: SeparatorOption = None,
    skip_empty: SkipEmptyOption = False,
) -> None:
    """Say which texts come up for most queries, and what makes such hubs rarer.

    How often a text is among the 10 nearest of others, beside Gaussian clouds of the same
    covariance; what centering, local scaling, mutual proximity and CSLS change, for hubness, for
    search by halves of texts and for neighbors of one label.
    `embspace hubs posts.csv --results hubs`
    """
    with clear_errors():
        from embspace.app.practice.hubs import hubs as hubs_of

        answer = hubs_of(
            corpus,
            **of_model(model, layer, pooling, vectors),
            reading=reading_of(
                *(text_column, id_column, label_column, document_column),
                separator=separator,
                skip_empty=skip_empty,
            ),
        )
        show(answer, results)
