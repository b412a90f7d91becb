"""Parts of answers: numbers for printing, tables as files, snippets of texts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path

import pandas as pd

from embspace.app.queries.shown import ShownAsText
from embspace.errors import InputError
from embspace.files.together import write_csv, writing_together


@dataclass(frozen=True, eq=False)
class Answer(ShownAsText):
    """The answer to a question: the printed text, a sentence for a paper, and tables by name."""

    said: str
    sentence: str
    """For a paper: the measured quantities, and the protocol."""
    tables: Mapping[str, pd.DataFrame] = field(repr=False)

    def __str__(self) -> str:
        """Return the text that the command prints."""
        return f"{self.said}\n\n{self.sentence}"

    def save(self, folder: Path) -> list[Path]:
        """Write every table as <folder>/<name>.csv; all files appear at once.

        Raises:
            InputError: if the folder is a file, or cannot be written.
        """
        if folder.exists() and not folder.is_dir():
            raise InputError(f"--results: found the file {folder}, allowed: a folder")
        files = [folder / f"{name}.csv" for name in self.tables]
        with writing_together(files) as partials:
            for table, partial in zip(self.tables.values(), partials, strict=True):
                write_csv(table, partial)
        return files


def number(value: float, digits: int = 3) -> str:
    """Return a number with `digits` digits, `none` for NaN."""
    return "none" if isnan(value) else f"{value:.{digits}f}"


def interval(value: float, low: float, high: float, digits: int = 3) -> str:
    """Return a value with bounds, `0.812 (0.790 to 0.833)`."""
    if isnan(low):
        return f"{number(value, digits)} (no interval)"
    return f"{number(value, digits)} ({number(low, digits)} to {number(high, digits)})"


def few_or_many(value: float) -> str:
    """Return an expected number: `0.4`, `12`, `3,400`."""
    if isnan(value):
        return "unknown"
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"
