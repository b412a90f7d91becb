"""Stage `measure_random_weights`: how far training shapes the geometry of layers.

The measures of direction, spectrum and context of models of the same config with random weights,
which read the very same tokens. They are nulls of these three analyses.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Source
from embspace.clouds.layers import CorpusStates, layer_clouds
from embspace.device import Device, choose_device
from embspace.files.rows import save_rows
from embspace.geometry.inference.shared_inputs import applicable
from embspace.geometry.measures.declaration import Definition, Family
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.layer_nulls import groups_of, values_of
from embspace.measure.layers.layer_profiles import CORPORA
from embspace.measure.layers.layer_states import window_states
from embspace.measure.layers.layer_steps import layers_in_steps
from embspace.measure.tables.pooled_states import final_norm_of, windows_of
from embspace.models.shuffled_weights import with_shuffled_entries
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.stage import run_stage

FAMILIES: tuple[Family, ...] = ("direction", "spectrum", "context")
KINDS: dict[str, Callable[[Any, int], Any]] = {
    "random_initialization": with_random_weights,
    "shuffled_entries": with_shuffled_entries,
}
COLUMNS = ["corpus", "space", "change", "layer", "measure", "null", "seed", "n", "value"]
RANDOM_WEIGHTS = Analysis(
    noun="random_weights",
    question="",
    over="profiled",
    reads={
        "module": Source(load_model),
        "final_norm": Source(final_norm_of),
        "corpora": CORPORA,
    },
    data={"parquet": save_rows},
    undrawn=["parquet"],
)


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
) -> Outcome:
    """Return a row per corpus, space, layer, measure, kind of random weights and seed: "parquet".

    `random_initialization` draws the weights by the config, `shuffled_entries` shuffles the entries
    of every trained matrix. Measures `left_out` are too slow for many models, and only
    `read_corpora` are read; if none is among `corpora`, the corpus with most tokens.
    """
    from joblib import Parallel, delayed
    from threadpoolctl import threadpool_limits
    from tqdm import tqdm

    measures = [
        measure
        for measure in profiled_measures().values()
        if measure.family in FAMILIES and measure.name not in left_out
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
            rows_by_layer = Parallel(n_jobs=-1, prefer="threads")(
                delayed(_rows_of_layer)(states, layer, measures) for layer in layers
            )
        place = {"corpus": name, "null": kind, "seed": number}
        rows += [{**place, **row} for layer_rows in rows_by_layer for row in layer_rows]
    return {"parquet": pd.DataFrame(rows, columns=COLUMNS)}


def _read(corpora: Mapping[str, CorpusStates], names: list[str]) -> dict[str, CorpusStates]:
    """Return the named corpora or, if none of them is present, the largest corpus."""
    not_empty = {name: corpus for name, corpus in corpora.items() if corpus.n_documents}
    read = {name: corpus for name, corpus in not_empty.items() if name in names}
    if read or not names or not not_empty:
        return read
    largest = max(not_empty, key=lambda name: len(not_empty[name].tokens))
    return {largest: not_empty[largest]}


def _states(
    module: Any, final_norm: str | None, corpus: CorpusStates, tokens_per_batch: int, device: str
) -> CorpusStates:
    """Return the corpus with the module's states of its tokens in place of its own."""
    windows = windows_of(corpus.tokens)
    states = window_states(module, windows, final_norm, tokens_per_batch, device)
    kept = {kind: states[kind] for kind in corpus.states}
    return CorpusStates(kept, corpus.document, corpus.tokens)


def _rows_of_layer(
    states: CorpusStates, layer: int, measures: list[Definition]
) -> list[dict[str, Any]]:
    rows = []
    for space, change, cloud in layer_clouds(states, layer, ["as_is"], n_top=0):
        chosen = applicable(measures, groups_of(cloud), {})
        place = {"space": space, "change": change, "layer": layer, "n": len(cloud.x)}
        for measure, value in values_of(chosen, cloud).items():
            rows.append({**place, "measure": measure, "value": value})
    return rows


main = RANDOM_WEIGHTS.main(measure_random_weights)

if __name__ == "__main__":
    run_stage(main, measure_random_weights)
