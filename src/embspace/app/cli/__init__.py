"""Console command `embspace`: one function a subcommand, run from the root of a tree."""

from embspace.app.cli.application import app as app
