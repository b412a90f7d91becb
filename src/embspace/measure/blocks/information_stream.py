"""Stage `measure_information_stream`: what the parts of a block do to the stream's alignment."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import NonNegativeInt, PositiveInt

from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.device import Device, choose_device
from embspace.files.tables import Row, save_table
from embspace.geometry.inference.resampling import Interval, half_sample_interval
from embspace.measure.blocks.information_stream_points import OF_HEADS, steps_between
from embspace.measure.blocks.information_stream_statistics import (
    ISOTROPIC,
    MEASURES,
    OF_DIRECTION,
    StreamStatistics,
    stream_statistics,
)
from embspace.measure.blocks.text_streams import chosen_corpus, texts_of
from embspace.models.stream.adapters import knows
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.model import describe_model
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Share

OF_STEPS = ("mean_cosine", "mean_resultant_length")
ESTIMATE = ["value", "low", "high"]
RANDOM = ["random_weights_mean", "random_weights_smallest", "random_weights_largest"]
SIZES = ["n_texts", "n_tokens"]
COLUMNS = {
    "points": ["corpus", "layer", "point", "measure", *ESTIMATE, *RANDOM]
    + ["isotropic", *SIZES, "n_dimensions"],
    "heads": ["corpus", "layer", "head", "point", "measure", *ESTIMATE, *RANDOM, *SIZES],
    "steps": ["corpus", "layer", "step", "from_point", "to_point", "measure", *ESTIMATE]
    + [*RANDOM, *SIZES],
    "gains": ["corpus", "step", "measure", "n_blocks", *ESTIMATE, *RANDOM, *SIZES],
}
PerText = Float[np.ndarray, "text cell"]


@dataclass(frozen=True, eq=False)
class InformationStream:
    """The four tables; all empty for an architecture that cannot be rebuilt."""

    points: pd.DataFrame
    """One row a layer, point and measure; points of heads are the mean over heads."""
    heads: pd.DataFrame
    """One row a layer, head, point and measure of direction."""
    steps: pd.DataFrame
    """One row a layer, step and measure: the gain from point to point."""
    gains: pd.DataFrame
    """One row a step and measure: the mean gain over all blocks with the step."""


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
) -> InformationStream:
    """Measures of the vectors of each text at every point of every block, mean over texts.

    A text is the first window of a document of `corpus` or, where this is not read, of the one with
    most tokens; special tokens are among its tokens, padding is not. Intervals are by half-samples
    of the texts. `n_random_weights` models of the same config read the same tokens.
    """
    name = chosen_corpus(corpora, corpus)
    texts = [] if name is None else texts_of(corpora[name], n_texts)
    if not knows(module) or not texts:
        return InformationStream(*(pd.DataFrame(columns=COLUMNS[each]) for each in COLUMNS))
    asked = (texts, tokens_per_batch, choose_device(device))
    trained = stream_statistics(module, *asked)
    random = [
        stream_statistics(with_random_weights(module, seed + number), *asked)
        for number in range(n_random_weights)
    ]
    facts = {"corpus": name, "n_texts": len(texts), "n_tokens": int(trained.n_tokens.sum())}
    makers = {
        "points": _of_points,
        "heads": _of_heads,
        "steps": _of_steps,
        "gains": _of_gains,
    }
    streams = np.random.default_rng(seed).spawn(len(makers))
    found = {}
    for (table, make), rng in zip(makers.items(), streams, strict=True):
        places, values = make(trained)
        bounds = half_sample_interval(
            partial(_mean_of, values),
            len(values),
            n_resamples=n_half_samples,
            level=level,
            generator=rng,
        )
        drawn = np.array([make(each)[1].mean(axis=0) for each in random])
        rows = [
            {**facts, **place, **row}
            for place, row in zip(places, _rows(values, bounds, drawn), strict=True)
        ]
        found[table] = pd.DataFrame(rows, columns=COLUMNS[table])
    return InformationStream(**found)


def _mean_of(values: PerText, texts: Int[np.ndarray, " drawn"]) -> Float[np.ndarray, " cell"]:
    return np.asarray(values[texts].mean(axis=0))


def _rows(
    values: PerText, bounds: Interval, random: Float[np.ndarray, "..."]
) -> Iterator[dict[str, float]]:
    """The estimate of each cell with its interval, and the range over random weights."""
    for cell, value in enumerate(values.mean(axis=0)):
        row = {"value": value, "low": bounds.low[cell], "high": bounds.high[cell]}
        if len(random):
            drawn = random[:, cell]
            row |= dict(zip(RANDOM, (drawn.mean(), drawn.min(), drawn.max()), strict=True))
        yield row


def _of_points(statistics: StreamStatistics) -> tuple[list[Row], PerText]:
    """The place of each cell, and the cells of each text."""
    places: list[Row] = []
    columns = []
    for place, n_dimensions in statistics.n_dimensions.items():
        layer, point = place
        columns.append(statistics.of_point(place))
        for measure in MEASURES:
            isotropic = ISOTROPIC[measure](statistics.n_tokens, n_dimensions)
            known = {"isotropic": isotropic, "n_dimensions": n_dimensions}
            places.append({"layer": layer, "point": point, "measure": measure, **known})
    return places, np.concatenate(columns, axis=1)


def _of_heads(statistics: StreamStatistics) -> tuple[list[Row], PerText]:
    places: list[Row] = []
    columns = []
    for (layer, point), values in statistics.values.items():
        if point not in OF_HEADS:
            continue
        for head in range(values.shape[1]):
            columns.append(values[:, head, : len(OF_DIRECTION)])
            place = {"layer": layer, "head": head + 1, "point": point}
            places += [{**place, "measure": measure} for measure in OF_DIRECTION]
    return places, np.concatenate(columns, axis=1)


def _of_steps(statistics: StreamStatistics) -> tuple[list[Row], PerText]:
    """Differences between two points of the same text, with paired intervals."""
    places: list[Row] = []
    columns = []
    chosen = [MEASURES.index(each) for each in OF_STEPS]
    for layer in dict.fromkeys(layer for layer, _ in statistics.values):
        points = [point for at, point in statistics.values if at == layer]
        for step, (first, last) in steps_between(points).items():
            before, after = (statistics.of_point((layer, each)) for each in (first, last))
            columns.append((after - before)[:, chosen])
            place = {"layer": layer, "step": step, "from_point": first, "to_point": last}
            places += [{**place, "measure": measure} for measure in OF_STEPS]
    return places, np.concatenate(columns, axis=1)


def _of_gains(statistics: StreamStatistics) -> tuple[list[Row], PerText]:
    """The steps of each text, mean over blocks."""
    places, values = _of_steps(statistics)
    cells: dict[tuple[str, str], list[int]] = {}
    for number, place in enumerate(places):
        cells.setdefault((place["step"], place["measure"]), []).append(number)
    rows: list[Row] = [
        {"step": step, "measure": measure, "n_blocks": len(numbers)}
        for (step, measure), numbers in cells.items()
    ]
    means = [values[:, numbers].mean(axis=1) for numbers in cells.values()]
    return rows, np.stack(means, axis=1)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    found = measure_information_stream(
        load_model(name, describe_model(name, config.model)),
        load_corpora_states(
            f"data/extracted/hidden_states/{name}", "data/prepared/texts", config.corpora
        ),
        **config.settings,
    )
    save_table(found.points, f"results/information_stream/{name}.csv")
    save_table(found.heads, f"results/information_stream/heads/{name}.csv")
    save_table(found.steps, f"results/information_stream/steps/{name}.csv")
    save_table(found.gains, f"results/information_stream/gains/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_information_stream)
