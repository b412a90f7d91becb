"""Console command `embspace`: a function per subcommand, run from any folder of a tree."""

from embspace.app.cli.application import app as app
