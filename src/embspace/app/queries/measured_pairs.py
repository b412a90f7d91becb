"""Measures of two models on the same texts, or of one model on two corpora, side by side."""

from collections.abc import Sequence
from contextlib import chdir

import pandas as pd

from embspace.app.queries.measured import Measurements, files_read
from embspace.app.queries.measured_inputs import STATES
from embspace.compare.measures import Source, compare_measures, load_compared
from embspace.errors import InputError, not_among
from embspace.files.rows import load_rows
from embspace.graph import modules


def compare_measured(
    first: Measurements, second: Measurements, nouns: Sequence[str]
) -> pd.DataFrame:
    """Return the compared tables of analyses of both, as `Spaces.compare` says."""
    settings = first.inputs.checked(compare_measures)
    compared = [source for source in settings["sources"] if source.noun in modules()]
    known = list(dict.fromkeys(source.noun for source in compared))
    for noun in nouns:
        if noun not in known:
            raise InputError(f"analysis: {not_among(noun, known)}")
    sources = [source for source in compared if source.noun in (nouns or known)]
    for noun in dict.fromkeys(source.noun for source in sources):
        first.tables(noun)
        second.tables(noun)
    is_paired = first.texts == second.texts
    tables = {
        source.file: (_compared(source, first), _compared(source, second)) for source in sources
    }
    halves = {
        source.halves: (_halves(source, first, is_paired), _halves(source, second, is_paired))
        for source in sources
        if source.halves
    }
    return compare_measures(tables, halves, **(settings | {"sources": sources}))


def _compared(source: Source, side: Measurements) -> pd.DataFrame:
    with chdir(side.inputs.folder):
        return load_compared(source, side.inputs.model)


def _halves(source: Source, side: Measurements, is_paired: bool) -> pd.DataFrame:
    """Return what halves of the units say; of other texts none, for units have no partner there."""
    rows = load_rows(str(side.inputs.folder / str(source.halves).format(side.inputs.model)))
    reads_texts = any(path.startswith(STATES) for path in files_read(source.noun))
    return rows if is_paired or not reads_texts else rows[:0]
