"""Options that say of a model what its files do not."""

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
    """Return the argument `given` of what describes a model; nothing where nothing is said.

    Raises:
        InputError: if the tokenizer is no folder.
    """
    if not allow_unused and tokenizer is None:
        return {}
    from embspace.app.describe import given_keys

    return {"given": given_keys(allow_unused, tokenizer)}
