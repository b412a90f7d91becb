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
SHORTEST = 3  # letters of a word of the vocabulary
FEWEST = 8  # professions; of fewer, a line tells nothing


class Held(NamedTuple):
    """Settings of professions held out."""

    n_deals: int
    n_directions: int
    n_resamples: int
    level: float


def enough_draws(n: int, n_layers: int, alpha: float) -> int:
    """Return `n`, or as many as give a smallest p-value, 1 / (n + 1), below alpha over layers."""
    return max(n, int(n_layers / alpha))


class Placed(NamedTuple):
    """The rows of professions with values, of the direction's words and of all other words."""

    rows: Int[np.ndarray, " profession"]
    values: Float[np.ndarray, " profession"]
    first: Int[np.ndarray, " word"]
    second: Int[np.ndarray, " other_word"]
    others: Int[np.ndarray, " further_word"]


def load_professions(path: str) -> pd.DataFrame:
    """Return professions with values: 1 of mostly women, -1 of mostly men, else 0.

    Raises:
        InputError: for wrong columns, a value that is no number, or a profession twice.
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


def words_of_vocabulary(tokenizer: Any, n_words: int, generator: np.random.Generator) -> list[str]:
    """Return random words of three letters or more, spelled by single tokens, without doubles."""
    words: dict[str, None] = {}
    for number in generator.permutation(len(tokenizer)).tolist():
        word = tokenizer.decode([number]).strip()
        if len(word) >= SHORTEST and word.isalpha():
            words[word] = None
        if len(words) == n_words:
            break
    return [*words]


def placed_professions(
    professions: pd.DataFrame, sets: pd.DataFrame, known: Sequence[str], ends: Sequence[str]
) -> Placed | None:
    """Return the known professions outside the sets `ends`; None with too few of either.

    `others` are the known words that are in no set and no professions, as from
    `words_of_vocabulary`. None also with fewer `others` than words of both ends.
    """
    places = {word: place for place, word in enumerate(known)}
    words = [[w for w in sets.loc[sets["set"] == name, "word"] if w in places] for name in ends]
    table = professions[professions["profession"].isin(places)]
    table = table[~table["profession"].isin({*words[0], *words[1]})]
    taken = {*sets["word"], *professions["profession"]}
    others = [word for word in known if word not in taken]
    if len(table) < FEWEST or not min(map(len, words)) or len(others) < sum(map(len, words)):
        return None
    first, second = (np.array([places[word] for word in own]) for own in words)
    rows = np.array([places[word] for word in table["profession"]])
    values = table["value"].to_numpy(np.float64)
    return Placed(rows, values, first, second, np.array([places[word] for word in others]))


def profession_rows(
    vectors: Mapping[str, ByLayer],
    placed: Placed | None,
    how: Held,
    generator: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    """Yield a row per kind of vectors and layer, without the verdict; none without `placed`."""
    if placed is None:
        return
    deals = generator.spawn(1)[0].permuted(np.tile(placed.values, (how.n_deals, 1)), axis=1)
    pairs = _other_directions(placed, how.n_directions, generator.spawn(1)[0])
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
            value, null = _explained(x, placed), held_out_line(own, deals)
            directions = np.array([_explained(x, pair) for pair in pairs])
            at_random = _explained(vectors["random"][kind][layer], placed)
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
                "directions_explained_high": float(np.nanquantile(directions, how.level)),
                "directions_p_value": upper_p_value(value, directions),
                "random_weights_explained": at_random,
                "random_weights_p_value": upper_p_value(at_random, held_out_line(plain, deals)),
            }


def _other_directions(
    placed: Placed, n_directions: int, generator: np.random.Generator
) -> list[Placed]:
    """Return the same professions with directions of random `others`, the same at all layers."""
    n_first, n = len(placed.first), len(placed.first) + len(placed.second)
    drawn = (generator.permutation(placed.others)[:n] for _ in range(n_directions))
    return [placed._replace(first=words[:n_first], second=words[n_first:]) for words in drawn]


def _explained(x: Float[np.ndarray, "word dim"], placed: Placed) -> float:
    return float(held_out_line(along_direction(x, placed), placed.values))


def along_direction(
    x: Float[np.ndarray, "word dim"], placed: Placed
) -> Float[np.ndarray, " profession"]:
    """Return the cosine of every profession with the direction from first to second words."""
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
