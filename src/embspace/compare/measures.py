"""Stage `compare_measures`: what was measured of two models, side by side, and the difference.

One stage for many tables of results: subtracting them is the same work, and a stage for each
would be as many for every pair of models.
"""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from embspace.compare.paired_bounds import BOUNDS, OF_HALVES, paired_bounds
from embspace.errors import InputError, not_among
from embspace.files.rows import load_rows
from embspace.files.tables import load_table, save_table
from embspace.settings.params import models_of
from embspace.settings.schema import Strict
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability


class Source(Strict):
    """A table of results, and what of it is compared."""

    noun: str
    table: str
    file: Annotated[str, Field(pattern=r"^results/[\w/]+/\{\}\.csv$")]
    """With a blank for the model's name."""
    keys: list[str]
    """Columns that say what a row is about; together the `group`."""
    along: str | None = None
    """A numeric column along which a group runs."""
    quantities: Annotated[list[str], Field(min_length=1)]
    halves: Annotated[str, Field(pattern=r"^data/measured/\w+/\{\}\.parquet$")] | None = None
    """The file of what halves of the units say; a whole population, such as a learned matrix, has
    none."""


PLACE = ["group", "at", "quantity"]
COLUMNS = ["noun", "table", "group", "along", "at", "quantity"]
COLUMNS += ["model_value", "other_model_value", "difference", *BOUNDS]

TablesOfBoth = Mapping[str, tuple[pd.DataFrame, pd.DataFrame]]


def compare_measures(
    results: TablesOfBoth,
    halves: TablesOfBoth,
    *,
    sources: Annotated[list[Source], Field(min_length=1)],
    level: Probability,
) -> pd.DataFrame:
    """Return each quantity of `sources` in two models, and the difference, first less other.

    `results` are by file the tables of both, `halves` likewise how far halves of the units lie
    from all, of `embspace.measure.tables.deviations`. Rows go together that say the same; so do
    layers of the same number, whatever share of a model's depth that is. What only one model has,
    a longer profile for instance, has no difference.

    The bounds of the difference are of halves of the `n_paired` units, whether texts, words or
    pairs of sentences, that are the same in both models: what a unit does to both cancels. Bounds
    of two single models say nothing of their difference, and are not used. `no_bounds` says why
    there are none. Learned matrices are whole populations, whose differences are exact; the
    tokens of one text are not independent; and two models may have kept other units, words for
    instance that are single tokens.
    """
    parts = []
    for source in sources:
        tables = results[source.file]
        of_halves = zip(tables, halves[source.halves], strict=True) if source.halves else ()
        placed = [_placed_halves(source, *each) for each in of_halves]
        joint = _with_bounds(_joint(source, *tables), *placed, level=level)
        about = {"noun": source.noun, "table": source.table, "along": source.along or np.nan}
        parts.append(joint.assign(**about)[COLUMNS])
    return pd.concat(parts, ignore_index=True)


def _joint(source: Source, one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """One row a group, place and quantity that either has, in the order of the tables."""
    places = pd.concat([_places(source, one), _places(source, other)])
    quantities = pd.DataFrame({"quantity": source.quantities})
    rows = places.drop_duplicates(ignore_index=True).merge(quantities, how="cross")
    for name, table in (("model_value", one), ("other_model_value", other)):
        # A table without rows, as of a corpus with too few documents, may lack the quantities too.
        of_table = table.reindex(columns=source.quantities) if table.empty else table
        values = _places(source, table).join(of_table[source.quantities])
        # A table may have a column `value` of its own.
        long = values.melt(PLACE[:2], var_name="quantity", value_name="its_value")
        rows = rows.merge(long, "left", PLACE).rename(columns={"its_value": name})
    rows = rows.dropna(subset=["model_value", "other_model_value"], how="all", ignore_index=True)
    return rows.assign(difference=rows["model_value"] - rows["other_model_value"])


def _places(source: Source, table: pd.DataFrame) -> pd.DataFrame:
    """Return the keys of the rows: the group, and the place along it."""
    keys = table[source.keys].astype(str).itertuples(index=False)
    at = table[source.along].astype(np.float64) if source.along else np.nan
    return pd.DataFrame({"group": [" / ".join(key) for key in keys], "at": at}, table.index)


def _placed_halves(source: Source, table: pd.DataFrame, halves: pd.DataFrame) -> pd.DataFrame:
    """The deviations of halves, by what their rows of `table` are about."""
    of_table = halves[halves["table"] == source.table]
    places = _places(source, table).reset_index(names="row")
    return of_table.merge(places, on="row")[[*PLACE, *OF_HALVES]]


def _with_bounds(joint: pd.DataFrame, *halves: pd.DataFrame, level: float) -> pd.DataFrame:
    """The table with the bounds of its differences; a population has no halves."""
    of_both = (joint[PLACE].merge(each, "left", PLACE) for each in halves)
    columns = paired_bounds(joint["difference"], *of_both, level=level)
    return joint.join(columns)


def _load(source: Source, model: str) -> pd.DataFrame:
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


def main(config: StageConfig) -> None:
    """Load, call, save."""
    sources: list[Source] = config.settings["sources"]
    one, other = models_of(config.pair)
    results = {source.file: (_load(source, one), _load(source, other)) for source in sources}
    halves = {
        file: (load_rows(file.format(one)), load_rows(file.format(other)))
        for file in dict.fromkeys(source.halves for source in sources if source.halves)
    }
    table = compare_measures(results, halves, **config.settings)
    save_table(table, f"results/measures/{config.pair}.csv")


if __name__ == "__main__":
    run_stage(main, compare_measures, groups=("pair",))
