"""Commands that read the parameters of a model as words: read, lookup."""

from typing import Annotated, Literal

import typer

from embspace.app.cli.shared.failures import clear_errors
from embspace.app.cli.shared.model_first import model_and_words
from embspace.app.cli.shared.options import MODEL_HELP, OldModelOption
from embspace.app.cli.shared.places import at_texts
from embspace.errors import InputError, visible

Number = int | None


def read(
    model: Annotated[
        str, typer.Argument(help="One of `embspace models`, a folder, or that of a report.")
    ],
    layer: Annotated[int, typer.Option("--layer", help="From 1 to L.")],
    value: Annotated[
        Number, typer.Option("--value", help="A value vector of the MLP, from 0.")
    ] = None,
    key: Annotated[Number, typer.Option("--key", help="A key vector of the MLP.")] = None,
    gate: Annotated[Number, typer.Option("--gate", help="A gate of a gated MLP.")] = None,
    up: Annotated[Number, typer.Option("--up", help="A factor of a gated MLP.")] = None,
    query: Annotated[Number, typer.Option("--query", help="A row of attention's queries.")] = None,
    attention_key: Annotated[
        Number, typer.Option("--attention-key", help="A row of its keys.")
    ] = None,
    attention_value: Annotated[
        Number, typer.Option("--attention-value", help="A row of its values.")
    ] = None,
    attention_output: Annotated[
        Number, typer.Option("--attention-output", help="A row of its outputs.")
    ] = None,
    head: Annotated[
        Number, typer.Option("--head", help="From 1; numbers of rows then count inside it.")
    ] = None,
    top: Annotated[int, typer.Option("--top", help="How many words to list.", min=1)] = 10,
    inverse: Annotated[
        Literal["transpose", "pseudo_inverse"],
        typer.Option("--inverse", help="Of the embedding matrix, by which a vector is read."),
    ] = "transpose",
    norm_scale: Annotated[
        bool, typer.Option("--norm-scale", help="With the gain of the norm between.")
    ] = False,
    masked_head: Annotated[
        bool, typer.Option("--masked-head", help="Through the head that predicts masked words.")
    ] = False,
) -> None:
    """Print the words that one vector of a model's weights reads or writes, and its negation's.

    No text is needed. `embspace read minilm --layer 3 --value 117`
    """
    from embspace.app.queries.read import ReadOptions, read_vector

    given = {
        "value": value,
        "key": key,
        "gate": gate,
        "up": up,
        "query": query,
        "attention-key": attention_key,
        "attention-value": attention_value,
        "attention-output": attention_output,
    }
    chosen = [(option, number) for option, number in given.items() if number is not None]
    with at_texts(model) as name:
        if len(chosen) != 1:
            named = ", ".join(f"--{option}" for option, _ in chosen) or "none"
            raise InputError(f"a vector: found {named}, allowed: one of --{', --'.join(given)}")
        option, number = chosen[0]
        reading = read_vector(
            name, layer, option, number, head, ReadOptions(inverse, norm_scale, masked_head, top)
        )
    typer.echo(visible(str(reading)))


def lookup(
    words: Annotated[
        list[str],
        typer.Argument(
            help=f"{MODEL_HELP}; and words, each a token of its vocabulary.",
            metavar="MODEL WORD...",
        ),
    ],
    model: OldModelOption = None,
    top: Annotated[int, typer.Option("--top", help="How many vectors to list.", min=1)] = 10,
) -> None:
    """List the vectors of a model's MLPs that are nearest to words: values, then keys.

    Nearest by the dot product with the words' mean embedding, less the mean of all. Beside each
    vector stand the words nearest to it.
    `embspace lookup minilm python java`
    """
    from embspace.app.queries.read import FOUND_HEADER, look_up

    with clear_errors():
        named, wanted = model_and_words("lookup", words, model, "WORD")
    with at_texts(named) as name:
        vectors_by_group = look_up(wanted, name, top)
    for group, vectors in vectors_by_group.items():
        typer.echo(f"{group.removeprefix('feed_forward_')}s\n{FOUND_HEADER}")
        for vector in vectors:
            typer.echo(visible(str(vector)))
