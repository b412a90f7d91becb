"""Stage `measure_sparse_features`: do sparse features of a layer recur between seeds?

By independent component analysis and by a small sparse autoencoder, with rules in
conf/measure/open_questions/sparse_features.yaml.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.layers import CorpusStates
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.clouds.token_corpus import load_token_corpus
from embspace.device import Device, choose_device
from embspace.geometry.features.feature_set import FeatureSet
from embspace.geometry.features.independent_components import (
    independent_components,
    whitened_cloud,
)
from embspace.geometry.features.recurrence import (
    Recurrence,
    directions_of_covariance,
    largest_random_match,
    orthogonal_directions,
    recurrence,
)
from embspace.geometry.features.sparse_autoencoder import Training, sparse_autoencoder
from embspace.geometry.inference.null_clouds import gaussian_of_covariance
from embspace.geometry.inference.resampling import stream_of
from embspace.measure.open_questions.features.states import (
    TokenStates,
    states_at_random_weights,
    token_states,
)
from embspace.measure.open_questions.features.tokens import Shown, described
from embspace.measure.tables.columns import shown, with_bounds
from embspace.measure.tables.pooled_states import final_norm_of
from embspace.models.weights import load_model
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

ICA, AUTOENCODER = "ica", "autoencoder"
METHODS = (ICA, AUTOENCODER)
MODEL, RANDOM, GAUSSIAN = "model", "random_weights", "gaussian"
LEARNED, UNTRAINED, NOT_BEYOND = "learned", "also untrained", "not beyond chance"
UNDECIDED = "undecided"  # beyond random weights, of which a fit did not converge
YES, NO = "yes", "no"
FEWEST_TIMES = 4  # tokens over principal components; with fewer, ICA fits noise
SPARSE_FEATURES = Analysis(
    noun="sparse_features",
    question="Do sparse features of a layer recur between seeds, and which tokens light them?",
    over="profiled",
    reads={
        "corpus": Source(load_token_corpus, TEXT_FOLDERS, lists=["corpora"]),
        "module": Source(load_model),
        "final_norm": Source(final_norm_of),
    },
    tables={
        "csv": Table(
            {
                **shown("row", "layer", "method", "cloud"),
                "n_tokens": ("count", "tokens"),
                "n_features": ("count", "features"),
                "dead_share": ("seed_feature", "dead features"),
                "converged_share": ("seed_feature", "fits that converged"),
                "variance_share": ("seed_feature", "share of variance"),
                "cosine": ("seed_feature", "cosine of matches"),
                "null_cosine": ("null_feature", "largest with random directions, of all clouds"),
                **with_bounds("recurring", "seed_feature", "features that recur"),
                "verdict": ("feature_choice", "features are"),
            }
        ),
        "features": Table(
            {
                **shown("row", "layer", "method", "cloud", "rank"),
                "cosine": ("feature_choice", "smallest cosine with other seeds"),
                "recurs": ("feature_choice", "recurs"),
                "active_share": ("feature_choice", "tokens that light it"),
                "token": ("feature_choice", "token"),
                "token_share": ("feature_choice", "share of the token among the top"),
                "n_texts": ("feature_choice", "texts among the top"),
                "examples": ("feature_choice", "examples"),
            }
        ),
    },
    scalars={"n_tokens": "count", "n_documents": "count"},
)


class How(NamedTuple):
    """Settings of all fits."""

    n_components: int
    max_iter: int
    training: Training
    n_seeds: int
    n_draws: int
    seed: int


def measure_sparse_features(
    corpus: tuple[str, CorpusStates] | None,
    module: Any,
    final_norm: str | None,
    *,
    n_documents: PositiveInt,
    n_components: Annotated[int, Field(ge=2)],
    max_iter: PositiveInt,
    n_features: Annotated[int, Field(ge=2)],
    n_active: PositiveInt,
    n_epochs: PositiveInt,
    batch_size: PositiveInt,
    learning_rate: PositiveFloat,
    n_seeds: Annotated[int, Field(ge=2)],
    margin: Probability,
    n_draws: PositiveInt,
    n_listed: PositiveInt,
    n_top: PositiveInt,
    n_examples: PositiveInt,
    tokens_per_batch: PositiveInt,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Search for features in the middle and the last layer with several seeds, and match them.

    Every seed has its own documents.

    `csv` has a row per layer, method and cloud: the model's states, states at random weights, a
    Gaussian cloud. For a layer and method, the same cosine decides in all clouds whether a feature
    recurs. `features` describes the features of the first seed that recur best, of the model and of
    random weights. Verdicts are by the rule of conf/.
    """
    if corpus is None or module is None:
        return SPARSE_FEATURES.empty(n_tokens=0, n_documents=0)
    layers = sorted({corpus[1].n_layers // 2, corpus[1].n_layers - 1})
    read = token_states(*corpus, layers, n_documents)
    n_tokens = int(read.tokens["kept"].sum())
    n_read = read.tokens["document"].nunique()
    if n_read < n_seeds or n_tokens < FEWEST_TIMES * n_components * n_seeds:
        return SPARSE_FEATURES.empty(n_tokens=0, n_documents=0)
    random = states_at_random_weights(
        read, module, final_norm, tokens_per_batch, choose_device(device), seed
    )
    training = Training(n_features, min(n_active, n_features), n_epochs, batch_size, learning_rate)
    how = How(n_components, max_iter, training, n_seeds, n_draws, seed)
    parts = _parts(read, n_seeds, np.random.default_rng(seed))
    rows: dict[str, list[dict[str, Any]]] = {"csv": [], "features": []}
    for layer in layers:
        generator = np.random.default_rng(seed).spawn(1)[0]
        gaussian = gaussian_of_covariance(read.states[layer].astype(np.float64), generator)
        clouds = {MODEL: read.states[layer], RANDOM: random[layer], GAUSSIAN: gaussian}
        for method in METHODS:
            made = _in_clouds(clouds, parts, method, how)
            place = {"layer": layer, "method": method}
            rows["csv"] += [place | row for row in _compared(made, n_tokens, margin)]
            for name in (MODEL, RANDOM):
                seeds, recurring = made[name]
                listed = _listed(seeds[0], recurring, read, n_listed, Shown(n_top, n_examples))
                rows["features"] += [place | {"cloud": name} | row for row in listed]
    return {
        **{name: table.of(rows[name]) for name, table in SPARSE_FEATURES.tables.items()},
        "json": {"n_tokens": n_tokens, "n_documents": n_read},
    }


def _parts(
    read: TokenStates, n_parts: int, rng: np.random.Generator
) -> list[Int[np.ndarray, " _"]]:
    """Return the rows of the tokens of `n_parts` disjoint sets of documents."""
    document = pd.factorize(read.tokens.loc[read.tokens["kept"], "document"])[0]
    part = rng.permutation(document.max() + 1) % n_parts
    return [np.flatnonzero(part[document] == number) for number in range(n_parts)]


def _in_clouds(
    clouds: Mapping[str, Float[np.ndarray, "token dim"]],
    parts: Sequence[Int[np.ndarray, " _"]],
    method: str,
    how: How,
) -> dict[str, tuple[list[FeatureSet], Recurrence]]:
    """Return the features of all seeds in every cloud, and how far the seeds agree.

    A feature recurs if its match exceeds the largest match with random directions in any cloud: a
    separate threshold per cloud would be near 1 where few directions hold most of the variance.
    """
    made = {name: _seeds(x, parts, method, how) for name, x in clouds.items()}
    threshold = max(
        largest_random_match(
            made[name][0],
            orthogonal_directions if method == ICA else directions_of_covariance(x),
            n_draws=how.n_draws,
            rng=stream_of(np.random.default_rng(how.seed), method, name),
        )
        for name, x in clouds.items()
    )
    return {name: (seeds, recurrence(seeds, threshold)) for name, seeds in made.items()}


def _seeds(
    x: Float[np.ndarray, "token dim"],
    parts: Sequence[Int[np.ndarray, " _"]],
    method: str,
    how: How,
) -> list[FeatureSet]:
    """Return the features of all seeds, with a separate part of the documents per seed."""
    seeds = [*enumerate(parts, start=how.seed * how.n_seeds)]
    if method == ICA:
        cloud = whitened_cloud(x, how.n_components)
        return [
            independent_components(cloud, part, max_iter=how.max_iter, seed=number)
            for number, part in seeds
        ]
    return [sparse_autoencoder(x, part, how.training, seed=number) for number, part in seeds]


def _compared(
    made: Mapping[str, tuple[Sequence[FeatureSet], Recurrence]], n_tokens: int, margin: float
) -> Iterator[dict[str, Any]]:
    """Yield a row per cloud; the model's has the verdict."""
    shares = {name: recurring.shares for name, (_, recurring) in made.items()}
    decision = verdict(shares, converged_share(made[RANDOM][0]), margin)
    for name, (seeds, recurring) in made.items():
        dead = [1 - features.is_alive.mean() for features in seeds]
        yield {
            "cloud": name,
            "n_tokens": n_tokens,
            "n_features": len(seeds[0].directions),
            "dead_share": float(np.mean(dead)),
            "converged_share": converged_share(seeds),
            "variance_share": float(np.mean([features.variance_share for features in seeds])),
            "cosine": recurring.cosine,
            "null_cosine": recurring.threshold,
            "recurring": float(recurring.shares.mean()),
            "recurring_low": float(recurring.shares.min()),
            "recurring_high": float(recurring.shares.max()),
            "verdict": decision if name == MODEL else "",
        }


def converged_share(seeds: Sequence[FeatureSet]) -> float:
    """Return the share of fits that converged; NaN if the method does not tell."""
    known = [features.is_converged for features in seeds if features.is_converged is not None]
    return float(np.mean(known)) if known else np.nan


def verdict(
    shares: Mapping[str, Float[np.ndarray, " pair"]], converged_share: float, margin: float
) -> str:
    """Return whether features recur beyond a Gaussian cloud, and beyond random weights.

    Args:
        shares: Shares of recurring features in [0, 1] by cloud, for every pair of seeds.
        converged_share: Share of fits at random weights that converged; NaN if no method tells.
        margin: Least distance of the model's smallest share from the largest share of a null.
    """
    smallest = shares[MODEL].min() - margin
    if smallest <= shares[GAUSSIAN].max():
        return NOT_BEYOND
    if smallest <= shares[RANDOM].max():
        return UNTRAINED
    return UNDECIDED if converged_share < 1 else LEARNED


def _listed(
    first: FeatureSet, recurring: Recurrence, read: TokenStates, n: int, how: Shown
) -> Iterator[dict[str, Any]]:
    """Yield a row for the features of the first seed with the best matches in the other seeds."""
    smallest = recurring.first_seed
    order = np.argsort(-np.nan_to_num(smallest, nan=-1), kind="stable")
    for rank, feature in enumerate(order[:n], start=1):
        if not np.isnan(smallest[feature]):
            yield {
                "rank": rank,
                "cosine": smallest[feature],
                "recurs": YES if smallest[feature] > recurring.threshold else NO,
                "active_share": _active_share(first.activations[:, feature]),
                **described(first.activations[:, feature], read.tokens, how),
            }


def _active_share(activations: Float[np.ndarray, " token"]) -> float:
    """Return the share of tokens that activate a feature; NaN if no activation is 0."""
    return float((activations > 0).mean()) if (activations == 0).any() else np.nan


main = SPARSE_FEATURES.main(measure_sparse_features)

if __name__ == "__main__":
    run_stage(main, measure_sparse_features)
