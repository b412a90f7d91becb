"""Stage `measure_evolution`: the way of tokens through the layers of a model.

Luisto's thesis, section 4.3, figures 20 to 22. Beside the thesis's observations stand random
weights, random directions, and the length set by LayerNorm.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.files.rows import load_rows, save_rows
from embspace.files.tables import save_table
from embspace.files.tensors import load_tensors
from embspace.geometry.groups.paths import rotated_paths
from embspace.geometry.inference.resampling import stream_of
from embspace.measure.tables.deviations import COLUMNS as OF_HALVES
from embspace.measure.tables.deviations import without_deviations
from embspace.measure.words.evolution_paths import (
    DRIFT_COLUMNS,
    LAYER_COLUMNS,
    RANDOM,
    STEP_COLUMNS,
    TRAINED,
    TokenPaths,
    drift_table,
    layer_table,
    rotation_groups,
    step_table,
    with_deviations,
)
from embspace.measure.words.evolution_steps import (
    SHARED_COLUMNS,
    shared_energies,
    shared_table,
    with_interval,
    with_null,
)
from embspace.measure.words.evolution_views import (
    PATH_COLUMNS,
    VIEW_COLUMNS,
    View,
    path_table,
    shares_of,
    view_table,
    views_of,
)
from embspace.models.layer_norms import layer_norm_scales
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.model import VectorsModel, describe_model
from embspace.settings.params import CorpusName
from embspace.settings.roles import Role, corpora_in_roles
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability

FollowedWords = Annotated[list[str], Field(min_length=1)]


@dataclass(frozen=True, eq=False)
class TokenStates:
    """The windows of texts, their tokens, and the tokens' states."""

    windows: pd.DataFrame
    """One row a window; each stimulus is one."""
    tokens: pd.DataFrame
    states: dict[str, np.ndarray]
    """`token`, and of stimuli `random_token`, (layer, token, dim)."""


@dataclass(frozen=True, eq=False)
class Evolution:
    """The tables of the stage, and the deviations of halves of the texts."""

    path: pd.DataFrame
    views: pd.DataFrame
    steps: pd.DataFrame
    layers: pd.DataFrame
    shared_steps: pd.DataFrame
    drift: pd.DataFrame
    deviations: pd.DataFrame


def measure_evolution(
    stimuli: TokenStates,
    corpora: dict[str, TokenStates],
    module: Any,
    final_norm: str | None,
    *,
    followed: list[FollowedWords],
    sampled_corpora: list[str],
    n_texts: PositiveInt,
    n_draws: PositiveInt,
    n_resamples: PositiveInt,
    level: Probability,
    roles: dict[Role, CorpusName],
    seed: NonNegativeInt,
) -> Evolution:
    """Paths in two principal components, steps, shared movement, and drift between texts.

    A view is a PCA of the states of some tokens: all; all without the last layer; the words of an
    entry of `followed`. For the null, every token's path is turned about the start by a random
    rotation, `n_draws` times; a token shared by two texts has the same rotation in both. Shared
    energy is for single texts, and for one token from each of `n_texts` texts of every corpus of
    `sampled_corpora`, names or, in braces, `roles`: independent tokens, with an interval and
    without a null. A corpus outside `corpora` is left out. `module` gives the length set by
    LayerNorm, `final_norm` is the norm after the last block. Empty for a model without a tokenizer.
    """
    if stimuli.tokens.empty:
        return _nothing()
    for_choice, for_null, for_interval, for_means = np.random.default_rng(seed).spawn(4)
    paths = _stimulus_paths(stimuli)
    by_text = paths.by_text()
    sampled = corpora_in_roles(sampled_corpora, roles)
    streams = zip(sampled, for_choice.spawn(len(sampled)), strict=True)
    at_large = {
        name: one_token_a_text(corpora[name], n_texts, generator)
        for name, generator in streams
        if name in corpora
    }
    views = views_of(stimuli.windows, stimuli.tokens, followed, len(paths.states[TRAINED]))
    halves: dict[str, Any] = {"n_resamples": n_resamples, "level": level}
    of_layers = [layer_table(*each) for each in by_text.items()]
    of_layers += [
        with_deviations(
            layer_table(name, each), each, generator=stream_of(for_means, name), **halves
        )
        for name, each in at_large.items()
    ]
    # One thread: on more BLAS would add in another order.
    with threadpool_limits(1, user_api="blas"):
        of_views, of_texts = _rotation_null(paths, views, n_draws, for_null)
        shared = [
            with_null(shared_table(name, each), null, level)
            for (name, each), null in zip(by_text.items(), of_texts, strict=True)
        ]
        shared += [
            with_interval(
                shared_table(name, each), each, generator=stream_of(for_interval, name), **halves
            )
            for name, each in at_large.items()
        ]
        seen = [
            view_table(view, paths, null, level) for view, null in zip(views, of_views, strict=True)
        ]
    drifts = [drift_table(*pair) for pair in combinations(by_text.values(), 2)]
    tables, deviations = without_deviations(
        {"layers": _stacked(of_layers), "shared_steps": _stacked(shared)}
    )
    return Evolution(
        **tables,
        path=_stacked([path_table(view, paths) for view in views]),
        views=_stacked(seen),
        steps=step_table(paths, _scales(module, final_norm, stimuli.tokens, seed)),
        drift=_stacked(drifts) if drifts else pd.DataFrame(columns=DRIFT_COLUMNS),
        deviations=deviations,
    )


def one_token_a_text(
    corpus: TokenStates, n_texts: int, generator: np.random.Generator
) -> TokenPaths:
    """An ordinary token of each of `n_texts` texts, or of all, drawn with equal probability.

    The texts do not depend on how a model cuts them, so that two models have the same.
    """
    for_texts = generator.spawn(1)[0]
    tokens = corpus.tokens
    text = corpus.windows["text"].to_numpy()[tokens["window"].to_numpy(dtype=np.int64)]
    ordinary = np.flatnonzero(~(tokens["special"] | tokens["repeated"]).to_numpy(dtype=bool))
    shuffled = generator.permutation(ordinary)
    first_of_text = np.unique(text[shuffled].astype(str), return_index=True)[1]
    # Texts are drawn anew: those whose token comes early are the long ones.
    rows = np.sort(shuffled[for_texts.permutation(first_of_text)[:n_texts]])
    named = tokens.iloc[rows][["position", "id", "token"]].assign(text=text[rows])
    return TokenPaths(named.reset_index(drop=True), {TRAINED: corpus.states["token"][:, rows]})


def _rotation_null(
    paths: TokenPaths, views: list[View], n_draws: int, generator: np.random.Generator
) -> tuple[list[Float[np.ndarray, "draw space quantity"]], list[Float[np.ndarray, "draw stretch"]]]:
    """The shares of each view and the shared energies of each text, for rotated paths."""
    groups = rotation_groups(paths.by_text())
    ids = paths.tokens["id"].to_numpy()
    texts = list(paths.rows_by_text().values())
    of_views, of_texts = [], []
    drawn = rotated_paths(paths.states[TRAINED], groups, n_draws=n_draws, generator=generator)
    for x in drawn:
        of_views.append([shares_of(view.of(x), ids[view.rows]) for view in views])
        of_texts.append([shared_energies(x[:, rows], ids[rows]) for rows in texts])
    by_view = list(np.stack(of_views, axis=1))
    for view, null in zip(views, by_view, strict=True):
        if len(np.unique(groups[view.rows])) == 1:
            null[:] = np.nan  # turned as one: what is new is rounding
    return by_view, list(np.stack(of_texts, axis=1))


def _stimulus_paths(stimuli: TokenStates) -> TokenPaths:
    names = stimuli.windows["id"].to_numpy()[stimuli.tokens["window"].to_numpy()]
    tokens = stimuli.tokens[["position", "id", "token"]].assign(text=names)
    states = stimuli.states
    return TokenPaths(tokens, {TRAINED: states["token"], RANDOM: states["random_token"]})


def _scales(
    module: Any, final_norm: str | None, tokens: pd.DataFrame, seed: int
) -> dict[str, Float[np.ndarray, " layer"]]:
    """Return the scales by the first text; random weights have the same gains for all seeds."""
    ids = tokens.loc[tokens["window"] == 0, "id"].to_numpy()
    modules = {TRAINED: module, RANDOM: with_random_weights(module, seed)}
    return {prefix: layer_norm_scales(each, ids, final_norm) for prefix, each in modules.items()}


def _stacked(tables: list[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(tables, ignore_index=True)


def _nothing() -> Evolution:
    columns = [PATH_COLUMNS, VIEW_COLUMNS, STEP_COLUMNS]
    columns += [LAYER_COLUMNS, SHARED_COLUMNS, DRIFT_COLUMNS]
    columns.append(OF_HALVES)
    return Evolution(*(pd.DataFrame(columns=each) for each in columns))


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    model = describe_model(name, config.model)
    followed = f"data/extracted/stimuli/{name}/evolution"
    read = f"data/extracted/hidden_states/{name}"
    settings = config.settings
    sampled = corpora_in_roles(settings["sampled_corpora"], settings["roles"])
    corpora = {
        corpus: TokenStates(
            load_rows(f"{read}/{corpus}.windows.parquet"),
            load_rows(f"{read}/{corpus}.tokens.parquet"),
            load_tensors(f"{read}/{corpus}.safetensors", ["token"]),
        )
        for corpus in config.corpora
        if corpus in sampled
    }
    found = measure_evolution(
        TokenStates(
            load_rows("data/prepared/stimuli/evolution.parquet"),
            load_rows(f"{followed}.tokens.parquet"),
            load_tensors(f"{followed}.safetensors", ["token", "random_token"]),
        ),
        corpora,
        load_model(name, model),
        None if isinstance(model, VectorsModel) else model.final_norm,
        **settings,
    )
    save_table(found.path, f"results/evolution/path/{name}.csv")
    save_table(found.views, f"results/evolution/views/{name}.csv")
    save_table(found.steps, f"results/evolution/steps/{name}.csv")
    save_table(found.layers, f"results/evolution/layers/{name}.csv")
    save_table(found.shared_steps, f"results/evolution/shared_steps/{name}.csv")
    save_rows(found.deviations, f"data/measured/evolution/{name}.parquet")
    save_table(found.drift, f"results/evolution/drift/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_evolution)
