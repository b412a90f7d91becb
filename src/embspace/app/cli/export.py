"""The command that writes a space for other tools: export."""

import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer

from embspace.app.cli.shared.failures import clear_errors
from embspace.app.cli.shared.given import options_given
from embspace.app.cli.shared.model_first import model_first
from embspace.app.cli.shared.options import (
    MODEL_HELP,
    CorpusOption,
    LayerOption,
    OldModelOption,
    PoolingOption,
)
from embspace.app.cli.shared.places import at_texts, placed_texts
from embspace.app.cli.shared.reading import HeaderOption, SeparatorOption, header_of
from embspace.app.homes import expanded
from embspace.errors import InputError, visible

# What each kind of space is asked for by, beside the folder and the tool.
USED = {
    "file": {"labels", "header", "separator"},
    "input": {"model"},
    "positional": {"model"},
    "segment": {"model"},
    "tokens": {"model", "corpus", "layer"},
    "texts": {"model", "corpus", "layer", "pooling"},
}


def export(
    context: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(
            help=f"{MODEL_HELP}; and its space: input, positional or segment; texts or tokens, of "
            "a corpus. Or a file of vectors alone.",
            metavar="MODEL SPACE",
        ),
    ],
    to: Annotated[
        Literal["parquet", "embedding-atlas", "projector", "datamapplot"],
        typer.Option(
            "--to",
            metavar="TOOL",
            help="parquet, embedding-atlas, projector or datamapplot.",
        ),
    ],
    model: OldModelOption = None,
    corpus: CorpusOption = None,
    layer: LayerOption = -1,
    pooling: PoolingOption = "mean",
    labels: Annotated[
        Path | None, typer.Option("--labels", help="A table that names the rows of your vectors.")
    ] = None,
    header: HeaderOption = None,
    separator: SeparatorOption = None,
    folder: Annotated[Path, typer.Option("--folder", help="Where files are written.")] = Path(),
) -> None:
    """Write a space and what its rows are as files for another tool, and say what opens them.

    `embspace export minilm input --to projector`,
    `embspace export minilm texts --to parquet --layer 4`
    """
    from embspace.app.export.formats import export_space
    from embspace.app.export.spaces import (
        LEARNED,
        OF_TEXTS,
        learned_space,
        own_space,
        texts_space,
        tokens_space,
    )
    from embspace.app.queries.corpus_space import corpus_of

    with clear_errors():
        target, texts = expanded(folder).absolute(), placed_texts(corpus)
        named, space = _named_space(words, model)
        if space in USED or Path(space).suffix:
            _refuse_unused(context, space)
    if space not in (*LEARNED, *OF_TEXTS):
        with clear_errors():
            if not Path(space).suffix:
                allowed = f"{', '.join((*LEARNED, *OF_TEXTS))}, or a file of vectors"
                raise InputError(f"space: found '{space}', allowed: {allowed}")
            own = own_space(Path(space), labels, header=header_of(header), separator=separator)
            lines = export_space(own, to, target)
    else:
        with at_texts(named) as name:
            if space == "texts":
                exported = texts_space(name, corpus_of(texts), layer, pooling)
            elif space == "tokens":
                exported = tokens_space(name, corpus_of(texts), layer)
            else:
                exported = learned_space(name, space)
            lines = export_space(exported, to, target)
    for line in lines:
        typer.echo(visible(line))


def _named_space(words: list[str], model: str | None) -> tuple[str, str]:
    """Return the model, "" beside a file of vectors, and the space or the file.

    Raises:
        InputError: if a model stands beside a file, or the number of words is wrong.
    """
    *before, last = words
    if last in USED or not Path(last).suffix:
        named, (space,) = model_first("export", words, model, ["SPACE"])
        return named, space
    if before:
        raise InputError(f"export: found {shlex.join(before)} beside a file, allowed: {last} alone")
    return "", last


def _refuse_unused(context: typer.Context, space: str) -> None:
    """Stop if an option is given that does not apply to the space.

    Raises:
        InputError: naming the option, and the spaces to which it applies.
    """
    kind = space if space in USED else "file"
    for option in options_given(context):
        if option not in (*USED[kind], "to", "folder"):
            places = [name for name, used in USED.items() if option in used]
            allowed = ", ".join(places).replace("file", "a file of vectors")
            raise InputError(f"--{option}: found beside '{space}', allowed: beside {allowed}")
