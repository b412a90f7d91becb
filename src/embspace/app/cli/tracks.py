"""The command that follows the tokens of a text through a model: track."""

from typing import Annotated, Literal

import typer

from embspace.app.cli.shared.failures import clear_errors
from embspace.app.cli.shared.model_first import model_first
from embspace.app.cli.shared.options import MODEL_HELP, OldModelOption
from embspace.app.cli.shared.places import at_texts
from embspace.errors import visible


def track(
    words: Annotated[
        list[str],
        typer.Argument(
            help=f"{MODEL_HELP}; and a text that fits into one window of it.", metavar="MODEL TEXT"
        ),
    ],
    model: OldModelOption = None,
    layer: Annotated[
        int | None,
        typer.Option("--layer", help="From 0, the embedding output, to L; -1 is the last."),
    ] = None,
    token: Annotated[
        str | None, typer.Option("--token", help="A word of the text, or a token as written.")
    ] = None,
    occurrence: Annotated[
        int | None, typer.Option("--occurrence", help="Which of several equal ones, from 1.", min=1)
    ] = None,
    positions: Annotated[
        Literal["none", "own", "first"],
        typer.Option("--positions", help="Whose position vector the vocabulary gets."),
    ] = "none",
    point: Annotated[
        Literal["embedding", "attention_sum", "normed_sum", "output", "as_coded"],
        typer.Option(
            "--point",
            help="Of a block: the sum after attention, its norm, the output; or that sum by "
            "untransposed matrices without biases, as the source computes it.",
        ),
    ] = "output",
    nearness: Annotated[
        Literal["cosine", "euclidean_distance", "head"],
        typer.Option("--nearness", help="By cosine, distance, or the head for masked words."),
    ] = "cosine",
    top: Annotated[int, typer.Option("--top", help="How many tokens to list.", min=1)] = 5,
    no_causal_mask: Annotated[
        bool, typer.Option("--no-causal-mask", help="Let a decoder see later tokens.")
    ] = False,
) -> None:
    """Print by layer how many other embeddings are nearer to each token of a text than its own.

    For one token, or one layer, also prints the cosine and the nearest tokens.
    `embspace track minilm "The cat sat."`
    """
    from embspace.app.queries.track import TrackOptions, track_tokens

    options = TrackOptions(point, positions, nearness, top, not no_causal_mask)
    with clear_errors():
        named, (text,) = model_first("track", words, model, ["TEXT"])
    with at_texts(named) as name:
        tracked = track_tokens(
            text, name, layer=layer, token=token, occurrence=occurrence, options=options
        )
    typer.echo(visible(str(tracked)))
