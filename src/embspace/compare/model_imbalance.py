"""Stage `compare_model_imbalance`: which of two models holds more of the other's neighbors."""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.compare.alignment import STIMULI, AlignedCorpus, ReadModel, views_of_all
from embspace.compare.alignment_table import Views
from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.files.tensors import map_tensors
from embspace.geometry.inference.imbalance_draws import (
    ImbalanceDraws,
    imbalance_draws,
    view_imbalances,
)
from embspace.geometry.inference.resampling import stream_of
from embspace.settings.params import models_of
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability

QUANTITIES = ("to_other", "from_other", "asymmetry")
COLUMNS = ["corpus", "layer", "other_layer", "n"]
COLUMNS += [f"{name}{end}" for name in QUANTITIES for end in ("", "_low", "_high")]
COLUMNS += ["null_mean", "null_smallest", "random_weights_to_other", "random_weights_from_other"]
COLUMNS += ["level"]


def compare_model_imbalance(
    texts: dict[str, pd.DataFrame],
    stimuli: dict[str, pd.DataFrame],
    pair: tuple[ReadModel, ReadModel],
    *,
    smallest_n: Annotated[int, Field(ge=4)],
    largest_n: Annotated[int, Field(ge=4)],
    n_neighbors: PositiveInt,
    n_half_samples: PositiveInt,
    n_shuffles: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> pd.DataFrame:
    """Return a row per corpus and pair of layers of two models: `information_imbalance` both ways.

    `to_other` near 0: neighbors in the first model are near in the second; 1: the first says
    nothing about the second. `asymmetry` is `to_other` less `from_other`: negative where the first
    holds more of the second than the reverse. Points are the texts of `compare_alignment`, one per
    document, by the mean of the tokens. The null is `to_other` with the second model's texts in
    random order. The corpus `stimuli` has sentences made for other stages; only these have values
    at random weights, and no interval, for the sentences were not sampled.
    """
    generator = np.random.default_rng(seed)
    parts = [pd.DataFrame(columns=COLUMNS)]
    sets = views_of_all(texts, stimuli, pair, [], largest_n, seed)
    for corpus, _, views, random in sets:
        if views is None or views.n < max(smallest_n, 2 * n_neighbors + 2):
            continue
        # One thread: on more BLAS would add in another order.
        with threadpool_limits(1, user_api="blas"):
            found = imbalance_draws(
                [*views.x, *views.y],
                k=n_neighbors,
                n_half_samples=n_half_samples if views.is_sample else 0,
                n_shuffles=n_shuffles,
                level=level,
                rng=stream_of(generator, corpus),
            )
            at_random = _at_random(random, n_neighbors)
        table = _table(found, at_random, len(views.x))
        parts.append(table.assign(corpus=corpus, n=views.n, level=level).reindex(columns=COLUMNS))
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)


def _table(found: ImbalanceDraws, at_random: np.ndarray | None, n_layers: int) -> pd.DataFrame:
    """One row a pair of layers; the views of the second model come last."""
    first, second = slice(n_layers), slice(n_layers, None)
    columns = {
        "to_other": found.value[first, second],
        "to_other_low": found.low[first, second],
        "to_other_high": found.high[first, second],
        "from_other": found.value[second, first].T,
        "from_other_low": found.low[second, first].T,
        "from_other_high": found.high[second, first].T,
        "asymmetry": found.asymmetry[first, second],
        "asymmetry_low": found.asymmetry_low[first, second],
        "asymmetry_high": found.asymmetry_high[first, second],
        "null_mean": found.null_mean[first, second],
        "null_smallest": found.null_smallest[first, second],
    }
    if at_random is not None:
        columns["random_weights_to_other"] = at_random[first, second]
        columns["random_weights_from_other"] = at_random[second, first].T
    layer, other = np.indices(columns["to_other"].shape).reshape(2, -1)
    table = pd.DataFrame({name: each.ravel() for name, each in columns.items()})
    return table.assign(layer=layer, other_layer=other)


def _at_random(random: Views | None, k: int) -> np.ndarray | None:
    """None without random weights, and where both models have the same ones."""
    if random is None or np.array_equal(random.x, random.y):
        return None
    return view_imbalances([*random.x, *random.y], k=k)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    one, other = (_load(name, config.corpora) for name in models_of(config.pair))
    table = compare_model_imbalance(
        {name: load_rows(f"data/prepared/texts/{name}.parquet") for name in config.corpora},
        {name: load_rows(f"data/prepared/stimuli/{name}.parquet") for name in STIMULI},
        (one, other),
        **config.settings,
    )
    save_table(table, f"results/model_imbalance/{config.pair}.csv")


def _load(name: str, corpora: list[str]) -> ReadModel:
    read, seen = f"data/extracted/hidden_states/{name}", f"data/extracted/stimuli/{name}"
    of_corpora = {
        corpus: AlignedCorpus(
            load_rows(f"{read}/{corpus}.windows.parquet"),
            load_rows(f"{read}/{corpus}.tokens.parquet"),
            map_tensors(f"{read}/{corpus}.safetensors", ["mean"]),
        )
        for corpus in corpora
    }
    kinds = ["mean", "random_mean"]
    stimuli = {each: map_tensors(f"{seen}/{each}.safetensors", kinds) for each in STIMULI}
    return ReadModel(of_corpora, stimuli)


if __name__ == "__main__":
    run_stage(main, compare_model_imbalance, groups=("pair",))
