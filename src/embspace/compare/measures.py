"""Stage `compare_measures`: the measures of two models side by side, and the difference.

One stage for many tables of results: subtraction is the same work, and separate stages would
multiply with every pair of models.
"""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from embspace.analysis import Analysis, Outcome, Table
from embspace.analysis import Source as Input
from embspace.compare.alignment_table import corresponding_layers
from embspace.compare.paired_bounds import OF_HALVES, paired_bounds
from embspace.errors import InputError, not_among
from embspace.files.rows import load_rows
from embspace.files.tables import load_table
from embspace.settings.schema import Strict
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability


class Source(Strict):
    """A table of results, with the compared columns."""

    noun: str
    table: str
    file: Annotated[str, Field(pattern=r"^results/[\w/]+/\{\}\.csv$")]
    """With a blank for the model's name."""
    keys: list[str]
    """Columns with the subject of a row; together the `group`."""
    along: str | None = None
    """A numeric column along which the rows of a group are ordered."""
    quantities: Annotated[list[str], Field(min_length=1)]
    halves: Annotated[str, Field(pattern=r"^data/measured/\w+/\{\}\.parquet$")] | None = None
    """The file of the values of half-samples; none for a whole population, as a learned matrix."""


PLACE = ["group", "at", "quantity"]
LAYER = "layer"
"""The column along which rows of equal depth are paired."""
TablesOfBoth = Mapping[str, tuple[pd.DataFrame, pd.DataFrame]]


def load_compared(source: Source, model: str) -> pd.DataFrame:
    """Return a table of a source, from the current folder.

    Raises:
        InputError: if the table lacks a column that the source names.
    """
    path = source.file.format(model)
    table = load_table(path)
    # A table without rows may lack the quantities.
    quantities = [] if table.empty else source.quantities
    for column in (*source.keys, *filter(None, [source.along]), *quantities):
        if column not in table:
            known = not_among(column, list(table.columns))
            raise InputError(
                f"conf/compare/measures.yaml: key 'sources': a column of {path}: {known}"
            )
    return table


def load_results(_: str, models: tuple[str, str], sources: list[Source]) -> TablesOfBoth:
    """Return the tables of two models, by file."""
    one, other = models
    return {
        source.file: (load_compared(source, one), load_compared(source, other))
        for source in sources
    }


def load_halves(_: str, models: tuple[str, str], sources: list[Source]) -> TablesOfBoth:
    """Return the deviations of half-samples of two models, by file."""
    one, other = models
    files = dict.fromkeys(source.halves for source in sources if source.halves)
    return {file: (load_rows(file.format(one)), load_rows(file.format(other))) for file in files}


MEASURES = Analysis(
    noun="measures",
    question=(
        "What was measured of two models, side by side at layers equally deep, and how sure is "
        "the difference?"
    ),
    reads={
        "results": Input(load_results, lists=["sources"]),
        "halves": Input(load_halves, lists=["sources"]),
    },
    tables={
        "csv": Table(
            {
                **dict.fromkeys(["noun", "table", "group", "along", "at", "other_at"], "row"),
                "quantity": "row",
                **dict.fromkeys(["model_value", "other_model_value", "difference"], "repeated"),
                "difference_low": "compared_bound",
                "difference_high": "compared_bound",
                "n_paired": "count",
                "no_bounds": "name",
            }
        )
    },
    verb="compare",
    over="compared",
)


def compare_measures(
    results: TablesOfBoth,
    halves: TablesOfBoth,
    *,
    sources: Annotated[list[Source], Field(min_length=1)],
    level: Probability,
) -> Outcome:
    """Return every quantity of `sources` in two models, and the difference, first less second.

    `results` has the tables of both models by file, `halves` the deviations of half-samples
    (`embspace.measure.tables.deviations`). Rows with equal keys are paired; layers are paired by
    nearest relative depth: the first with the first, the last with the last. `at` is the layer of
    the first model, `other_at` of the second. A quantity of only one model, as in a longer profile,
    has no difference.

    The bounds of the difference come from halves of the `n_paired` units (texts, words or pairs of
    sentences) shared by both models: the effect of a unit on both cancels. Bounds of single models
    say nothing about the difference, and are not used. `no_bounds` gives the reason for missing
    bounds: differences of learned matrices, whole populations, are exact; tokens of one text are
    not independent; and the models may have kept different units, such as words of a single token.
    """
    parts = []
    for source in sources:
        tables = results[source.file]
        places = _places_of_both(source, *tables)
        places_and_halves = zip(places, halves[source.halves], strict=True) if source.halves else ()
        placed = [_placed_halves(source, own, deviations) for own, deviations in places_and_halves]
        joint = _with_bounds(_joint(source, tables, places), *placed, level=level)
        joint = _with_own_layers(joint, source, *tables)
        about = {"noun": source.noun, "table": source.table, "along": source.along or np.nan}
        parts.append(joint.assign(**about))
    return {"csv": MEASURES.tables["csv"].of(pd.concat(parts, ignore_index=True))}


def _joint(
    source: Source,
    tables: tuple[pd.DataFrame, pd.DataFrame],
    places: tuple[pd.DataFrame, pd.DataFrame],
) -> pd.DataFrame:
    """Return a row per group, place and quantity of either model, in the order of the tables."""
    quantities = pd.DataFrame({"quantity": source.quantities})
    rows = pd.concat(places).drop_duplicates(ignore_index=True).merge(quantities, how="cross")
    names = ("model_value", "other_model_value")
    for name, table, own in zip(names, tables, places, strict=True):
        # A table without rows, as of a corpus with too few documents, may lack the quantities too.
        filled = table.reindex(columns=source.quantities) if table.empty else table
        values = own.join(filled[source.quantities])
        # A table may have a column `value` of its own.
        long = values.melt(PLACE[:2], var_name="quantity", value_name="its_value")
        rows = rows.merge(long, "left", PLACE).rename(columns={"its_value": name})
    rows = rows.dropna(subset=["model_value", "other_model_value"], how="all", ignore_index=True)
    return rows.assign(difference=rows["model_value"] - rows["other_model_value"])


def _places(source: Source, table: pd.DataFrame) -> pd.DataFrame:
    """Return the keys of the rows: the group, and the place within it."""
    keys = table[source.keys].astype(str).itertuples(index=False)
    at = table[source.along].astype(np.float64) if source.along else np.nan
    return pd.DataFrame({"group": [" / ".join(key) for key in keys], "at": at}, table.index)


def _places_of_both(
    source: Source, one: pd.DataFrame, other: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the keys of both tables, with the second model's layers at the first's depths."""
    first, second = _places(source, one), _places(source, other)
    if source.along == LAYER:
        second = second.assign(at=second["at"].map(_as_deep(first["at"], second["at"])))
    return first, second


def _as_deep(at: pd.Series, other_at: pd.Series) -> dict[float, float]:
    """Return the places of the second model's layers among the layers of the first.

    A whole number for a partner layer; a layer without a partner lies between two.
    """
    last, other_last = at.max(), other_at.max()
    if not (last > 0 and other_last > 0):  # NaN is not: one of them has no layers
        return {layer: layer for layer in other_at.dropna().unique()}
    alone = {float(layer): layer * last / other_last for layer in range(int(other_last) + 1)}
    pairs = corresponding_layers(int(last) + 1, int(other_last) + 1)
    return alone | {float(layer): float(own) for own, layer in pairs}


def _with_own_layers(
    joint: pd.DataFrame, source: Source, one: pd.DataFrame, other: pd.DataFrame
) -> pd.DataFrame:
    """Return the rows with both models' places; NaN for a missing layer."""
    if source.along != LAYER:
        return joint.assign(other_at=joint["at"])
    first, second = (_places(source, table)["at"] for table in (one, other))
    layer = {place: own for own, place in _as_deep(first, second).items()}
    return joint.assign(
        at=joint["at"].where(joint["at"].isin(first.dropna())), other_at=joint["at"].map(layer)
    )


def _placed_halves(source: Source, places: pd.DataFrame, halves: pd.DataFrame) -> pd.DataFrame:
    """The deviations of halves, by the key columns of the rows."""
    if halves.empty:  # of corpora with too few documents, without a column
        columns = ["table", "row", PLACE[-1], *OF_HALVES]
        halves = halves.reindex(columns=columns).astype({"row": np.int64, PLACE[-1]: object})
    table_halves = halves[halves["table"] == source.table]
    return table_halves.merge(places.reset_index(names="row"), on="row")[[*PLACE, *OF_HALVES]]


def _with_bounds(joint: pd.DataFrame, *halves: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return the table with the bounds of its differences; a population has no halves."""
    merged = (joint[PLACE].merge(model_halves, "left", PLACE) for model_halves in halves)
    columns = paired_bounds(joint["difference"], *merged, level=level)
    return joint.join(columns)


main = MEASURES.main(compare_measures)

if __name__ == "__main__":
    run_stage(main, compare_measures, groups=("pair",))
