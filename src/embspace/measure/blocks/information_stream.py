"""Stage `measure_information_stream`: how the parts of a block change the stream's alignment."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from pydantic import NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.device import Device, choose_device
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import half_sample_interval
from embspace.measure.blocks.information_stream_points import OF_HEADS, steps_between
from embspace.measure.blocks.information_stream_statistics import (
    DIRECTION_MEASURES,
    ISOTROPIC,
    MEASURES,
    StreamStatistics,
    stream_statistics,
)
from embspace.measure.blocks.text_streams import chosen_texts, estimate_row
from embspace.measure.tables.columns import BESIDE_RANDOM_WEIGHTS
from embspace.models.stream.adapters import knows
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

OF_STEPS = ("mean_cosine", "mean_resultant_length")
PerText = Float[np.ndarray, " text"]
StreamCells = Iterator[tuple[Row, PerText]]
"""The place of a row in a table, and the value of every text."""
SIZES: dict[str, Column] = {"n_texts": "count", "n_tokens": "count"}
INFORMATION_STREAM = Analysis(
    noun="information_stream",
    question=(
        "What do attention, concatenation, MLP and norms each do to the alignment of the tokens of "
        "a text? With `make all`"
    ),
    over="profiled",
    reads={
        "module": Source(load_model),
        "corpora": Source(load_corpora_states, TEXT_FOLDERS, lists=["corpora"]),
    },
    tables={
        "csv": Table(  # of points of heads the mean over heads
            {
                "corpus": "row",
                "layer": "row",
                "point": "row",
                "measure": "row",
                **BESIDE_RANDOM_WEIGHTS,
                "value": ("stream", "value"),
                "isotropic": "moment",
                **SIZES,
                "n_dimensions": "count",
            }
        ),
        "heads": Table(  # measures of direction
            {
                "corpus": "row",
                "layer": "row",
                "head": "row",
                "point": "row",
                "measure": "row",
                **BESIDE_RANDOM_WEIGHTS,
                **SIZES,
            }
        ),
        "steps": Table(  # the gain from point to point
            {
                "corpus": "row",
                "layer": "row",
                "step": "row",
                "from_point": "name",
                "to_point": "name",
                "measure": "row",
                **BESIDE_RANDOM_WEIGHTS,
                **SIZES,
            }
        ),
        "gains": Table(  # the mean gain over all blocks with the step
            {
                "corpus": "row",
                "step": ("row", "step"),
                "measure": "row",
                "n_blocks": ("count", "n_blocks"),
                **BESIDE_RANDOM_WEIGHTS,
                **SIZES,
            }
        ),
    },
)


def measure_information_stream(
    module: Any,
    corpora: Mapping[str, CorpusStates],
    *,
    corpus: str,
    n_texts: PositiveInt,
    n_random_weights: NonNegativeInt,
    tokens_per_batch: PositiveInt,
    n_half_samples: PositiveInt,
    level: Share,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Return measures of the vectors of a text at every point of every block, as means over texts.

    A text is the first window of a document of `corpus` or, if that is missing, of the corpus with
    most tokens. Special tokens count as tokens, padding does not. Intervals are by half-samples of
    the texts. `n_random_weights` models of the same config read the same tokens. Empty for an
    architecture that cannot be rebuilt.
    """
    texts = chosen_texts(corpora, corpus, n_texts)
    if not knows(module) or not texts.tokens:
        return INFORMATION_STREAM.empty()
    reading = (texts.tokens, tokens_per_batch, choose_device(device))
    trained = stream_statistics(module, *reading)
    random = [
        stream_statistics(with_random_weights(module, seed + number), *reading)
        for number in range(n_random_weights)
    ]
    tables = {"csv": _points, "heads": _heads, "steps": _steps, "gains": _gains}
    streams = np.random.default_rng(seed).spawn(len(tables))
    outcome = {}
    for (name, cells_of), rng in zip(tables.items(), streams, strict=True):
        places, values = _stacked(cells_of(trained))
        bounds = half_sample_interval(
            partial(_means, values),
            len(values),
            n_resamples=n_half_samples,
            level=level,
            generator=rng,
        )
        drawn = [_means(_stacked(cells_of(statistics))[1]) for statistics in random]
        at_random = np.reshape(drawn, (len(random), len(places))).T
        numbers = zip(_means(values), bounds.low, bounds.high, at_random, strict=True)
        rows = (
            texts.facts | place | estimate_row(*row)
            for place, row in zip(places, numbers, strict=True)
        )
        outcome[name] = INFORMATION_STREAM.tables[name].of(rows)
    return outcome


def _stacked(cells: StreamCells) -> tuple[tuple[Row, ...], Float[np.ndarray, "text cell"]]:
    places, values = zip(*cells, strict=True)
    return places, np.stack(values, axis=1)


def _means(
    values: Float[np.ndarray, "text cell"], texts: Int[np.ndarray, " drawn"] | slice = slice(None)
) -> Float[np.ndarray, " cell"]:
    return np.asarray(values[texts].mean(axis=0))


def _points(statistics: StreamStatistics) -> StreamCells:
    for place, n_dimensions in statistics.n_dimensions.items():
        values = statistics.head_means(place)
        for number, measure in enumerate(MEASURES):
            row = dict(zip(("layer", "point"), place, strict=True)) | {"measure": measure}
            isotropic = ISOTROPIC[measure](statistics.n_tokens, n_dimensions)
            yield row | {"isotropic": isotropic, "n_dimensions": n_dimensions}, values[:, number]


def _heads(statistics: StreamStatistics) -> StreamCells:
    for (layer, point), values in statistics.values.items():
        for head in range(values.shape[1]) if point in OF_HEADS else ():
            for number, measure in enumerate(DIRECTION_MEASURES):
                row = {"layer": layer, "head": head + 1, "point": point, "measure": measure}
                yield row, values[:, head, number]


def _steps(statistics: StreamStatistics) -> StreamCells:
    """Yield differences between two points of the same text, with paired intervals."""
    for layer in dict.fromkeys(layer for layer, _ in statistics.values):
        points = [point for at, point in statistics.values if at == layer]
        for step, (first, last) in steps_between(points).items():
            gain = statistics.head_means((layer, last)) - statistics.head_means((layer, first))
            row = {"layer": layer, "step": step, "from_point": first, "to_point": last}
            for measure in OF_STEPS:
                yield row | {"measure": measure}, gain[:, MEASURES.index(measure)]


def _gains(statistics: StreamStatistics) -> StreamCells:
    """Yield the steps of every text, as means over blocks."""
    blocks: dict[tuple[str, str], list[PerText]] = {}
    for place, values in _steps(statistics):
        blocks.setdefault((place["step"], place["measure"]), []).append(values)
    for (step, measure), gains in blocks.items():
        row = {"step": step, "measure": measure, "n_blocks": len(gains)}
        yield row, np.mean(gains, axis=0)


main = INFORMATION_STREAM.main(measure_information_stream)

if __name__ == "__main__":
    run_stage(main, measure_information_stream)
