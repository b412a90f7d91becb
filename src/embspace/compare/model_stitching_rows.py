"""Rows and verdicts of layers of two models that are joined."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from embspace.compare.model_stitching_joins import (
    IDENTITY,
    OWN,
    RANDOM,
    VOCABULARY,
    Join,
    KeptOutput,
)
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import half_sample_interval

JOINS, NOT, OPEN = "joins", "does not join", "open"
DECISIVE = ("cosine", "nearest")
WITHOUT_TRAINING = (VOCABULARY, IDENTITY)
"""The stitches that have a verdict."""


@dataclass(frozen=True)
class Bounds:
    """How intervals and verdicts are made."""

    bar: float
    n_half_samples: int
    level: float
    seed: int


def join_rows(join: Join, bounds: Bounds) -> Iterator[Row]:
    """Yield a row for each stitch of two layers, then for each kind of random ones.

    A row of random stitches has the mean over draws, and their range for bounds.
    """
    place: Row = {"layer": join.layer, "upper_layer": join.upper_layer}
    rows = {key: _row(kept, bounds) for key, kept in join.stitches.items()}
    null = {kind: _drawn_row(drawn) for kind, drawn in join.draws.items()}
    for (stitch, weights), row in rows.items():
        if weights == OWN and stitch in WITHOUT_TRAINING:
            row["verdict"] = _verdict(row, [rows[stitch, RANDOM], *null.values()], bounds.bar)
        yield place | {"stitch": stitch, "weights": weights} | row
    for kind, row in null.items():
        yield place | {"stitch": kind, "weights": OWN, "n_draws": len(join.draws[kind])} | row


def _verdict(row: Row, below: Sequence[Row], bar: float) -> str:
    """Return whether both measures lie above the bar, and above what chance gives."""
    bars = {name: max(bar, *(float(other[f"{name}_high"]) for other in below)) for name in DECISIVE}
    if all(float(row[f"{name}_low"]) > bars[name] for name in DECISIVE):
        return JOINS
    return NOT if any(float(row[f"{name}_high"]) <= bars[name] for name in DECISIVE) else OPEN


def _row(kept: KeptOutput, bounds: Bounds) -> Row:
    """Return the means over texts, with intervals over half-samples of them."""
    values = _values(kept)
    names, table = [*values], np.stack([*values.values()])

    def mean(texts: np.ndarray) -> Float[np.ndarray, " measure"]:
        return np.asarray(table[:, texts].mean(axis=1))

    interval = half_sample_interval(
        mean,
        table.shape[1],
        n_resamples=bounds.n_half_samples,
        level=bounds.level,
        generator=np.random.default_rng(bounds.seed),  # the same halves for all stitches
    )
    row: Row = {"n": table.shape[1]}
    for number, name in enumerate(names):
        least = -1.0 if name == "cosine" else 0.0
        row |= {
            name: table[number].mean(),
            f"{name}_low": max(float(interval.low[number]), least),
            f"{name}_high": min(float(interval.high[number]), 1.0),
        }
    return row


def _drawn_row(drawn: Sequence[KeptOutput]) -> Row:
    values = [_values(kept) for kept in drawn]
    row: Row = {"n": len(drawn[0].states.cosine)}
    for name in values[0]:
        means = np.array([of_draw[name].mean() for of_draw in values])
        row |= {name: means.mean(), f"{name}_low": means.min(), f"{name}_high": means.max()}
    return row


def _values(kept: KeptOutput) -> dict[str, Float[np.ndarray, " text"]]:
    values = {"cosine": kept.states.cosine, "nearest": kept.states.nearest}
    if kept.same_word is not None:
        values["same_word"] = kept.same_word
    return {name: np.asarray(array, dtype=np.float64) for name, array in values.items()}
