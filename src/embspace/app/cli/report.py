"""Command `embspace report`: the page of a model, a run, a pair or a corpus."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from embspace.app.cli.shared.failures import clear_errors
from embspace.app.cli.shared.given import (
    AllowUnusedOption,
    TokenizerOption,
    given_of,
    options_given,
)
from embspace.app.cli.shared.jobs import JobsOption, end_on_signals
from embspace.app.cli.shared.reading import (
    DocumentColumnOption,
    IdColumnOption,
    LabelColumnOption,
    SeparatorOption,
    SkipEmptyOption,
    TextColumnOption,
    reading_of,
)
from embspace.errors import InputError

OF_PAGES = ("single_file", "no_open")  # options of `report` without a model
CorporaOption = Annotated[
    list[str] | None,
    typer.Option(
        "--corpus",
        help="Texts for the model to read: .txt, .csv, .tsv, .jsonl, .json, .parquet, also "
        ".gz, a folder of `save_to_disk`, or one of conf/corpus/. More than once: each is a "
        "corpus beside the others. Without it, the corpora of params.yaml.",
        metavar="FILE",
    ),
]


def report(
    context: typer.Context,
    model: Annotated[
        str | None,
        typer.Argument(
            help="One that `embspace models` lists, a folder, or a repository owner/name; or a "
            "run, a pair or a corpus, of which the page shows what is computed."
        ),
    ] = None,
    corpus: CorporaOption = None,
    text_column: TextColumnOption = None,
    id_column: IdColumnOption = None,
    label_column: LabelColumnOption = None,
    document_column: DocumentColumnOption = None,
    separator: SeparatorOption = None,
    skip_empty: SkipEmptyOption = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="First numbers of each layer alone, in a minute.")
    ] = False,
    layers: Annotated[
        bool,
        typer.Option(
            "--layers",
            help="Also what a layer owes to context, holds of the others, and their maps. "
            "Directions, spectrum and dimension by layer are part of every report of your texts.",
        ),
    ] = False,
    attention: Annotated[
        bool, typer.Option("--attention", help="Also heads, the order of words, and the blocks.")
    ] = False,
    parameters: Annotated[
        bool, typer.Option("--parameters", help="Also the weights, read as words.")
    ] = False,
    stimuli: Annotated[
        bool,
        typer.Option(
            "--stimuli",
            help="Also the words and sentences of embspace, or your study's, where your texts or "
            "your model are in another language than English; else they are part of the report.",
        ),
    ] = False,
    no_maps: Annotated[
        bool, typer.Option("--no-maps", help="Leave out the maps, which run last.")
    ] = False,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Leave the browser alone; say where the page is.")
    ] = False,
    is_all: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Of a model: every analysis, with all draws and nulls. Without one: pages of all "
            "that is computed, and a list of them.",
        ),
    ] = False,
    n_untrained: Annotated[
        int,
        typer.Option(
            "--untrained",
            help="With --all on your own texts: how many networks of the same architecture with "
            "random weights are asked the claims of publications, too; 0 for none. What they take "
            "is told before the run.",
            metavar="N",
            min=0,
        ),
    ] = 3,
    single_file: Annotated[
        bool,
        typer.Option(
            "--single-file",
            help="Put the files behind the figures into the page; of a run, a pair, a corpus.",
        ),
    ] = False,
    allow_unused: AllowUnusedOption = None,
    tokenizer: TokenizerOption = None,
    jobs: JobsOption = None,
) -> None:
    """Fetch a model, analyze it, and open a page of figures and tables that fills meanwhile.

    Prints the cost first. Neither params.yaml nor results/ changes. Earlier results are taken from
    the cache, and an interrupted report goes on when the command is called again.
    """
    from embspace.app.describe.names import placed
    from embspace.app.report import write_report
    from embspace.app.reporting.subject import describe_subject
    from embspace.settings.roots import find_root

    end_on_signals()
    say, here = partial(typer.echo, err=quick), Path.cwd()
    reading = reading_of(
        *(text_column, id_column, label_column, document_column),
        separator=separator,
        skip_empty=skip_empty,
    )
    named = {"layers": layers, "attention": attention, "parameters": parameters}
    named |= {"stimuli": stimuli, "all": is_all, "no-maps": no_maps}
    options = [option for option, is_given in named.items() if is_given]
    with clear_errors():
        if quick and (options or jobs):
            raise InputError(f"--quick: found beside --{[*options, 'jobs'][0]}, allowed: without")
        if quick and corpus and len(corpus) > 1:
            raise InputError(f"--quick: reads one corpus, found {len(corpus)}")
        root, given = find_root(), given_of(allow_unused, tokenizer)
        made = _page_of_tree(root, model, options_given(context))
        shown = Shown(root, here, may_open=not no_open)
        if made is None:
            typed = model or ""
            place = placed(typed, root, here)
            with _with_other_names(root, typed):
                subject = describe_subject(
                    *(typed, corpus, say),
                    options=options,
                    reading=reading,
                    n_untrained=n_untrained,
                    **given,
                )
            with chdir(root):
                if quick:
                    from embspace.app.queries.quick import write_quick
                    from embspace.app.report import fetch_model

                    fetch_model(subject, say)
                    made, table = write_quick(subject, place, root)
                    typer.echo(table)
                else:
                    made = write_report(subject, say, jobs, shown)
        shown(made)
    typer.echo(shown.page)


class Shown:
    """Opens a page the first time that it is written, and prints where it is."""

    def __init__(self, root: Path, here: Path, *, may_open: bool) -> None:
        self._root, self._here = root, here
        self._may_open = may_open and sys.stdout.isatty() and has_display()
        self.page = ""

    def __call__(self, made: Path) -> None:
        """Put a page of the study in the cache beside the caller; print and open the first one."""
        from embspace.app.report import beside

        page = os.path.relpath(beside(made, self._root, self._here), self._here)
        if not self.page:
            typer.echo(f"page: {page}", err=True)
            if self._may_open:
                typer.launch(str(self._here / page))
        self.page = page


def has_display() -> bool:
    """Return whether a browser could open a window here."""
    is_windowed = sys.platform in ("darwin", "win32")
    return is_windowed or any(os.environ.get(key) for key in ("DISPLAY", "WAYLAND_DISPLAY"))


def _page_of_tree(root: Path, typed: str | None, given: dict[str, str]) -> Path | None:
    """Write the page of a run, a pair or a corpus, or all pages; return None for other names.

    `given` are the options on the command line; options that have no use for the page are refused.

    Raises:
        InputError: if neither a name nor --all is given, or if an option has no use, naming it.
    """
    from embspace.app.page.names import names_of

    is_all, is_single = "is_all" in given, "single_file" in given
    if not is_all and typed is None:
        raise InputError("a name: found none, allowed: a name, or else --all")
    named = names_of(root).get(typed) if typed is not None else None
    if typed is not None and (named is None or named.kind == "model"):
        if is_single:
            raise InputError("--single-file: found with a model, allowed: a run, a pair, a corpus")
        return None
    pages = "all pages" if named is None else f"the {named.kind} '{named.name}'"
    allowed = OF_PAGES if named else (*OF_PAGES, "is_all")
    if unused := [option for name, option in given.items() if name not in allowed]:
        raise InputError(
            f"{unused[0]}: found beside {pages}, allowed: with a model; what is computed is shown, "
            "and nothing is computed for it"
        )
    from embspace.app.page.overview import write_all, write_named

    if named is None:
        return write_all(root, is_single=is_single)
    return write_named(root, named, is_single=is_single)


@contextmanager
def _with_other_names(root: Path, typed: str) -> Iterator[None]:
    """Name runs, pairs and corpora, too, in the error about a word that is no model's name."""
    from embspace.app.page.names import names_of, unknown

    try:
        yield
    except InputError as error:
        is_word = re.fullmatch(r"[\w.-]+", typed) and not Path(typed).exists()
        if not is_word or typed in names_of(root):
            raise
        raise InputError(f"{error}{unknown(typed, root)}") from error.__cause__
