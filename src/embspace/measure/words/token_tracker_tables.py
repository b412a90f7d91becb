"""The tables of `measure_token_tracker`: numbers with intervals and random weights."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.files.tables import Row, Tables
from embspace.geometry.inference.resampling import half_sample_interval, stream_of
from embspace.measure.words.token_tracker_statistics import (
    CONTRASTED,
    CONTRASTS,
    MOVEMENTS,
    contrast,
    group_means,
    homonym_statistics,
    movement_shares,
    running_statistics,
)
from embspace.measure.words.token_tracker_texts import CONTENT, FUNCTION
from embspace.measure.words.token_tracker_tracks import QUANTITIES, Tracks
from embspace.models.stream.tracked_vocabulary import Positions

ESTIMATE = ["value", "low", "high", "random_weights_value"]
DEALT = ["dealt", "dealt_low", "dealt_high", "p_value"]
"""A null of classes dealt anew among types: mean, range, and the p-value of the value."""
TOGETHER = ("state_cosine", "step_cosine")
SHARES = (
    "nearest",
    "larger_rank",
    "larger_cosine",
    *MOVEMENTS,
    "content_rank_larger_at_last",
    "homonym_rank_larger_at_last",
    "content_words_listed_at_last",
    "function_words_listed_at_last",
    "content_in_denser_places",
    "content_receives_more_attention",
    "first_layer_apart_share",
    "ranks_kept_with_first_positions",
    "ranks_kept_with_own_positions",
    "texts_with_excursion_in_that_layer",
    "tokens_that_move_both_ways",
)
COSINES = ("cosine", *TOGETHER, "steps_in_one_direction")
DIFFERENCES = ("function_less_content_words_listed_at_last",)
OVER_EQUAL = ("content_movement_in_last_over_equal", "function_movement_in_last_over_equal")
FROM_ZERO = ("log_rank", "euclidean_distance", "attention_content_over_function")
LAYERS = ("excursion_layer", "first_layer_apart")
UnitStatistic = Callable[[Tracks, Int[np.ndarray, " drawn"]], Float[np.ndarray, "..."]]
Pair = tuple[Tracks, Tracks | None]


@dataclass(frozen=True, eq=False)
class Halves:
    """The half-samples for intervals."""

    n_half_samples: int
    level: float
    generator: np.random.Generator

    def rows(
        self, name: str, trained: Tracks, random: Tracks, statistic: UnitStatistic
    ) -> Iterator[Row]:
        """Yield the estimate of each cell of a statistic, with interval and random weights."""
        n_units = int(trained.text_unit.max()) + 1
        value = statistic(trained, np.arange(n_units)).ravel()
        bounds = half_sample_interval(
            lambda units: statistic(trained, units).ravel(),
            n_units,
            n_resamples=self.n_half_samples,
            level=self.level,
            generator=stream_of(self.generator, name),
        )
        at_random = statistic(random, np.arange(n_units)).ravel()
        for estimate in zip(value, bounds.low, bounds.high, at_random, strict=True):
            yield dict(zip(ESTIMATE, estimate, strict=True))


def tables_of(
    trained: Pair,
    random: Pair,
    halves: Halves,
    more: Iterable[Row],
    *,
    n_listed: int,
    apart: float,
) -> Tables:
    """Return all tables but the source's example, by name; `more` are rows of the summary."""
    running, at_random = trained[0], random[0]
    assert at_random is not None  # as the same texts were read
    statistics = partial(running_statistics, n_listed=n_listed, apart=apart)
    rows = {
        "layers": [*_layers(running, at_random, halves, (CONTENT, FUNCTION))],
        "contrasts": [*_contrasts(running, at_random, halves, "content_function")],
        "movement": [*_movement(running, at_random, halves)],
        "together": [*_together(running, at_random, halves)],
        "summary": [*_summary(running, at_random, halves, statistics, "running"), *more],
    }
    if trained[1] is not None and random[1] is not None:
        pair = trained[1], random[1]
        rows["layers"] += _layers(*pair, halves, CONTRASTS["homonym_one_sense"])
        rows["contrasts"] += _contrasts(*pair, halves, "homonym_one_sense")
        rows["summary"] += _summary(*pair, halves, homonym_statistics, "homonyms")
    n_layers = len(running.step)
    return {name: _within_range(pd.DataFrame(made), n_layers) for name, made in rows.items()}


def _within_range(table: pd.DataFrame, n_layers: int) -> pd.DataFrame:
    """Return a table with intervals cut to the range of each quantity.

    The value of all plus a deviation of halves may lie outside the range.
    """
    if table.empty:
        return table
    name = table["statistic" if "statistic" in table else "quantity"]
    least, most = pd.Series(-np.inf, table.index), pd.Series(np.inf, table.index)
    ranges = {SHARES: (0, 1), COSINES: (-1, 1), FROM_ZERO: (0, np.inf), LAYERS: (1, n_layers)}
    ranges |= {DIFFERENCES: (-1, 1), OVER_EQUAL: (0, n_layers)}
    for names, (low, high) in ranges.items():
        least, most = least.mask(name.isin(names), low), most.mask(name.isin(names), high)
    return table.assign(low=table["low"].clip(least, most), high=table["high"].clip(least, most))


def _layers(
    trained: Tracks, random: Tracks, halves: Halves, groups: tuple[str, ...]
) -> Iterator[Row]:
    for positions, places in trained.places.items():

        def means(
            tracks: Tracks, units: Int[np.ndarray, " drawn"], positions: Positions = positions
        ) -> Float[np.ndarray, "group place quantity"]:
            return group_means(tracks, positions, groups, tracks.inside(units))

        cells = [
            {"group": group, **_place(positions, place), "quantity": quantity}
            | _sizes(trained, [group])
            for group in groups
            for place in places
            for quantity in QUANTITIES
        ]
        rows = halves.rows("layers", trained, random, means)
        yield from (cell | row for cell, row in zip(cells, rows, strict=True))


def _contrasts(trained: Tracks, random: Tracks, halves: Halves, name: str) -> Iterator[Row]:
    groups = CONTRASTS[name]
    for positions, places in trained.places.items():

        def differences(
            tracks: Tracks, units: Int[np.ndarray, " drawn"], positions: Positions = positions
        ) -> Float[np.ndarray, "place contrasted"]:
            return contrast(tracks, positions, groups, tracks.inside(units))

        cells = [
            {"contrast": name, **_place(positions, place), "quantity": quantity}
            | _sizes(trained, groups)
            for place in places
            for quantity in CONTRASTED
        ]
        rows = halves.rows("contrasts", trained, random, differences)
        yield from (cell | row for cell, row in zip(cells, rows, strict=True))


def _movement(trained: Tracks, random: Tracks, halves: Halves) -> Iterator[Row]:
    n_layers = len(trained.step)
    for group in (CONTENT, FUNCTION):

        def shares(
            tracks: Tracks, units: Int[np.ndarray, " drawn"], group: str = group
        ) -> Float[np.ndarray, "movement layer"]:
            return movement_shares(tracks, group, tracks.inside(units))

        cells = [
            {"group": group, "quantity": quantity, "layer": layer} | _sizes(trained, [group])
            for quantity in MOVEMENTS
            for layer in range(1, n_layers + 1)
        ]
        rows = halves.rows("movement", trained, random, shares)
        yield from (cell | row for cell, row in zip(cells, rows, strict=True))


def _together(trained: Tracks, random: Tracks, halves: Halves) -> Iterator[Row]:
    def means(tracks: Tracks, units: Int[np.ndarray, " drawn"]) -> Float[np.ndarray, "layer two"]:
        return np.asarray(tracks.together[..., np.isin(tracks.text_unit, units)].mean(axis=2))

    cells = [
        {"quantity": quantity, "layer": layer, "n_units": int(trained.text_unit.max()) + 1}
        for layer in range(len(trained.together))
        for quantity in TOGETHER
    ]
    rows = halves.rows("together", trained, random, means)
    for cell, row in zip(cells, rows, strict=True):
        if cell["layer"] or cell["quantity"] == TOGETHER[0]:
            yield cell | row


def _summary(
    trained: Tracks, random: Tracks, halves: Halves, statistics: Any, name: str
) -> Iterator[Row]:
    def values(tracks: Tracks, units: Int[np.ndarray, " drawn"]) -> Float[np.ndarray, " statistic"]:
        return np.array(list(statistics(tracks)(units).values()))

    names = list(statistics(trained)(np.arange(int(trained.text_unit.max()) + 1)))
    rows = halves.rows(name, trained, random, values)
    sizes = _sizes(trained, sorted({*trained.group}))
    yield from ({"statistic": own} | row | sizes for own, row in zip(names, rows, strict=True))


def _place(positions: str, place: tuple[int, str]) -> Row:
    return {"positions": positions, "layer": place[0], "point": place[1]}


def _sizes(tracks: Tracks, groups: Any) -> Row:
    return {
        "n_tokens": int(np.isin(tracks.group.astype(str), list(groups)).sum()),
        "n_units": int(tracks.text_unit.max()) + 1,
    }
