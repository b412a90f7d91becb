"""Options that commands on a corpus share: the model, and the files for the answer."""

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from embspace.app.cli.shared.failures import clear_errors
from embspace.app.cli.shared.options import POOLINGS, LayerOption
from embspace.app.cli.shared.reading import (
    DocumentColumnOption,
    IdColumnOption,
    LabelColumnOption,
    SeparatorOption,
    SkipEmptyOption,
    TextColumnOption,
    reading_of,
)
from embspace.errors import visible

if TYPE_CHECKING:
    from embspace.app.practice.answers import Answer

CorpusArgument = Annotated[
    str,
    typer.Argument(
        help="Texts, .txt, .csv, .tsv, .jsonl, .json, .parquet, or one of conf/corpus/; or "
        "vectors, .npy, .npz, .safetensors, a .parquet of lists.",
        metavar="CORPUS",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model", help="A name in conf/model/, a folder, or owner/name; without it, minilm."
    ),
]
VectorsOption = Annotated[
    str | None,
    typer.Option(
        "--vectors",
        help="A vector for each text, computed elsewhere, in the order of the texts; in the place "
        "of a model.",
        metavar="FILE",
    ),
]
UsualPoolingOption = Annotated[
    str | None,
    typer.Option("--pooling", help=f"{POOLINGS} Without it, the usual one of the model."),
]
ResultsOption = Annotated[
    Path | None,
    typer.Option("--results", help="Write the tables, as .csv, to this folder.", metavar="DIR"),
]


def on_corpus(
    answer_of: Callable[..., "Answer"], *, with_labels: bool = True
) -> Callable[..., None]:
    """Return a command with the options that all questions on a corpus share.

    `answer_of` takes the corpus and its reading options as one mapping, then options of its own;
    the command shows the answer that it returns. `with_labels` says whether labels are of use.
    """
    _, *own = inspect.signature(answer_of).parameters.values()
    corpus, *shared = (
        parameter
        for parameter in inspect.signature(_shared).parameters.values()
        if with_labels or parameter.name != "label_column"
    )

    @wraps(answer_of)
    def command(**options: Any) -> None:
        own_options = {parameter.name: options.pop(parameter.name) for parameter in own}
        results = options.pop("results")
        with clear_errors():
            show(answer_of(_shared(**options), **own_options), results)

    parameters = [corpus, *own, *shared]
    vars(command)["__signature__"] = inspect.Signature(parameters)
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def _shared(
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
) -> dict[str, Any]:
    """Return the arguments of a question on a corpus; `results` is for the command alone."""
    reading = reading_of(
        *(text_column, id_column, label_column, document_column),
        separator=separator,
        skip_empty=skip_empty,
    )
    place = {"model": model, "layer": layer, "pooling": pooling, "vectors": vectors}
    return {"corpus": corpus, "reading": reading, **place}


def show(answer: "Answer", folder: Path | None) -> None:
    """Print an answer, and write the tables if a folder is named."""
    if folder is not None:
        answer.save(folder)
    typer.echo(visible(str(answer)))
    if folder is not None:
        typer.echo(f"tables in {folder}", err=True)
