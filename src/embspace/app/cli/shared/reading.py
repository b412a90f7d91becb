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


def reading_of(
    text_column: str | None,
    id_column: str | None,
    label_column: str | None,
    document_column: str | None,
    *,
    separator: str | None,
    skip_empty: bool,
) -> dict[str, Any]:
    r"""Return the given options, by keys of a description in conf/corpus/; \t is a tab."""
    said = {
        "text_column": text_column,
        "id_column": id_column,
        "group_column": label_column,
        "document_column": document_column,
        "separator": separator and separator.replace(r"\t", "\t"),
        "skip_empty": skip_empty or None,
    }
    return {key: value for key, value in said.items() if value is not None}


def header_of(header: str | None) -> bool | None:
    """Return whether a first row has names, None if nothing was said."""
    return None if header is None else header == "yes"
