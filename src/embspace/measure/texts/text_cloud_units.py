"""The documents of corpora as units: which vectors hang together, and intervals over documents."""

from collections.abc import Callable, Mapping
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.clouds.texts import TextCloud
from embspace.geometry.inference.resampling import Interval, half_sample_interval
from embspace.geometry.pairs.group_pairs import GroupedVectors
from embspace.measure.tables.deviations import units_named

MOST_UNITS = 500  # that a corpus brings; more documents share some: a pair keeps 72 bytes
Chosen = Bool[np.ndarray, " unit"]
"""A mask of the units in a statistic."""
IntervalOver = Callable[[Callable[[Chosen], np.ndarray]], Interval]
"""The interval of a statistic of the chosen units."""


def windows_by_document(clouds: Mapping[str, TextCloud]) -> dict[str, pd.DataFrame]:
    """Return the windows in the order of their documents; documents of the same name are one.

    Names of digits alone, as rows without an id have, join no corpora. Columns: row, of the
    vectors; n_tokens; document; document_number; unit, of documents.
    """
    numbers: dict[str, int] = {}
    units: list[int] = []
    windows = {}
    for corpus, cloud in clouds.items():
        documents = cloud.windows["document"]
        if documents.astype(str).str.isdecimal().all():
            documents = f"{corpus}/" + documents.astype(str)
        new = [name for name in documents.unique() if name not in numbers]
        numbers |= {name: len(numbers) + place for place, name in enumerate(new)}
        first_unit = units[-1] + 1 if units else 0
        documents_per_unit = -(-len(new) // MOST_UNITS)
        units += [first_unit + place // documents_per_unit for place in range(len(new))]
        number = documents.map(numbers).to_numpy(dtype=np.int64)
        table = pd.DataFrame(
            {
                "row": np.arange(len(documents)),
                "n_tokens": cloud.windows["n_tokens"].to_numpy(),
                "document": documents.to_numpy(),
                "document_number": number,
                "unit": np.array(units)[number],
            }
        )
        windows[corpus] = table.sort_values("document_number", kind="stable", ignore_index=True)
    return windows


def grouped_vectors(x: np.ndarray, windows: pd.DataFrame) -> GroupedVectors:
    """The vectors of a corpus in the order of its table of `windows_by_document`."""
    return GroupedVectors.of(
        x[windows["row"].to_numpy()],
        windows["document_number"].to_numpy(),
        windows["unit"].to_numpy(),
    )


def units_of(x: GroupedVectors, y: GroupedVectors) -> Chosen:
    """Return the units with a vector in either cloud."""
    return np.bincount(np.concatenate([x.units, y.units])) > 0


def units_by_corpora(windows: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the names of the units of single corpora and of pairs."""
    rows = []
    for a, b in combinations_with_replacement(windows, 2):
        documents = pd.concat([windows[a], windows[b]]).drop_duplicates("document_number")
        names = documents.sort_values("document_number").groupby("unit")["document"].agg(" ".join)
        rows.append({"corpus": a, "other_corpus": b, **units_named(names)})
    return pd.DataFrame(rows)


def interval_over(
    chosen: Chosen, *, n_half_samples: int, level: float, rng: np.random.Generator
) -> IntervalOver:
    """The interval of a statistic of units of documents, by halves of the chosen ones."""
    units = np.flatnonzero(chosen)

    def interval(statistic: Callable[[Chosen], np.ndarray]) -> Interval:
        def at_places(places: Int[np.ndarray, " place"]) -> np.ndarray:
            some = np.zeros_like(chosen)
            some[units[places]] = True
            return statistic(some)

        return half_sample_interval(
            at_places, len(units), n_resamples=n_half_samples, level=level, generator=rng
        )

    return interval


def mean_in(chosen: Chosen, x: GroupedVectors, values: Float[np.ndarray, " n"]) -> float:
    """The mean of the values of vectors of chosen units; NaN if there is none."""
    present = values[chosen[x.units]]
    return float(present.mean()) if len(present) else float("nan")
