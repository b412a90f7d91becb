"""Tells which options are given, among them those for facts that a model's files lack."""

from typing import Annotated, Any

import typer

AllowUnusedOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-unused",
        help="Tensors, or keys of config.json, that may be left out; * for any characters. "
        "Once for each pattern.",
        metavar="PATTERN",
    ),
]
TokenizerOption = Annotated[
    str | None,
    typer.Option(
        "--tokenizer",
        help="The folder of the tokenizer, where the model's has none, as a Trainer's checkpoint.",
        metavar="FOLDER",
    ),
]


def given_of(allow_unused: list[str] | None, tokenizer: str | None) -> dict[str, Any]:
    """Return the argument `given` of functions that describe a model; empty without an option.

    Raises:
        InputError: if the tokenizer is no folder.
    """
    if not allow_unused and tokenizer is None:
        return {}
    from embspace.app.describe.given import given_keys

    return {"given": given_keys(allow_unused, tokenizer)}


def options_given(context: typer.Context) -> dict[str, str]:
    """Return the options on the command line by argument, each in its first spelling."""
    return {
        str(option.name): option.opts[0]
        for option in context.command.params
        if option.name
        and option.opts[0].startswith("--")
        and getattr(context.get_parameter_source(option.name), "name", "") == "COMMANDLINE"
    }
