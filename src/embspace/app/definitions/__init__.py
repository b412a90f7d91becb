"""Definitions of measures and analyses, for the command `embspace define`."""
