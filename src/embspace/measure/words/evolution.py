"""Stage `measure_evolution`: the way of tokens through the layers of a model.

Luisto's thesis, section 4.3, figures 20 to 22. Beside the thesis's observations stand random
weights, random directions, and the length set by LayerNorm.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.files.rows import load_rows, save_rows
from embspace.files.tensors import load_tensors
from embspace.geometry.groups.paths import rotated_paths
from embspace.geometry.inference.resampling import stream_of
from embspace.measure.tables.columns import shown, with_bounds
from embspace.measure.tables.deviations import without_deviations
from embspace.measure.tables.pooled_states import final_norm_of
from embspace.measure.words.evolution_paths import (
    QUANTITIES,
    RANDOM,
    TRAINED,
    TokenPaths,
    drift_table,
    layer_table,
    rotation_groups,
    step_table,
    with_deviations,
)
from embspace.measure.words.evolution_steps import (
    ENERGY,
    shared_energies,
    shared_table,
    with_interval,
    with_null,
)
from embspace.measure.words.evolution_views import (
    COMPONENTS,
    View,
    path_table,
    shares_of,
    view_table,
    views_of,
)
from embspace.models.layer_norms import layer_norm_scales
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.params import CorpusName
from embspace.settings.roles import Role, corpora_in_roles
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

FollowedWords = Annotated[list[str], Field(min_length=1)]


@dataclass(frozen=True, eq=False)
class TokenStates:
    """The windows of a corpus, their tokens, and the tokens' states, (layer, token, dim)."""

    windows: pd.DataFrame
    tokens: pd.DataFrame
    states: dict[str, np.ndarray]


def load_states(path: str) -> TokenStates:
    """Return the windows, tokens and states of a corpus; the files begin with a path."""
    states = load_tensors(f"{path}.safetensors", ["token"])
    windows, tokens = (load_rows(f"{path}.{table}.parquet") for table in ("windows", "tokens"))
    return TokenStates(windows, tokens, states)


def load_corpora(folder: str, corpora: list[str]) -> dict[str, Callable[[], TokenStates]]:
    """Return by corpus a function to load the corpus."""
    return {corpus: partial(load_states, f"{folder}/{corpus}") for corpus in corpora}


def both(*columns: str) -> dict[str, Column]:
    """Return columns of the model's weights and of random ones."""
    return {prefix + column: "distance" for prefix in (TRAINED, RANDOM) for column in columns}


TOKEN = ("text", "position", "token", "layer")
EXTRACTED = "data/extracted/stimuli/{model}/evolution"
EVOLUTION = Analysis(
    noun="evolution",
    question="How do tokens travel through the layers, and do they go one way? Figs 20-22",
    reads={
        "windows": "data/prepared/stimuli/evolution.parquet",
        "tokens": f"{EXTRACTED}.tokens.parquet",
        "states": Source(
            partial(load_tensors, names=["token", "random_token"]), f"{EXTRACTED}.safetensors"
        ),
        "corpora": Source(load_corpora, "data/extracted/hidden_states/{model}", lists=["corpora"]),
        "module": Source(load_model),
        "final_norm": Source(final_norm_of),
    },
    tables={
        "path": Table(
            dict.fromkeys(("view", *TOKEN), "row") | dict.fromkeys(COMPONENTS, "distance")
        ),
        "views": Table(
            dict.fromkeys(("view", "space", "quantity"), "row")
            | dict.fromkeys(("n_paths", "n_states"), "count")
            | both("value")
            | with_bounds("null_value", "null_value")
            | {"p_value": "p_value"}
        ),
        "steps": Table(
            dict.fromkeys(TOKEN, "row")
            | both(*QUANTITIES, "layer_norm_scale")
            | dict.fromkeys(("layer_norm_scale", f"{RANDOM}layer_norm_scale"), "moment")
        ),
        "layers": Table(
            dict.fromkeys(("tokens", "quantity", "layer"), "row")
            | {"n": "count"}
            | both("mean", "minimum", "maximum")
            | with_bounds("mean", "distance"),
            compared=["mean"],
            along="layer",
        ),
        "shared_steps": Table(
            dict.fromkeys(("tokens", "first_layer", "last_layer"), "row")
            | {"n_tokens": "count"}
            | both(ENERGY, "mean_pair_cosine", "previous_shared_cosine")
            | with_bounds(ENERGY, "distance")
            | with_bounds(f"null_{ENERGY}", "null_value")
            | {"p_value": "p_value"},
            compared=[ENERGY],
            along="last_layer",
        ),
        "drift": Table(
            shown("row", "first", "second", "token", "position")
            | dict.fromkeys(("second_position", "layer"), "row")
            | both("euclidean_distance", "cosine", "relative_distance")
            | {"euclidean_distance": ("distance", "distance")}
            | shown("distance", "cosine", "relative_distance")
            | {f"{RANDOM}relative_distance": ("distance", "relative distance, random weights")}
        ),
    },
    data={"parquet": save_rows},  # deviations of halves of the texts
    undrawn=["layers", "parquet", "shared_steps", "steps"],
    further_figures={"evolution_steps": "steps", "evolution_shared": "what is shared"},
)


def measure_evolution(
    windows: pd.DataFrame,
    tokens: pd.DataFrame,
    states: dict[str, np.ndarray],
    corpora: Mapping[str, Callable[[], TokenStates]],
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
) -> Outcome:
    """Measure paths in two principal components, steps, shared movement, and drift between texts.

    A view is a PCA of the states of some tokens: all; all without the last layer; the words of an
    entry of `followed`. For the null, every token's path is turned about the start by a random
    rotation, `n_draws` times; a token shared by two texts has the same rotation in both. Shared
    energy is for single texts, and for one token from each of `n_texts` texts of every corpus of
    `sampled_corpora`, names or, in braces, `roles`: independent tokens, with an interval and
    without a null. A corpus outside `corpora` is left out. The `module` gives the
    length set by LayerNorm. Empty for a model without a tokenizer.
    """
    if tokens.empty:
        return EVOLUTION.empty()
    for_choice, for_null, for_interval, for_means = np.random.default_rng(seed).spawn(4)
    paths = _stimulus_paths(windows, tokens, states)
    by_text = paths.by_text()
    sampled = corpora_in_roles(sampled_corpora, roles)
    streams = zip(sampled, for_choice.spawn(len(sampled)), strict=True)
    at_large = {
        name: one_token_a_text(corpora[name](), n_texts, generator)
        for name, generator in streams
        if name in corpora
    }
    views = views_of(windows, tokens, followed, len(paths.states[TRAINED]))
    halves: dict[str, Any] = {"n_resamples": n_resamples, "level": level}
    layers = [layer_table(*text) for text in by_text.items()]
    layers += [
        with_deviations(layer_table(name, own), own, generator=stream_of(for_means, name), **halves)
        for name, own in at_large.items()
    ]
    # One thread: on more BLAS would add in another order.
    with threadpool_limits(1, user_api="blas"):
        view_nulls, text_nulls = _rotation_null(paths, views, n_draws, for_null)
        shared = [
            with_null(shared_table(name, own), null, level)
            for (name, own), null in zip(by_text.items(), text_nulls, strict=True)
        ]
        shared += [
            with_interval(
                shared_table(name, own), own, generator=stream_of(for_interval, name), **halves
            )
            for name, own in at_large.items()
        ]
        shares = [
            view_table(view, paths, null, level)
            for view, null in zip(views, view_nulls, strict=True)
        ]
    drifts = [drift_table(*pair) for pair in combinations(by_text.values(), 2)]
    tables, deviations = without_deviations(
        {"layers": _stacked(layers), "shared_steps": _stacked(shared)}
    )
    return {
        **tables,
        "path": _stacked([path_table(view, paths) for view in views]),
        "views": _stacked(shares),
        "steps": step_table(paths, _scales(module, final_norm, tokens, seed)),
        "drift": _stacked(drifts) if drifts else EVOLUTION.tables["drift"].of(),
        "parquet": deviations,
    }


def one_token_a_text(
    corpus: TokenStates, n_texts: int, generator: np.random.Generator
) -> TokenPaths:
    """Return one random ordinary token from each of `n_texts` texts, or from all texts.

    The choice of texts does not depend on the tokenizer, so that two models have the same texts.
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
    """Return the views' shares and the texts' shared energies, for rotated paths."""
    groups = rotation_groups(paths.by_text())
    ids = paths.tokens["id"].to_numpy()
    texts = list(paths.rows_by_text().values())
    view_shares, text_energies = [], []
    drawn = rotated_paths(paths.states[TRAINED], groups, n_draws=n_draws, generator=generator)
    for x in drawn:
        view_shares.append([shares_of(view.of(x), ids[view.rows]) for view in views])
        text_energies.append([shared_energies(x[:, rows], ids[rows]) for rows in texts])
    by_view = list(np.stack(view_shares, axis=1))
    for view, null in zip(views, by_view, strict=True):
        if len(np.unique(groups[view.rows])) == 1:
            null[:] = np.nan  # turned as one: what is new is rounding
    return by_view, list(np.stack(text_energies, axis=1))


def _stimulus_paths(
    windows: pd.DataFrame, tokens: pd.DataFrame, states: dict[str, np.ndarray]
) -> TokenPaths:
    names = windows["id"].to_numpy()[tokens["window"].to_numpy()]
    tokens = tokens[["position", "id", "token"]].assign(text=names)
    return TokenPaths(tokens, {TRAINED: states["token"], RANDOM: states["random_token"]})


def _scales(
    module: Any, final_norm: str | None, tokens: pd.DataFrame, seed: int
) -> dict[str, Float[np.ndarray, " layer"]]:
    """Return the scales by the first text; random weights have the same gains for all seeds."""
    ids = tokens.loc[tokens["window"] == 0, "id"].to_numpy()
    modules = {TRAINED: module, RANDOM: with_random_weights(module, seed)}
    return {
        prefix: layer_norm_scales(weights, ids, final_norm) for prefix, weights in modules.items()
    }


def _stacked(tables: list[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(tables, ignore_index=True)


main = EVOLUTION.main(measure_evolution)

if __name__ == "__main__":
    run_stage(main, measure_evolution)
