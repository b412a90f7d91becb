"""The command that writes which claims of the thesis hold for a model."""

import os
from pathlib import Path
from typing import Annotated

import typer

from embspace.app.cli.shared.failures import clear_errors
from embspace.app.cli.shared.places import at_model
from embspace.errors import InputError, visible
from embspace.files.atomic import writing


def thesis(
    model: Annotated[str, typer.Argument(help="One whose ledger is computed.")],
    write: Annotated[
        Path | None, typer.Option("--write", help="A file for the page.", metavar="FILE.md")
    ] = None,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="Keep verdicts and answers in data/published/, where ledgers and pages of others "
            "find them; of a model with random weights, what holds before training.",
        ),
    ] = False,
    draws: Annotated[
        list[str] | None,
        typer.Option(
            "--draw",
            help="With --keep: a further draw of the same random weights, kept in the same table.",
            metavar="MODEL",
        ),
    ] = None,
) -> None:
    """Print which claims of the thesis hold for a model, as Markdown.

    embspace thesis minilm --write thesis.md
    """
    from embspace.app.open_questions import keep_answers
    from embspace.app.thesis import thesis_page
    from embspace.app.untrained import check_draws
    from embspace.published.untrained import keep_verdicts

    target = write.resolve() if write else None
    with clear_errors(), at_model(model, own=keep) as name:
        if keep and write:
            raise InputError("--keep and --write: found both, allowed: one of them")
        if draws and not keep:
            raise InputError("--draw: found without --keep, allowed: with it")
        check_draws(name, draws or ())
        if keep:
            typer.echo(keep_verdicts(name, Path("results"), draws or ()))
            if answers := keep_answers(name):
                typer.echo(answers)
            return
        up = _way_up(target.parent) if target else "."
        page = thesis_page(name, up=up)
        if target is None:
            typer.echo(page)
            return
        with writing(target) as partial:
            partial.write_text(page, encoding="utf-8")
    typer.echo(visible(os.path.relpath(target)))


def _way_up(folder: Path) -> str:
    """Return the way from a folder to the current tree, for links."""
    tree = Path.cwd()
    if not folder.is_relative_to(tree):
        return tree.as_posix()
    return "/".join([".."] * len(folder.relative_to(tree).parts)) or "."
