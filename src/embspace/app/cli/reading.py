"""Gives the options that say how a file of texts is read, for all commands that take one."""

from typing import Annotated, Any, Literal

import typer

TextColumnOption = Annotated[
    str | None, typer.Option("--text-column", help="Of the file; without it, `text`.")
]
LabelColumnOption = Annotated[
    str | None,
    typer.Option("--label-column", help="Of the file; without it, such as `label` or `topic`."),
]
DocumentColumnOption = Annotated[
    str | None,
    typer.Option(
        "--document-column",
        help="Of the file: what belongs together, the unit of folds and intervals, such as an "
        "author; without it, `document`, or each text by itself.",
    ),
]
SeparatorOption = Annotated[
    str | None,
    typer.Option("--separator", help=r"Of cells, such as ; or \t; without it, a comma or tab."),
]
IdColumnOption = Annotated[
    str | None,
    typer.Option("--id-column", help="Of the file; without it, `id`, or the row's number."),
]
HeaderOption = Annotated[
    Literal["yes", "no"] | None,
    typer.Option(
        "--header",
        help="Whether the first row of a .csv of vectors has names; without it, as it shows.",
    ),
]
SkipEmptyOption = Annotated[
    bool, typer.Option("--skip-empty", help="Leave out rows of the file without a text.")
]


def reading_of(separator: str | None, *, skip_empty: bool, **columns: str | None) -> dict[str, Any]:
    r"""Return what was asked for, by keys of a description in conf/corpus/; \\t is a tab."""
    tab = separator and separator.replace(r"\t", "\t")
    given = {**columns, "separator": tab, "skip_empty": skip_empty or None}
    return {key: value for key, value in given.items() if value is not None}


def header_of(header: str | None) -> bool | None:
    """Return whether a first row has names, None if nothing was said."""
    return None if header is None else header == "yes"
