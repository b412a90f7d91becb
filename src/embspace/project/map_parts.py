"""Parts of the positions and a string of numbers, on a map of tokens and positions together."""

import re
from collections.abc import Mapping
from dataclasses import asdict

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.clouds.learned import LearnedCloud
from embspace.geometry.inference.resampling import upper_p_value
from embspace.geometry.maps.lines import one_dimensionality
from embspace.geometry.maps.parts import parts_by_gaps
from embspace.project.maps import Layout

DIGITS = re.compile(r"(?!##)[^0-9A-Za-z]*([0-9]+)")
"""A token that is a whole number, with or without a mark of the space before it."""
FEWEST = 8  # positions or numbers, of which a map can show a form
LEVEL = 0.95
TIMES = np.geomspace(0.5, 2.0, 9)
"""Factors of the gap for counting parts again: a map has no unit that suggests a gap."""
N_HALVES = 40
"""Random halves of the numbers, on which their order on the map is measured again."""
PART_COLUMNS = ["cloud", "n", "n_parts", "n_parts_low", "n_parts_high", "null_n_parts"]
PART_COLUMNS += ["null_n_parts_low", "null_n_parts_high", "p_value", "n_draws"]
PART_COLUMNS += ["most_mixed_part", "least_mixed_part"]
NUMBER_COLUMNS = ["cloud", "n", "near_number_share", "null_near_number_share"]
NUMBER_COLUMNS += ["null_near_number_share_low", "null_near_number_share_high", "p_value"]
LINE_COLUMNS = ["order_correlation", "null_order_correlation", "null_order_correlation_high"]
LINE_COLUMNS += ["adjacent_neighbor_share"]
NUMBER_COLUMNS += ["n_draws", *LINE_COLUMNS, "order_correlation_low", "order_correlation_high"]


def parts_and_numbers(
    clouds: Mapping[str, LearnedCloud],
    layouts: Mapping[str, Layout],
    vocabulary: pd.DataFrame,
    *,
    gap: float,
    smallest_share: float,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two tables, a row per map of tokens: parts of positions, and the string of numbers."""
    parts, numbers = [], []
    names = [name for name in layouts if not clouds[name].is_positional]
    for name, stream in zip(names, rng.spawn(len(names)), strict=True):
        for_parts, for_numbers = stream.spawn(2)
        how: dict[str, float] = {"gap": gap, "smallest_share": smallest_share}
        cloud, layout = clouds[name], layouts[name]
        parts.append(parts_of_positions(name, cloud, layout, **how, n_draws=n_draws, rng=for_parts))
        numbers.append(
            string_of_numbers(name, cloud, layout, vocabulary, n_draws=n_draws, rng=for_numbers)
        )
    return (
        pd.DataFrame(list(filter(None, parts)), columns=PART_COLUMNS),
        pd.DataFrame(list(filter(None, numbers)), columns=NUMBER_COLUMNS),
    )


def parts_of_positions(
    name: str,
    cloud: LearnedCloud,
    layout: Layout,
    *,
    gap: float,
    smallest_share: float,
    n_draws: int,
    rng: np.random.Generator,
) -> dict[str, object] | None:
    """Return the number of parts of the positions on a map, beside as many random tokens.

    Parts are by `parts_by_gaps`, with a gap in nearest distances of the points themselves: many
    tokens in a small place form no more parts than few in a large place. `n_parts_low` and
    `n_parts_high` are the fewest and the most parts over gaps from half to twice of that: a map
    shows only what all these gaps agree on. A part is mixed by the share of positions with a token
    as nearest point on the map: `most_mixed_part` and `least_mixed_part`. None for a map without
    enough positions and tokens.
    """
    points, is_position = _points(layout), np.array(cloud.spaces) == "positional"
    n, tokens = int(is_position.sum()), np.flatnonzero(~is_position)
    if n < FEWEST or len(tokens) < n:
        return None
    parts, *others = (
        parts_by_gaps(points[is_position], gap=times * gap, smallest_share=smallest_share)
        for times in (1.0, *TIMES)
    )
    beside_token = ~is_position[_nearest(points)][is_position]
    mixed = [float(beside_token[parts.labels == part].mean()) for part in range(parts.n)]
    drawn = [
        parts_by_gaps(
            points[rng.choice(tokens, n, replace=False)], gap=gap, smallest_share=smallest_share
        ).n
        for _ in range(n_draws)
    ]
    return {
        "cloud": name,
        "n": n,
        "n_parts": parts.n,
        "n_parts_low": min(other.n for other in others),
        "n_parts_high": max(other.n for other in others),
        **_null("n_parts", drawn),
        "p_value": upper_p_value(float(parts.n), np.array(drawn, dtype=np.float64)),
        "n_draws": n_draws,
        "most_mixed_part": max(mixed, default=np.nan),
        "least_mixed_part": min(mixed, default=np.nan),
    }


def string_of_numbers(
    name: str,
    cloud: LearnedCloud,
    layout: Layout,
    vocabulary: pd.DataFrame,
    *,
    n_draws: int,
    rng: np.random.Generator,
) -> dict[str, object] | None:
    """Return whether numbers among the tokens lie together on a map, and in order of value.

    The share of numbers whose nearest token is a number, beside as many random other tokens, and
    the correlation of the value with the place along the numbers' spanning tree, beside shuffled
    values. The interval is over random halves of the numbers: a single number between two branches
    of the tree may reverse the order of many. None for a map with fewer than eight numbers, or more
    numbers than other tokens.
    """
    is_token = np.array(cloud.spaces) == "input"
    points, ids = _points(layout)[is_token], cloud.ids[is_token]
    values = _values(vocabulary)[ids]
    numbers, others = np.flatnonzero(values >= 0), np.flatnonzero(values < 0)
    if len(numbers) < FEWEST or len(others) < len(numbers):
        return None
    nearest = _nearest(points)
    drawn = [
        _share_among(rng.choice(others, len(numbers), replace=False), nearest)
        for _ in range(n_draws)
    ]
    share = _share_among(numbers, nearest)
    by_value = numbers[np.argsort(values[numbers], kind="stable")]
    line = asdict(
        one_dimensionality(points[by_value], np.arange(len(by_value)), n_shuffles=n_draws, rng=rng)
    )
    low, high = _order_in_halves(points[by_value], rng)
    return {
        "cloud": name,
        "n": len(numbers),
        "near_number_share": share,
        **_null("near_number_share", drawn),
        "p_value": upper_p_value(share, np.array(drawn)),
        "n_draws": n_draws,
        **{column: line[column] for column in LINE_COLUMNS},
        "order_correlation_low": low,
        "order_correlation_high": high,
    }


def _order_in_halves(
    in_order: Float[np.ndarray, "n 2"], rng: np.random.Generator
) -> tuple[float, float]:
    """Return the interval of the order's correlation over random halves of ordered points."""
    n = len(in_order) // 2
    halves = (np.sort(rng.choice(len(in_order), n, replace=False)) for _ in range(N_HALVES))
    lines = (
        one_dimensionality(in_order[half], np.arange(n), n_shuffles=1, rng=rng) for half in halves
    )
    low, high = np.quantile(
        [line.order_correlation for line in lines], [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    )
    return float(low), float(high)


def _points(layout: Layout) -> Float[np.ndarray, "n 2"]:
    """Return the map as it is saved, so that the saved coordinates give the same measures."""
    points: Float[np.ndarray, "n 2"] = layout[:, :2].astype(np.float32).astype(np.float64)
    return points


def _nearest(points: Float[np.ndarray, "n 2"]) -> Int[np.ndarray, " n"]:
    """Return the nearest further point per point."""
    from scipy.spatial import KDTree

    _, both = KDTree(points).query(points, k=2)
    nearest: Int[np.ndarray, " n"] = np.where(
        both[:, 0] == np.arange(len(points)), both.T[1], both.T[0]
    )
    return nearest


def _share_among(chosen: Int[np.ndarray, " k"], nearest: Int[np.ndarray, " n"]) -> float:
    """Return the share of the chosen points whose nearest point is chosen, too."""
    is_chosen: Bool[np.ndarray, " n"] = np.zeros(len(nearest), dtype=np.bool_)
    is_chosen[chosen] = True
    return float(is_chosen[nearest[chosen]].mean())


def _values(vocabulary: pd.DataFrame) -> Float[np.ndarray, " token"]:
    """Return the number spelled by a token, by id; -1 for tokens without a number."""
    matches = (DIGITS.fullmatch(str(token)) for token in vocabulary["token"])
    values = np.full(int(vocabulary["id"].max()) + 1, -1.0)
    values[vocabulary["id"].to_numpy()] = [float(match[1]) if match else -1.0 for match in matches]
    return values


def _null(name: str, drawn: list[float] | list[int]) -> dict[str, float]:
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return {
        f"null_{name}": float(np.mean(drawn)),
        f"null_{name}_low": float(low),
        f"null_{name}_high": float(high),
    }
