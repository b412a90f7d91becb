"""Measures of two models on the same texts, or of a model on two corpora, side by side."""

from collections.abc import Sequence
from contextlib import chdir, suppress

import pandas as pd

from embspace.app.queries.measured import Measurements, files_read
from embspace.app.queries.measured_inputs import STATES
from embspace.compare.measures import Source, compare_measures, load_compared
from embspace.errors import InputError, not_among
from embspace.files.rows import load_rows
from embspace.graph.declarations import modules


def compare_measured(
    first: Measurements, second: Measurements, nouns: Sequence[str]
) -> pd.DataFrame:
    """Return the compared tables of analyses of both, as `Spaces.compare` says."""
    settings = first.inputs.checked(compare_measures)
    compared = [source for source in settings["sources"] if source.noun in modules()]
    wanted = _nouns([source.noun for source in compared], (first, second), nouns)
    for noun in wanted:
        first.tables(noun)
        second.tables(noun)
    tables_by_file = {
        source.file: (_compared(source, first), _compared(source, second))
        for source in compared
        if source.noun in wanted
    }
    tables = {file: both for file, both in tables_by_file.items() if all(map(len, both))}
    if not tables:
        raise InputError(
            f"texts: found too few, or too short ones, for {' and '.join(wanted)}, whose tables "
            "have no rows; allowed: more texts, or other analyses"
        )
    sources = [source for source in compared if source.file in tables]
    is_paired = first.texts == second.texts
    halves = {
        source.halves: (_halves(source, first, is_paired), _halves(source, second, is_paired))
        for source in sources
        if source.halves
    }
    return compare_measures(tables, halves, **(settings | {"sources": sources}))["csv"]


def _nouns(known: Sequence[str], sides: Sequence[Measurements], named: Sequence[str]) -> list[str]:
    """Return the named analyses or, without names, all analyses computed by both sides.

    Raises:
        InputError: if a named analysis allows no comparison, or is not computed in this process.
    """
    for noun in named:
        if noun not in known:
            raise InputError(f"analysis: {not_among(noun, list(dict.fromkeys(known)))}")
        for side in sides:
            side.check(noun)
    return [*dict.fromkeys(named or (noun for noun in known if _is_computed(noun, sides)))]


def _is_computed(noun: str, sides: Sequence[Measurements]) -> bool:
    with suppress(InputError):
        for side in sides:
            side.check(noun)
        return True
    return False


def _compared(source: Source, side: Measurements) -> pd.DataFrame:
    with chdir(side.inputs.folder):
        return load_compared(source, side.inputs.model)


def _halves(source: Source, side: Measurements, is_paired: bool) -> pd.DataFrame:
    """Return the values on halves of the units; none for different texts, without paired units."""
    rows = load_rows(str(side.inputs.folder / str(source.halves).format(side.inputs.model)))
    reads_texts = any(path.startswith(STATES) for path in files_read(source.noun))
    return rows if is_paired or not reads_texts else rows[:0]
