"""Shows users their own mistakes without a traceback."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from embspace.errors import InputError, visible
from embspace.files.compiled import check_temporary_folder


@contextmanager
def clear_errors() -> Iterator[None]:
    """Print an `InputError` as one message, without a traceback, and end with its exit code."""
    try:
        check_temporary_folder()
        yield
    except InputError as error:
        typer.echo(visible(f"error: {error}"), err=True)
        raise typer.Exit(error.exit_code) from None
