"""Options that several commands share: model, layer, pooling, corpus."""

from typing import Annotated

import typer

OldModelOption = Annotated[
    str | None, typer.Option("--model", help="As before; now the first word.", hidden=True)
]
MODEL_HELP = "A name in conf/model/, or that of a report, or a folder that has one"
LayerOption = Annotated[
    int, typer.Option("--layer", help="From 0, the embedding output, to L; -1 is the last.")
]
POOLINGS = (
    "cls, mean, max, last, weightedmean, mean_sqrt_len_tokens, first_last (the mean of layer 1 and "
    "the last), or sentence, what the makers of a sentence model take."
)
PoolingOption = Annotated[str, typer.Option("--pooling", help=POOLINGS)]
BestPoolingOption = Annotated[
    str | None,
    typer.Option(
        "--pooling",
        help=f"{POOLINGS} Without it: sentence if there, else last of a decoder, else mean.",
    ),
]
CorpusOption = Annotated[
    str | None,
    typer.Option(
        "--corpus",
        help="A file of texts, one of conf/corpus/, or for a report the name of its texts. Without "
        "it: `articles` if params.yaml names it, else the first there.",
    ),
]
