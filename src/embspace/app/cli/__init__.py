"""Console command `embspace`: one function a subcommand, run from any folder of a tree."""

from embspace.app.cli.application import app as app
