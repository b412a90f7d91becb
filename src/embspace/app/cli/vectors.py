"""The command `vectors`: all pairs and neighbors of a matrix of any size, on disk."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from embspace.app.cli.shared.failures import clear_errors
from embspace.app.cli.shared.reading import HeaderOption, SeparatorOption, header_of
from embspace.errors import InputError

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


def vectors(
    file: Annotated[
        Path,
        typer.Argument(
            help="An .npy of a matrix, a vector a row; or another file of vectors, such as .csv or "
            ".parquet, which is read into memory first."
        ),
    ],
    neighbors: Annotated[
        int, typer.Option("--neighbors", help="Nearest rows of each row; 0 for none.", min=0)
    ] = 90,
    bins: Annotated[int, typer.Option("--bins", help="Of each histogram.", min=1)] = 16384,
    memory: Annotated[float, typer.Option("--memory", help="Limit in GB of 10^9 bytes.")] = 2.0,
    header: HeaderOption = None,
    separator: SeparatorOption = None,
    results: Annotated[
        Path | None,
        typer.Option(
            "--results", help="Folder; without it, beside the file and named so.", metavar="DIR"
        ),
    ] = None,
) -> None:
    """Count distances, dot products and cosines of all pairs of vectors, and find all neighbors.

    Exact, within a limit of memory. `embspace vectors vocabulary.npy --memory 2`
    """
    from embspace.files.formats.endings import stem_of
    from embspace.stream.matrices import matrix_file

    with (
        clear_errors(),
        matrix_file(file, header=header_of(header), separator=separator) as matrix,
    ):
        folder = results or file.with_name(f"{stem_of(file.name)}-pairs")
        if folder.exists() and not folder.is_dir():
            raise InputError(f"--results: found the file {folder}, allowed: a folder")
        from embspace.stream.pairs import Wanted, save_pairs

        wanted = Wanted(bins, neighbors, QUANTILES, memory)
        save_pairs(matrix, folder, wanted, partial(typer.echo, err=True))
    typer.echo(f"tables and graph in {folder}")
