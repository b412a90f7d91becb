"""Options that commands on a corpus share: the model, and what the answer is written to."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from embspace.app.cli.results import POOLINGS
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


def of_model(
    model: str | None, layer: int, pooling: str | None, vectors: str | None
) -> Mapping[str, Any]:
    """Return the arguments that every question on a corpus takes."""
    return {"model": model, "layer": layer, "pooling": pooling, "vectors": vectors}


def show(answer: "Answer", folder: Path | None) -> None:
    """Print an answer, and write its tables if a folder is named."""
    if folder is not None:
        answer.save(folder)
    typer.echo(visible(str(answer)))
    if folder is not None:
        typer.echo(f"tables in {folder}", err=True)
