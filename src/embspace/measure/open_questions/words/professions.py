"""Professions on the direction from male to female words, predicted from other professions."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.errors import InputError
from embspace.files.tables import load_table
from embspace.geometry.groups.held_out_line import held_out_line
from embspace.geometry.inference.resampling import stratified_interval, upper_p_value
from embspace.geometry.pairs.directions import unit_rows
from embspace.measure.open_questions.framed_words import ByLayer

PROFESSIONS = "data/stimuli/professions.csv"
COLUMNS = ["profession", "value"]
FEWEST = 8  # professions; of fewer, a line tells nothing


class Held(NamedTuple):
    """Settings of professions held out."""

    n_deals: int
    n_resamples: int
    level: float


class Placed(NamedTuple):
    """The rows of professions and of the words that make the direction, with values."""

    rows: Int[np.ndarray, " profession"]
    values: Float[np.ndarray, " profession"]
    first: Int[np.ndarray, " word"]
    second: Int[np.ndarray, " other_word"]


def load_professions(path: str) -> pd.DataFrame:
    """Return professions with values: 1 of mostly women, -1 of mostly men, else 0.

    Raises:
        InputError: for other columns, a value that is no number, or a profession twice.
    """
    table = load_table(path)
    if [*table.columns] != COLUMNS:
        raise InputError(f"{path}: expected the columns profession, value, found {[*table]}")
    for line, row in enumerate(table.itertuples(index=False), start=2):
        if not isinstance(row.value, (int, float)) or not np.isfinite(row.value):
            raise InputError(f"{path}, line {line}: value {row.value!r}, allowed: a number")
    if table["profession"].duplicated().any():
        name = table.loc[table["profession"].duplicated(), "profession"].iloc[0]
        raise InputError(f"{path}: {name!r} stands twice, allowed once")
    return table


def placed_professions(
    professions: pd.DataFrame, sets: pd.DataFrame, known: Sequence[str], ends: Sequence[str]
) -> Placed | None:
    """Return the known professions that are no word of `ends`; None with too few of either."""
    places = {word: place for place, word in enumerate(known)}
    words = [[w for w in sets.loc[sets["set"] == name, "word"] if w in places] for name in ends]
    table = professions[professions["profession"].isin(places)]
    table = table[~table["profession"].isin({*words[0], *words[1]})]
    if len(table) < FEWEST or not min(map(len, words)):
        return None
    first, second = (np.array([places[word] for word in own]) for own in words)
    rows = np.array([places[word] for word in table["profession"]])
    return Placed(rows, table["value"].to_numpy(np.float64), first, second)


def profession_rows(
    vectors: Mapping[str, ByLayer],
    placed: Placed | None,
    how: Held,
    generator: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each kind of vectors and layer, without the verdict; none without places."""
    if placed is None:
        return
    deals = generator.spawn(1)[0].permuted(np.tile(placed.values, (how.n_deals, 1)), axis=1)
    stratum = np.unique(placed.values, return_inverse=True)[1]
    for kind, layers in vectors["trained"].items():
        for layer, x in enumerate(layers):
            own = along_direction(x, placed)
            plain = along_direction(vectors["random"][kind][layer], placed)
            interval = stratified_interval(
                partial(_correlation, own, placed.values),
                stratum,
                n_resamples=how.n_resamples,
                level=how.level,
                generator=generator.spawn(1)[0],
            )
            low, high = np.clip([interval.low, interval.high], -1, 1)
            value, null = float(held_out_line(own, placed.values)), held_out_line(own, deals)
            at_random = float(held_out_line(plain, placed.values))
            yield {
                "vectors": kind,
                "layer": layer,
                "n": len(placed.rows),
                "correlation": float(_correlation(own, placed.values, np.arange(len(own)))),
                "correlation_low": float(low),
                "correlation_high": float(high),
                "explained": value,
                "null_explained_high": float(np.quantile(null, how.level)),
                "p_value": upper_p_value(value, null),
                "random_weights_explained": at_random,
                "random_weights_p_value": upper_p_value(at_random, held_out_line(plain, deals)),
            }


def along_direction(
    x: Float[np.ndarray, "word dim"], placed: Placed
) -> Float[np.ndarray, " profession"]:
    """Return the cosine of each profession with the direction from first to second words."""
    unit = unit_rows(x.astype(np.float64))
    direction = unit[placed.second].mean(axis=0) - unit[placed.first].mean(axis=0)
    length = float(np.linalg.norm(direction))
    return np.asarray(unit[placed.rows] @ direction / (length or 1.0))


def _correlation(
    x: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"], units: Int[np.ndarray, " unit"]
) -> Float[np.ndarray, ""]:
    a, b = x[units] - x[units].mean(), y[units] - y[units].mean()
    norm = np.sqrt((a @ a) * (b @ b))
    return np.asarray(a @ b / norm if norm > 0 else np.nan)
