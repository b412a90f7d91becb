"""The tables of homonyms, a row per fact, from the values by word."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.analysis import Column
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import upper_p_value
from embspace.geometry.pairs.safe_ratio import ratio
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.deviations import ENDING
from embspace.measure.tables.nulls import DIGITS, mean_and_range
from embspace.measure.words.homonym_statistics import (
    FIRST_LAYERS,
    MEASURES,
    OVER_LAYERS,
    DrawnValues,
    WordValues,
    intervals,
    over_words,
    slope_name,
)

WEIGHTS = ("", "random_weights_")  # prefixes of columns
OWN_UNITS = ("within", "between", "between_words")  # shown as cosines, where these are measured
ValuePlace = tuple[int, int, int]  # weights, layer, measure


@dataclass(frozen=True)
class CellColumns:
    """A quantity of a row and its kind, with or without an interval, a null and a p-value."""

    name: str
    kind: str
    interval: bool = False
    null: bool = False
    p_value: bool = False

    def columns(self, prefix: str) -> dict[str, Column]:
        """Return the kinds of the columns."""
        columns = with_bounds(self.name, self.kind) if self.interval else {self.name: self.kind}
        if self.null:
            columns |= with_bounds(f"null_{self.name}", "null_value")
        if self.p_value:
            columns["p_value"] = "p_value"
        return {prefix + name: kind for name, kind in columns.items()}


LAYERS = (
    *(CellColumns(name, "distance") for name in OWN_UNITS),
    CellColumns("difference", "distance", interval=True, null=True, p_value=True),
    CellColumns("ratio", "distance", interval=True),
    CellColumns("relative_difference", "distance", interval=True),
    CellColumns("share_apart", "word_share", interval=True, null=True),
)
RECOVERY = (
    BAG_OF_WORDS := CellColumns("accuracy", "recovery", interval=True, null=True, p_value=True),
    CellColumns("context_accuracy", "recovery", interval=True),
    CellColumns("context_gain", "recovery", interval=True),
    CellColumns("bag_of_words_gain", "recovery", interval=True),
)
SLOPE = CellColumns("slope", "distance", interval=True, null=True, p_value=True)
AT_RANDOM = ("difference", "ratio")  # of a word at random weights


def columns_of(*cells: CellColumns) -> dict[str, Column]:
    """Return the kinds of the columns of cells, at trained and at random weights."""
    columns = (cell.columns(prefix) for prefix in WEIGHTS for cell in cells)
    return {name: kind for named in columns for name, kind in named.items()}


@dataclass(frozen=True, eq=False)
class Findings:
    """The values of `over_words` by name; the first draw has the true senses."""

    values: dict[str, DrawnValues]
    low: dict[str, DrawnValues]
    high: dict[str, DrawnValues]
    deviations: dict[str, DrawnValues]
    """Deviations of each half of the words from all words, in the place of the draws."""
    n_words: Float[np.ndarray, "weights layer measure"]
    """How many have the measure."""
    level: float

    def cells(self, cell: CellColumns, name: str, place: ValuePlace, prefix: str) -> Row:
        """Return the columns of `cell` for the quantity `name` at one place."""
        draws = self.values[name][:, *place]
        values = [float(draws[0])]
        if cell.interval:
            values += [self.low[name][0, *place], self.high[name][0, *place]]
        if cell.null:
            values += map(float, mean_and_range(draws[1:], self.level))
        # Shares that are equal differ by 1e-16 at times; 0.0 is added lest a zero be negative.
        values = [round(float(value), DIGITS) + 0.0 for value in values]
        if cell.p_value:
            # Sums of the same distances in another order are no larger.
            seen, null = np.round(draws[0], DIGITS), np.round(draws[1:], DIGITS)
            values.append(upper_p_value(float(seen), null))
        if name in OWN_UNITS and MEASURES[place[2]][1] == "cosine":
            values = [1 - value for value in values]
        return dict(zip(cell.columns(prefix), values, strict=True))

    def both(self, cell: CellColumns, name: str, layer: int, measure: int) -> Row:
        """Return the same at trained and at random weights."""
        row: Row = {}
        for weights, prefix in enumerate(WEIGHTS):
            row |= self.cells(cell, name, (weights, layer, measure), prefix)
        if cell.interval:
            deviations = self.deviations[name][:, 0, layer, measure]
            row[f"{cell.name}{ENDING}"] = deviations.astype(np.float32)
        return row


def find_senses(
    values: WordValues, *, n_resamples: int, level: float, generator: np.random.Generator
) -> Findings:
    """Return means over the words, with intervals and draws."""
    low, high, deviations = intervals(
        values, n_resamples=n_resamples, level=level, generator=generator
    )
    return Findings(
        values=over_words(values, np.arange(len(values.within))),
        low=low,
        high=high,
        deviations=deviations,
        n_words=(~np.isnan(values.within[:, 0])).sum(axis=0).astype(np.float64),
        level=level,
    )


def layer_table(findings: Findings, cells: Iterable[CellColumns]) -> pd.DataFrame:
    """Return a row for each layer and measure."""
    rows = []
    for layer in range(findings.n_words.shape[1]):
        for measure, (preparation, quantity) in enumerate(MEASURES):
            row: Row = {"layer": layer, "preparation": preparation, "quantity": quantity}
            row["n_words"] = int(findings.n_words[0, layer, measure])
            for cell in cells:
                row |= findings.both(cell, cell.name, layer, measure)
            rows.append(row)
    return pd.DataFrame(rows)


def drift_rows(findings: Findings) -> Iterator[Row]:
    """Yield a row for each measure, statistic and first layer of a slope."""
    last_layer = findings.n_words.shape[1] - 1
    for measure, (preparation, quantity) in enumerate(MEASURES):
        for name in OVER_LAYERS:
            for first in FIRST_LAYERS:
                yield {
                    "preparation": preparation,
                    "quantity": quantity,
                    "statistic": name,
                    "first_layer": first,
                    "last_layer": last_layer,
                    "n_words": int(findings.n_words[0, :, measure].min()),
                    **findings.both(SLOPE, slope_name(name, first), 0, measure),
                    "largest_layer": largest(findings.values[name][0, 0, :, measure], first),
                }


def largest(values: Float[np.ndarray, " layer"], first: int) -> float:
    """Return the layer, from `first` on, of the largest value; NaN if there is none."""
    later = values[first:]
    if not len(later) or np.isnan(later).all():
        return float("nan")
    return float(first + np.nanargmax(later))


def bag_of_words(findings: Findings) -> Row:
    """Return how well the counts of the other words tell the sense."""
    return findings.cells(BAG_OF_WORDS, "bag_of_words_accuracy", (0, 0, 0), "")


def word_table(values: WordValues, findings: Findings, senses: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each layer, measure and word, in the order of the difference."""
    about = _words(senses)
    yardstick = findings.values["between_words"][0]
    parts = []
    for layer in range(findings.n_words.shape[1]):
        for measure, (preparation, quantity) in enumerate(MEASURES):
            part = about.assign(layer=layer, preparation=preparation, quantity=quantity)
            for weights, prefix in enumerate(WEIGHTS):
                place = (weights, layer, measure)
                columns = _word_columns(values, place, float(yardstick[place]))
                for name in AT_RANDOM if weights else columns:
                    part[prefix + name] = columns[name]
            part = part.sort_values("difference", ascending=False, kind="stable")
            parts.append(part.assign(rank=np.arange(1, len(part) + 1)))
    return pd.concat(parts, ignore_index=True)


def _word_columns(
    values: WordValues, place: ValuePlace, yardstick: float
) -> dict[str, Float[np.ndarray, " word"]]:
    within, between = values.within[:, 0, *place], values.between[:, 0, *place]
    cosine = MEASURES[place[2]][1] == "cosine"
    return {
        "within": 1 - within if cosine else within,
        "between": 1 - between if cosine else between,
        "difference": between - within,
        "ratio": ratio(between, within),
        "relative_difference": ratio(between - within, np.full_like(within, yardstick)),
        "accuracy": values.accuracy[:, 0, *place],
    }


def _words(senses: pd.DataFrame) -> pd.DataFrame:
    rows = senses.groupby("word", sort=False)
    return pd.DataFrame(
        {
            "senses": rows["sense"].agg(lambda names: ", ".join(names.unique())),
            "n_sentences": rows.size(),
            "n_tokens": rows["n_tokens"].max(),
        }
    ).reset_index()
