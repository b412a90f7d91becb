"""Commands on texts: a sample of a Wikipedia."""

from typing import Annotated

import typer

from embspace.app.cli.places import at_own_root


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

    Title, page id and latest revision of each stand there, and pin the texts. Each article is
    read once, to leave out those without a paragraph.
    """
    from embspace.app.sample import sample_pages

    with at_own_root():
        for remark in sample_pages(corpus, n_pages=n_pages, seed=seed, largest_id=largest_id):
            typer.echo(remark)
