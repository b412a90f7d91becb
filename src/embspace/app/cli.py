"""Console command `embspace`: one function a subcommand, run from the root of a tree."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from embspace.errors import InputError, counted, visible

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # where a line ends in a docstring, none ends on the screen
)


def _print_version(asked: bool) -> bool:
    if asked:
        from importlib.metadata import version

        typer.echo(f"embspace {version('embspace')}")
        raise typer.Exit
    return asked


@app.callback()
def embspace(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Geometry of the embedding spaces of BERT-family models."""


@app.command()
def verify(
    update: Annotated[
        bool, typer.Option("--update", help="Make these results the baseline, and say what moves.")
    ] = False,
    computed: Annotated[
        bool, typer.Option("--computed", help="Fail if git brought a result, not a computation.")
    ] = False,
    results: Annotated[
        Path, typer.Option("--results", help="Folder of the results.", metavar="DIR")
    ] = Path("results"),
    everything: Annotated[
        bool, typer.Option("--all", help="Show also each file and number that agrees.")
    ] = False,
) -> None:
    """Compare the results with the stored baselines and with published numbers.

    Says how many agree, what was not compared and how to have it compared, and what differs.

    Exit code 0 if all is within tolerance, 1 if a number has drifted, is missing, or differs from
    a published one.
    """
    from embspace.verify.command import verify_results

    with clear_errors():
        passed = verify_results(results, update=update, computed=computed, everything=everything)
    raise typer.Exit(0 if passed else 1)


@app.command()
def check() -> None:
    """Read params.yaml and conf/ as the stages will, and say all that does not fit.

    Looks also into the files that they name: those of models are to be the pinned ones, texts and
    stimuli are read. Asks no network.

    Exit code 0 if everything fits, 1 if not.
    """
    from embspace.app.check import check_settings

    with clear_errors():
        problems = check_settings()
    for problem in problems:
        typer.echo(problem, err=True)
    if problems:
        raise typer.Exit(1)
    typer.echo("params.yaml and conf/ fit")


@app.command()
def fetch(
    models: Annotated[list[str], typer.Argument(help="Of conf/model/, with `source: hub`.")],
    update: Annotated[
        bool, typer.Option("--update", help="Take what the branch is now, and say what changed.")
    ] = False,
    checkpoints: Annotated[
        bool,
        typer.Option(
            "--checkpoints",
            help="Also those of the model's training that conf/prepare/checkpoints.yaml chooses.",
        ),
    ] = False,
) -> None:
    """Download models from the model hub, and write to models.lock what they are.

    A model that models.lock has is fetched as it stands there. Everything else works without a
    network. Cache, token, proxies and endpoint: HF_HOME, HF_TOKEN, HTTPS_PROXY, HF_ENDPOINT.
    """
    # The one command that asks the hub; `embspace.models` forbids it unless this is set.
    os.environ.setdefault("HF_HUB_OFFLINE", "")
    from embspace.app.fetch import fetch_models

    with clear_errors():
        for remark in fetch_models(models, update=update, checkpoints=checkpoints):
            typer.echo(remark)


@app.command()
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

    with clear_errors():
        for remark in sample_pages(corpus, n_pages=n_pages, seed=seed, largest_id=largest_id):
            typer.echo(remark)


@app.command()
def models() -> None:
    """List the models that conf/model describes: name, repository, and where the weights are."""
    from embspace.app.models import list_models

    with clear_errors():
        lines = list_models()
    for line in lines:
        typer.echo(line)


@app.command()
def report(
    model: Annotated[
        str,
        typer.Argument(
            help="One that `embspace models` lists, a folder, or a repository owner/name."
        ),
    ],
    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus",
            help="Texts for the model to read: .txt, .csv, .tsv, .jsonl, .json, .parquet, or one "
            "of conf/corpus/. Without it, the corpora of params.yaml.",
            metavar="FILE",
        ),
    ] = None,
    text_column: Annotated[
        str | None, typer.Option("--text-column", help="Of the file; without it, `text`.")
    ] = None,
    separator: Annotated[
        str | None,
        typer.Option("--separator", help="Of cells; without it, a comma, in .tsv a tab."),
    ] = None,
    skip_empty: Annotated[
        bool, typer.Option("--skip-empty", help="Leave out rows of the file without a text.")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Print the first table alone, in less than a minute.")
    ] = False,
    layers: Annotated[
        bool,
        typer.Option(
            "--layers",
            help="Also every measure of every layer, with intervals and nulls; takes longer.",
        ),
    ] = False,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Leave the browser alone; say where the page is.")
    ] = False,
) -> None:
    """Fetch a model, run every analysis of it, and open a page of all figures and tables.

    Neither params.yaml nor results/ change. What was computed before is taken from the cache, and
    a report that was ended goes on when it is called again.
    """
    from embspace.app.report import describe_subject, first_table, write_report
    from embspace.app.working_tree import find_root

    # An end from outside, too, must end the stages that run.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    say, here = partial(typer.echo, err=quick), Path.cwd()
    tab = separator and separator.replace(r"\t", "\t")
    given = {"text_column": text_column, "separator": tab, "skip_empty": skip_empty or None}
    reading = {key: value for key, value in given.items() if value is not None}
    with clear_errors():
        subject = describe_subject(model, corpus, say, layers=layers, reading=reading)
        root = find_root()
        with chdir(root):
            if quick:
                typer.echo(first_table(subject, say))
                return
            page = os.path.relpath(root / write_report(subject, say), here)
    typer.echo(page)
    if not no_open and sys.stdout.isatty():
        typer.launch(page)


@app.command()
def describe(
    model: Annotated[
        str, typer.Argument(help="A folder, a repository owner/name, or one of conf/model/.")
    ],
    write: Annotated[
        bool, typer.Option("--write", help="Write it to conf/model/; without it, print it.")
    ] = False,
) -> None:
    """Find in the files of a model what its description in conf/model/ has to say.

    Those are the learned matrices, the marks of the tokenizer, the window and the final norm. What
    the files do not say stands at the end, with the reason. A repository is fetched.
    """
    from embspace.app.describe import description_of, find_model, write_description
    from embspace.app.working_tree import find_root

    with clear_errors():
        root = find_root()
        found = find_model(model, root, partial(typer.echo, err=True))
        typer.echo(write_description(found, root) if write else description_of(found, root))


@app.command()
def run(
    name: Annotated[
        str | None, typer.Argument(help="An analysis, a chapter, or a stage; without it, all.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="One that params.yaml names; without it, all of them."),
    ] = None,
) -> None:
    """Run what is out of date of an analysis, such as `helix`, or of a chapter and its figures.

    A chapter is a folder of pipeline/. What it needs of other chapters runs before it. What was
    computed before with the same settings comes from DVC's cache.
    """
    from embspace.app.run import run_stages

    with clear_errors():
        code = run_stages(name, model)
    raise typer.Exit(code)


@app.command()
def prune(
    yes: Annotated[bool, typer.Option("--yes", help="Remove them; without it, list them.")] = False,
) -> None:
    """List, or with --yes remove, what is left of models and corpora that params.yaml dropped.

    That is all that was built of them: pins, prepared texts, hidden states, measures and maps in
    data/, tables in results/, figures in figures/. Descriptions in conf/, texts of your own and
    baselines stay. So does what no stage of the graph can have made, which is listed.
    """
    from embspace.app.prune import find_leftovers, remove
    from embspace.settings.params import read_params

    with clear_errors():
        files, others = find_leftovers(read_params())
    for file in others:
        typer.echo(visible(f"{file}: not made by a stage, left alone"))
    for file in files:
        typer.echo(visible(str(file)))
    if yes:
        remove(files)
    hint = "; remove with --yes" if files else ""
    typer.echo(f"{counted(len(files), 'file')} {'removed' if yes else f'left over{hint}'}")


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="The text to look for.")],
    corpus: Annotated[str, typer.Option("--corpus", help="One of `corpora` in params.yaml.")],
    model: Annotated[
        str, typer.Option("--model", help="The name of a file in conf/model/.")
    ] = "minilm",
    layer: Annotated[
        int, typer.Option("--layer", help="From 0, the embedding output, to L; -1 is the last.")
    ] = -1,
    pooling: Annotated[str, typer.Option("--pooling", help="cls, mean or max.")] = "mean",
    top: Annotated[int, typer.Option("--top", help="How many windows to list.", min=1)] = 10,
) -> None:
    """List the windows of a corpus that are most like a query, by cosine.

    Which layer and pooling find best is what `measure_search` measures: results/search/.
    """
    from embspace.app.search import search as find

    with clear_errors():
        hits = find(model, corpus, query, layer=layer, pooling=pooling, n_hits=top)
    for hit in hits:
        name = f"{hit.text}#{hit.window}" if hit.window else hit.text
        typer.echo(visible(f"{hit.cosine:6.3f}  {name}\n        {hit.snippet}"))


@app.command()
def cite(
    noun: Annotated[
        str | None, typer.Argument(help="The analysis, such as helix; without it, all are listed.")
    ] = None,
    model: Annotated[
        str, typer.Option("--model", help="The name of a file in conf/model/.")
    ] = "minilm",
    latex: Annotated[
        bool, typer.Option("--latex", help="The sentences as LaTeX, for natbib.")
    ] = False,
) -> None:
    """Print the method of an analysis in sentences for a paper, and its references as BibTeX.

    Settings are those of conf/, numbers those of results/: after a change, `dvc repro` first.
    """
    from embspace.cite.command import cite as citation_of
    from embspace.cite.methods import all_methods

    if noun is None:
        typer.echo("\n".join(all_methods()))
        return
    with clear_errors():
        citation = citation_of(noun, model, latex=latex)
    for note in citation.notes:
        typer.echo(f"note: {note}", err=True)
    typer.echo(f"{citation.text}\n\n{citation.bibtex}", nl=False)


@app.command()
def define(
    measure: Annotated[
        str | None, typer.Argument(help="Of embspace.geometry; without it, all are listed.")
    ] = None,
) -> None:
    """Say what a measure is: formula, range, source, invariances, bias, a worked example.

    The same is in docs/definitions.md, with formulas set.
    """
    from embspace.app.define import define as definition_of

    with clear_errors():
        typer.echo(definition_of(measure))


@contextmanager
def clear_errors() -> Iterator[None]:
    """An `InputError` as one message and exit code 1, without a traceback."""
    try:
        yield
    except InputError as error:
        typer.echo(visible(f"error: {error}"), err=True)
        raise typer.Exit(1) from None
