"""Stage `measure_keep_k`: the rest of vectors reduced to the k strongest tokens.

With this check, Dar et al. 2023 (appendix A) choose the embedding matrix E' by which vectors are
read: the transpose, or the pseudo-inverse.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_args

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.parameters.keep_k import keep_k_grams, random_members
from embspace.geometry.parameters.projection import Inverse, token_readers
from embspace.measure.parameters.vocabulary_space import (
    FACTS,
    VocabularySpace,
    distinct_layers,
    load_vocabulary_space,
)
from embspace.measure.tables.columns import PROFILE, value_with_bounds, with_bounds
from embspace.measure.tables.nulls import mean_and_range
from embspace.models.parameters.read import ModelParameters
from embspace.settings.params import CorpusName
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

# Up to so many the inverse is chosen by: vectors are read by a few words.
MOST_WORDS = 500
NORMAL, HIDDEN = "normal", "hidden_state"
KEYS = ("kind", "inverse", "k", "n_vectors")
DrawnCosines = dict[tuple[str, str, int, int], Float[np.ndarray, " draw"]]
"""The cosines of all draws, by `KEYS`."""


SCORES = Table(
    {
        "kind": ("row", "vectors"),
        "inverse": "row",
        "k": ("row", "k"),
        "n_vectors": ("row", "n"),
        **value_with_bounds("profile", "cosine", "profile_bound"),
        "n_draws": "count",
        "n_pool": "count",
    }
)
KEEP_K = Analysis(
    noun="keep_k",
    question=(
        "How well do a few words stand for a vector, and by which matrix is it read? With "
        "`make all`"
    ),
    over="profiled",
    reads={
        "space": Source(load_vocabulary_space),
        "corpora": Source(load_corpora_states, TEXT_FOLDERS, lists=["corpora"]),
    },
    tables={"csv": SCORES, "sizes": SCORES},
    scalars={
        **FACTS,
        "corpus": "setting",
        "level": "setting",
        "chosen_inverse": "name",
        "mean_*": "profile",
        **Table(with_bounds("advantage", "profile", bound="profile_bound")).kinds,
    },
)


def measure_keep_k(
    space: VocabularySpace,
    corpora: Mapping[str, CorpusStates],
    *,
    corpus: CorpusName,
    n_vectors: PositiveInt,
    n_pool: PositiveInt,
    ks: Annotated[list[PositiveInt], Field(min_length=1)],
    sizes: Annotated[list[PositiveInt], Field(min_length=1)],
    n_draws: PositiveInt,
    level: Share,
    seed: NonNegativeInt,
) -> Outcome:
    """Return the cosine of Gram matrices before and after keeping k tokens, by kind of vectors.

    A pool has `n_pool` vectors of one kind, and a draw takes `n_vectors` of its pool. A value is
    the mean over `n_draws` draws; `low` and `high` are the ends of the middle `level` of the draws.
    Where a draw is half of the pool, this range is an interval of the mean by half-samples (Politis
    & Romano 1994). Hidden states of one document are drawn together. No draw has more than half of
    its pool. `k` beyond the vocabulary are left out.

    The chosen inverse has the higher mean over keys and values of the MLPs and all k up to 500; the
    interval of its advantage is over the same draws of both. Tables are empty for a model whose
    blocks are not known.
    """
    from threadpoolctl import threadpool_limits

    parameters = space.parameters
    if parameters is None:
        return KEEP_K.empty(**space.facts())
    n_tokens = len(parameters.tokens)
    within = sorted({min(min(ks), n_tokens), *(k for k in ks if k <= n_tokens)})
    drawn: DrawnCosines = {}
    generator = np.random.default_rng(seed)
    pools = _pools(parameters, corpora.get(corpus), n_pool, generator)
    # More threads than one wait longer for each other than these products take.
    with threadpool_limits(1, user_api="blas"):
        for inverse in get_args(Inverse):
            readers = token_readers(parameters.output_embedding, inverse)
            embedding = readers if inverse == "transpose" else parameters.output_embedding
            for kind, pool in pools.items():
                grams = keep_k_grams(pool.vectors, embedding, readers, within)
                fits = {_size(size, len(pool.unit)) for size in (n_vectors, *sizes)}
                for size in sorted(fits):
                    stream = stream_of(generator, kind, str(size))  # of both inverses the same
                    members = random_members(pool.unit, size, n_draws, stream)
                    cosines = grams.cosines(members)
                    drawn |= {
                        (kind, inverse, k, size): cosines[:, number]
                        for number, k in enumerate(within)
                    }
    n = {kind: len(pool.unit) for kind, pool in pools.items()}
    whole = {key: drawn[key] for key in drawn if key[3] == _size(n_vectors, n[key[0]])}
    facts = space.facts() | {"corpus": corpus if corpus in corpora else None}
    facts |= {"n_vectors": n_vectors, "n_pool": n_pool, "n_draws": n_draws, "level": level}
    return {
        "csv": _table(whole, n, level),
        "sizes": _table(drawn, n, level),
        "json": facts | _choice(whole, level),
    }


@dataclass(frozen=True, eq=False)
class _Pool:
    """Vectors of one kind, and the groups in which they are drawn."""

    vectors: Float[np.ndarray, "row dim"]
    unit: Int[np.ndarray, " row"]


def _size(n_vectors: int, n_pool: int) -> int:
    """Return the number of vectors of a draw: half of the pool at most."""
    return min(n_vectors, max(1, n_pool // 2))


def _pools(
    parameters: ModelParameters, states: CorpusStates | None, n: int, generator: np.random.Generator
) -> dict[str, _Pool]:
    """Return vectors of every kind: normal vectors, parameters, and hidden states."""
    streams = {NORMAL: stream_of(generator, NORMAL)}
    made = {NORMAL: streams[NORMAL].normal(size=(n, parameters.layers[0].query.shape[1]))}
    layers = [layer.groups() for layer in distinct_layers(parameters.layers)]
    for name in (group for group in layers[0] if group.startswith("feed_forward")):
        vectors = np.concatenate([groups[name] for groups in layers])
        stream = stream_of(generator, name)
        chosen = np.sort(stream.choice(len(vectors), min(n, len(vectors)), replace=False))
        made[name] = vectors[chosen]
    pools = {
        name: _Pool(np.asarray(x, dtype=np.float32), np.arange(len(x))) for name, x in made.items()
    }
    if states is not None and "token" in states.states:
        hidden = _hidden(states, n, stream_of(generator, HIDDEN))
        pools |= {HIDDEN: hidden} if len(hidden.unit) > 1 else {}
    return pools


def _hidden(states: CorpusStates, n: int, generator: np.random.Generator) -> _Pool:
    """Return states after blocks, from all layers alike, with their documents."""
    tokens = states.tokens
    document = states.document[tokens["window"].to_numpy()]
    kept = np.flatnonzero(~tokens["repeated"].to_numpy())
    x = states.states["token"]
    n_layers = len(x) - 1
    if not len(kept):
        return _Pool(np.empty((0, x.shape[-1]), np.float32), np.empty(0, np.int64))
    place = generator.choice(len(kept) * n_layers, min(n, len(kept) * n_layers), replace=False)
    layer, token = 1 + place // len(kept), kept[place % len(kept)]
    vectors = np.stack([x[number, row] for number, row in zip(layer, token, strict=True)])
    return _Pool(np.asarray(vectors, dtype=np.float32), document[token].astype(np.int64))


def _table(drawn: DrawnCosines, n_pool: Mapping[str, int], level: float) -> pd.DataFrame:
    """Return a row per kind, inverse, k and number of vectors."""
    return SCORES.of(
        dict(zip(KEYS, key, strict=True))
        | dict(zip(PROFILE, map(float, mean_and_range(cosines, level)), strict=True))
        | {"n_draws": len(cosines), "n_pool": n_pool[key[0]]}
        for key, cosines in drawn.items()
    )


def _choice(drawn: DrawnCosines, level: float) -> dict[str, Any]:
    """Return the inverse with the higher mean over the MLPs' vectors and few words, and both."""
    units = {key: x for key, x in drawn.items() if key[0].startswith("feed_forward")}
    most = max(MOST_WORDS, min((key[2] for key in units), default=0))
    means = {
        inverse: np.mean(
            [x for key, x in units.items() if key[1] == inverse and key[2] <= most], axis=0
        )
        for inverse in get_args(Inverse)
    }
    chosen = max(means, key=lambda inverse: float(means[inverse].mean()))
    other = next(inverse for inverse in means if inverse != chosen)
    advantage, low, high = mean_and_range(means[chosen] - means[other], level)
    return {
        "chosen_inverse": chosen,
        **{f"mean_{inverse}": float(mean.mean()) for inverse, mean in means.items()},
        "advantage": float(advantage),
        "advantage_low": float(low),
        "advantage_high": float(high),
    }


main = KEEP_K.main(measure_keep_k)

if __name__ == "__main__":
    run_stage(main, measure_keep_k)
