"""The command that opens the live app in a browser: app."""

from typing import Annotated

import typer

from embspace.app.cli.shared.failures import clear_errors
from embspace.app.cli.shared.model_first import in_new_order
from embspace.app.cli.shared.options import MODEL_HELP, OldModelOption
from embspace.app.cli.shared.places import at_any_root, at_model
from embspace.errors import InputError


def app(
    model: Annotated[
        str | None,
        typer.Argument(
            help=f"{MODEL_HELP}, with its texts; without it, those of params.yaml.",
            metavar="[MODEL]",
        ),
    ] = None,
    old_model: OldModelOption = None,
    port: Annotated[int, typer.Option("--port", help="Of this machine.", min=1, max=65535)] = 7860,
    host: Annotated[
        str, typer.Option("--host", help="Another than this machine's own needs a --password.")
    ] = "127.0.0.1",
    password: Annotated[
        str | None,
        typer.Option("--password", help="Of the user `embspace`.", envvar="EMBSPACE_PASSWORD"),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            help="A name by which browsers may ask for the app, beside this machine's own "
            "(`localhost`) and that of --host; all others are refused.",
            metavar="NAME",
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-origin",
            help="A site whose pages may ask, such as http://localhost:3000; without it, none "
            "but the app's own.",
            metavar="ORIGIN",
        ),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--proxy",
            help="The address of a proxy whose X-Forwarded-For says who asks; without it, the "
            "limit of requests is that of the address that connects.",
            metavar="ADDRESS",
        ),
    ] = None,
) -> None:
    """Open the live app on this machine: tokens, directions, pairs of texts and a search.

    The app runs in a browser, at the address that the first line names; Ctrl+C ends it. Nothing is
    sent to other machines. The app needs gradio, which `make app` or pip installs.
    """
    from embspace.app.live.doors import guests_of
    from embspace.app.live.server import check_binding, check_installed, open_app

    with clear_errors():
        if model is not None and old_model is not None:
            raise InputError("--model: found beside MODEL, allowed: MODEL alone, in front")
        named = model if old_model is None else in_new_order("app", old_model, ())
    with at_any_root() if named is None else at_model(named) as name:
        check_binding(host, password)
        guests = guests_of(host, allow_host or (), allow_origin or (), proxy or ())
        from embspace.app.live.choices import corpora_to_choose, models_to_choose

        models, corpora = models_to_choose(name), corpora_to_choose()
        check_installed()
        page = open_app(models, corpora, host=host, port=port, password=password, guests=guests)
        typer.echo(f"embspace app: {page.local_url}")
        typer.echo("Ctrl+C ends it.", err=True)
        page.block_thread()
