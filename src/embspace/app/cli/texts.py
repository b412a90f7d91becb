"""Commands on texts: a sample of a Wikipedia, the layer that serves best for texts of yours."""

import shlex
from contextlib import chdir
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from embspace.app.cli.shared.failures import clear_errors
from embspace.app.cli.shared.given import AllowUnusedOption, TokenizerOption, given_of
from embspace.app.cli.shared.model_first import USUAL
from embspace.app.cli.shared.options import OldModelOption
from embspace.app.cli.shared.places import at_own_root
from embspace.app.cli.shared.reading import (
    DocumentColumnOption,
    IdColumnOption,
    LabelColumnOption,
    SeparatorOption,
    SkipEmptyOption,
    TextColumnOption,
    reading_of,
)
from embspace.errors import InputError, visible
from embspace.settings.params import CONF
from embspace.settings.roots import find_root


def _is_texts(word: str) -> bool:
    """Return whether a word is a file of texts or a corpus, which stood first in older calls."""
    return (
        Path(word).is_file()
        or bool(Path(word).suffix)
        or (find_root() / CONF / "corpus" / f"{word}.yaml").is_file()
    )


def sample(
    corpus: Annotated[str, typer.Argument(help="Of conf/corpus/, with `source: wikipedia`.")],
    n_pages: Annotated[int, typer.Option("--n-pages", help="How many articles.", min=1)],
    seed: Annotated[int, typer.Option("--seed", help="Another one draws others.", min=0)],
    largest_id: Annotated[
        int | None,
        typer.Option(
            "--largest-id",
            help="Draw among the page ids up to this; without it, up to the wiki's newest page.",
            min=1,
        ),
    ] = None,
) -> None:
    """Draw articles of a Wikipedia, and write them to the corpus's file of pages.

    The file lists title, page id and latest revision of every article, which pins the texts. Each
    article is read once, to leave out those without a paragraph.
    """
    from embspace.app.sample import sample_pages

    with at_own_root():
        for remark in sample_pages(corpus, n_pages=n_pages, seed=seed, largest_id=largest_id):
            typer.echo(remark)


def layer(
    model: Annotated[
        str, typer.Argument(help="One of `embspace models`, a folder, or owner/name.")
    ],
    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus",
            help="A file of texts, as `embspace report` takes, or one of conf/corpus/.",
            metavar="FILE",
        ),
    ] = None,
    old_model: OldModelOption = None,
    label_column: LabelColumnOption = None,
    document_column: DocumentColumnOption = None,
    text_column: TextColumnOption = None,
    id_column: IdColumnOption = None,
    separator: SeparatorOption = None,
    skip_empty: SkipEmptyOption = False,
    allow_unused: AllowUnusedOption = None,
    tokenizer: TokenizerOption = None,
) -> None:
    """Say which layer and pooling of a model serve best on texts: for search, labels, clusters.

    Ranked, with intervals of the difference from the last layer, beside random weights and words
    alone, and a sentence for a paper. A text of four sentences or more is cut in two for search.
    """
    from embspace.app.reporting.subject import describe_subject

    say = partial(typer.echo, err=True)
    reading = reading_of(
        *(text_column, id_column, label_column, document_column),
        separator=separator,
        skip_empty=skip_empty,
    )
    with clear_errors():
        given = given_of(allow_unused, tokenizer)
        if old_model is not None and corpus is not None:
            raise InputError("--model: found beside MODEL, allowed: MODEL alone, in front")
        if corpus is None and old_model is None and not _is_texts(model):
            raise InputError(
                "--corpus: found none, allowed: a file of texts or one of conf/corpus/"
            )
        if corpus is None:  # as before: the corpus first, and the model by its option
            corpus, model = model, old_model or USUAL
            say(f"the model comes first: embspace layer {model} --corpus {shlex.quote(corpus)}")
        subject = describe_subject(model, corpus, say, reading=reading, **given)
        from embspace.app.layer import choose_layer

        place = str(Path(corpus).absolute()) if subject.own else corpus
        with chdir(find_root()):
            advice = choose_layer(subject, place, say)
    typer.echo(visible(advice))
