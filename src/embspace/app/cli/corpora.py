"""The command `corpus`: texts beyond memory, on the cores of this machine or on a cluster."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from embspace.app.cli.shared.places import at_own_root
from embspace.app.cli.shared.reading import SeparatorOption
from embspace.settings.find_description import described_in


def corpus(
    corpus: Annotated[
        str,
        typer.Argument(
            help="One of conf/corpus/; or a file, folder or pattern of texts (.parquet, .jsonl, "
            ".csv, .txt, …), on a disk or at an address (s3://…, hf://datasets/OWNER/NAME)."
        ),
    ],
    model: Annotated[str, typer.Option("--model", help="A name in conf/model/.")] = "minilm",
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", help="Address of a dask scheduler; without it, this machine."),
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", help="Processes on this machine.", min=1)
    ] = 1,
    results: Annotated[
        Path | None,
        typer.Option(
            "--results", help="Folder of the tables; without it, in data/streamed/.", metavar="DIR"
        ),
    ] = None,
    shards: Annotated[
        Path | None,
        typer.Option("--shards", help="Folder of finished shards, seen by all.", metavar="DIR"),
    ] = None,
    text_column: Annotated[str, typer.Option("--text-column", help="Of the files.")] = "text",
    id_column: Annotated[
        str | None,
        typer.Option("--id-column", help="Of the files; without it, file and row number."),
    ] = None,
    separator: SeparatorOption = None,
    texts_per_shard: Annotated[
        int | None,
        typer.Option("--texts-per-shard", help="Without it, what gives 16 to 128.", min=1),
    ] = None,
    spaces: Annotated[
        str | None,
        typer.Option("--spaces", help="Of token,cls,mean; without it, what the corpus says."),
    ] = None,
    number_type: Annotated[
        str, typer.Option("--number-type", help="Of the model: float32 or bfloat16.")
    ] = "float32",
    sample: Annotated[
        int, typer.Option("--sample", help="Texts whose vectors stay, about so many.", min=0)
    ] = 4096,
    patience: Annotated[
        float, typer.Option("--patience", help="Seconds to wait for a lost scheduler.", min=0)
    ] = 600,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Read the texts of finished shards again, and compute those anew whose texts are "
            "others; without it, a file that changed is known by size and time.",
        ),
    ] = False,
) -> None:
    """Measure direction, spectrum and dimension of a corpus of any size, while it is read.

    Only the states of a sample are kept. A finished shard is not computed again: the same command
    goes on where the last run ended.
    `embspace corpus articles --workers 2`
    """
    from embspace.app.describe.description import MODELS
    from embspace.stream.sources import check_place

    say = partial(typer.echo, err=True)
    here = Path.cwd()
    place = str(here / corpus) if (here / corpus).exists() else corpus
    results, shards = (None if path is None else path.absolute() for path in (results, shards))
    with at_own_root():  # before what reads and measures is imported, which takes seconds
        check_place(place)
        described_in(MODELS, model)
    from embspace.stream.cluster import Cluster
    from embspace.stream.corpus import Options, stream_corpus

    options = Options(
        model=model,
        text_column=text_column,
        id_column=id_column,
        texts_per_shard=texts_per_shard,
        spaces=None if spaces is None else tuple(space.strip() for space in spaces.split(",")),
        number_type=number_type,
        sample=sample,
        results=results,
        shards=shards,
        separator=separator,
        check=check,
    )
    with at_own_root():
        folder = stream_corpus(place, options, Cluster(scheduler, workers, patience), say)
    typer.echo(f"tables in {folder}")
