"""Stage `measure_random_weights`: what the geometry of layers owes to training.

The measures of direction, spectrum and context of models of the same config with random weights,
reading the very same tokens. They are nulls of the stage `measure_profiles`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.clouds.layers import (
    CorpusStates,
    layer_clouds,
    load_corpora_states,
)
from embspace.device import Device, choose_device
from embspace.files.rows import save_rows
from embspace.geometry.inference.shared_inputs import applicable
from embspace.geometry.measures.declaration import Definition, Family
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.layer_nulls import groups_of, values_of
from embspace.measure.layers.layer_states import window_states
from embspace.measure.layers.layer_steps import layers_in_steps
from embspace.measure.tables.pooled_states import final_norm_of, windows_of
from embspace.models.shuffled_weights import with_shuffled_entries
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.model import describe_model
from embspace.settings.stage import StageConfig, run_stage

FAMILIES: tuple[Family, ...] = ("direction", "spectrum", "context")
KINDS: dict[str, Callable[[Any, int], Any]] = {
    "random_initialization": with_random_weights,
    "shuffled_entries": with_shuffled_entries,
}
COLUMNS = ["corpus", "space", "change", "layer", "measure", "null", "seed", "n", "value"]


def measure_random_weights(
    module: Any,
    final_norm: str | None,
    corpora: Mapping[str, CorpusStates],
    *,
    read_corpora: list[str],
    n_seeds: PositiveInt,
    most_layers: Annotated[int, Field(ge=2)],
    left_out: list[str],
    tokens_per_batch: Annotated[int, Field(ge=1)],
    device: Device,
    seed: NonNegativeInt,
) -> pd.DataFrame:
    """One row a corpus, space, layer, measure, kind of random weights and seed.

    `random_initialization` draws the weights by the config, `shuffled_entries` shuffles the entries
    of every trained matrix. Measures `left_out` are too slow for so many models, and only
    `read_corpora` are read; if none is among `corpora`, the corpus with most tokens.
    """
    from joblib import Parallel, delayed
    from threadpoolctl import threadpool_limits
    from tqdm import tqdm

    measures = [
        each
        for each in profiled_measures().values()
        if each.family in FAMILIES and each.name not in left_out
    ]
    corpora = _read(corpora, read_corpora)
    models = [
        (kind, number, corpus) for kind in KINDS for number in range(n_seeds) for corpus in corpora
    ]
    rows: list[dict[str, Any]] = []
    for kind, number, name in tqdm(models, desc="random weights", disable=None):
        randomized = KINDS[kind](module, seed + number)
        states = _states(
            randomized, final_norm, corpora[name], tokens_per_batch, choose_device(device)
        )
        layers = layers_in_steps(states.n_layers, most_layers)
        # One thread of BLAS for each layer: more would wait for each other, ten times as long.
        with threadpool_limits(1, user_api="blas"):
            found = Parallel(n_jobs=-1, prefer="threads")(
                delayed(_of_layer)(states, layer, measures) for layer in layers
            )
        place = {"corpus": name, "null": kind, "seed": number}
        rows += [{**place, **row} for of_layer in found for row in of_layer]
    return pd.DataFrame(rows, columns=COLUMNS)


def _read(corpora: Mapping[str, CorpusStates], asked: list[str]) -> dict[str, CorpusStates]:
    """Return the corpora that are read: those asked for or, if none is there, the largest."""
    having = {name: each for name, each in corpora.items() if each.n_documents}
    found = {name: each for name, each in having.items() if name in asked}
    if found or not asked or not having:
        return found
    largest = max(having, key=lambda name: len(having[name].tokens))
    return {largest: having[largest]}


def _states(
    module: Any, final_norm: str | None, corpus: CorpusStates, tokens_per_batch: int, device: str
) -> CorpusStates:
    """Return the module's states of a corpus's tokens, in place of those that `corpus` has."""
    windows = windows_of(corpus.tokens)
    states = window_states(module, windows, final_norm, tokens_per_batch, device)
    kept = {kind: states[kind] for kind in corpus.states}
    return CorpusStates(kept, corpus.document, corpus.tokens)


def _of_layer(states: CorpusStates, layer: int, measures: list[Definition]) -> list[dict[str, Any]]:
    return list(_rows(states, layer, measures))


def _rows(states: CorpusStates, layer: int, measures: list[Definition]) -> Iterator[dict[str, Any]]:
    for space, change, cloud in layer_clouds(states, layer, ["as_is"], n_top=0):
        chosen = applicable(measures, groups_of(cloud), {})
        place = {"space": space, "change": change, "layer": layer, "n": len(cloud.x)}
        for measure, value in values_of(chosen, cloud).items():
            yield {**place, "measure": measure, "value": value}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    model = describe_model(name, config.model)
    table = measure_random_weights(
        load_model(name, model),
        final_norm_of(name, model),
        load_corpora_states(
            f"data/extracted/hidden_states/{name}", "data/prepared/texts", config.corpora
        ),
        **config.settings,
    )
    save_rows(table, f"data/measured/random_weights/{name}.parquet")


if __name__ == "__main__":
    run_stage(main, measure_random_weights)
