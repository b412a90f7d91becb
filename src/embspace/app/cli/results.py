"""Commands that show results: a figure, a search, a cosine, methods, definitions."""

import os
from pathlib import Path
from typing import Annotated

import typer

from embspace.app.cli.shared.failures import clear_errors
from embspace.app.cli.shared.model_first import model_first
from embspace.app.cli.shared.options import (
    MODEL_HELP,
    BestPoolingOption,
    CorpusOption,
    LayerOption,
    OldModelOption,
)
from embspace.app.cli.shared.places import at_model, at_texts, placed_texts
from embspace.errors import InputError, one_line, visible


def figure(
    words: Annotated[
        list[str],
        typer.Argument(
            help="A model or a report, a run, a pair <model>--<other_model>, or toy; and the "
            "analysis, such as helix.",
            metavar="MODEL ANALYSIS",
        ),
    ],
    old_model: Annotated[
        str | None, typer.Option("--of", help="As before; now the first word.", hidden=True)
    ] = None,
    folder: Annotated[Path, typer.Option("--to", help="The folder that takes the files.")] = Path(
        "paper"
    ),
    width_mm: Annotated[
        float, typer.Option("--width-mm", help="Of the figure, or of each panel.", min=60, max=200)
    ] = 170.0,
    panels: Annotated[
        bool, typer.Option("--panels", help="Also write each panel as a file.")
    ] = False,
) -> None:
    """Draw a figure for a paper: no title inside, caption and label in LaTeX.

    Takes the results that exist, and writes PDF, SVG with letters as letters, and .tex with a
    figure environment and the tables. Type keeps its size at any width.
    `embspace figure minilm helix`
    """
    from embspace.app.drawn import check_drawn

    to = folder.absolute()
    with clear_errors():
        name, (noun,) = model_first("figure", words, old_model, ["ANALYSIS"])
    with at_model(name) as of:
        check_drawn(noun, of)
        from embspace.app.paper import write_paper_figure

        files = write_paper_figure(noun, of, to, width_mm, has_panels=panels)
    for file in files:
        typer.echo(visible(os.path.relpath(file)))


def search(
    words: Annotated[
        list[str],
        typer.Argument(help=f"{MODEL_HELP}; and the text to look for.", metavar="MODEL QUERY"),
    ],
    corpus: CorpusOption = None,
    model: OldModelOption = None,
    layer: LayerOption = -1,
    pooling: BestPoolingOption = None,
    top: Annotated[int, typer.Option("--top", help="How many windows to list.", min=1)] = 10,
) -> None:
    """List the windows of a corpus nearest to a query, by cosine.

    For the layer and pooling that find best, see results/search/, measured by `measure_search`.
    """
    from embspace.app.queries.corpus_space import corpus_of
    from embspace.app.queries.search import search as find

    texts = placed_texts(corpus)
    with clear_errors():
        typed, (query,) = model_first("search", words, model, ["QUERY"])
    with at_texts(typed) as name:
        hits = find(name, corpus_of(texts), query, layer=layer, pooling=pooling, n_hits=top)
    for hit in hits:
        name = f"{hit.text}#{hit.window}" if hit.window else hit.text
        typer.echo(visible(f"{hit.cosine:6.3f}  {one_line(visible(name))}\n        {hit.snippet}"))


def cosine(
    words: Annotated[
        list[str],
        typer.Argument(help=f"{MODEL_HELP}; and two texts, or words.", metavar="MODEL TEXT TEXT"),
    ],
    corpus: CorpusOption = None,
    model: OldModelOption = None,
    layer: LayerOption = -1,
    pooling: BestPoolingOption = None,
) -> None:
    """Say how high the cosine of two texts is among all pairs of windows of a corpus.

    Pairs are of different documents. The default corpus is the one in params.yaml whose texts are
    closest to yours in length. Prints the percentile with its interval over documents, z, and the
    same after the mean of all is taken off. For two words that are single tokens, also prints the
    cosine of their input vectors, among all pairs of the vocabulary.
    """
    from embspace.app.queries.corpus_space import check_query, corpus_like
    from embspace.app.queries.cosine import compare_texts

    texts = placed_texts(corpus)
    with clear_errors():
        typed, (first, second) = model_first("cosine", words, model, ["TEXT", "TEXT"])
    with at_texts(typed) as name:
        for text in (first, second):
            check_query(text)
        chosen = texts or corpus_like([first, second])
        comparison = compare_texts(name, chosen, first, second, layer=layer, pooling=pooling)
    typer.echo(visible(str(comparison)))


def cite(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"{MODEL_HELP}; and the analysis, such as helix. Without both, all are listed.",
            metavar="[MODEL ANALYSIS]",
        ),
    ] = None,
    model: OldModelOption = None,
    latex: Annotated[
        bool, typer.Option("--latex", help="The sentences as LaTeX, for natbib.")
    ] = False,
) -> None:
    """Print the method of an analysis in sentences for a paper, and its references as BibTeX.

    Settings come from conf/, numbers from results/: after a change, run `dvc repro` first.
    `embspace cite minilm helix`
    """
    from embspace.app.queries.reported import why_not_there
    from embspace.cite.command import cite as citation_of
    from embspace.cite.facts import NoResults
    from embspace.cite.methods import all_methods
    from embspace.settings.params import read_params

    if not words:
        with clear_errors():
            if latex or model is not None:
                option = "--latex" if latex else "--model"
                raise InputError(f"{option}: found without an analysis, allowed: with one")
        typer.echo("\n".join(all_methods()))
        return
    with clear_errors():
        named, (noun,) = model_first("cite", words, model, ["ANALYSIS"])
    with at_model(named) as name:
        try:
            citation = citation_of(noun, name, latex=latex)
        except NoResults as error:
            if name in read_params().models and (why := why_not_there(name)):
                raise InputError(f"no results of {noun}; {why}") from error
            raise
    for note in citation.notes:
        typer.echo(f"note: {note}", err=True)
    typer.echo(f"{citation.text}\n\n{citation.bibtex}", nl=False)


def define(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A measure, a family, an analysis such as helix, or a word to look for, such as "
            "anisotropy; without it, all measures are listed."
        ),
    ] = None,
) -> None:
    """Define a measure: formula, range, source, invariances, bias, a worked example.

    For an analysis, prints its question, tables and settings; for a family, its measures; for any
    other word, the measures and functions that mention it.

    docs/definitions.md has all measures without the examples, with formulas set.
    """
    from embspace.app.definitions.measures import define as definition_of

    with clear_errors():
        typer.echo(definition_of(name))
