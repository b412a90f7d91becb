"""Stage `measure_keep_k`: what is left of vectors when each keeps its k strongest tokens.

The check by which Dar et al. 2023 (appendix A) choose the embedding matrix E' that vectors are read
with: its transpose, or its pseudo-inverse.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_args

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.files.scalars import save_scalars
from embspace.files.tables import save_table
from embspace.geometry.parameters.keep_k import keep_k_grams
from embspace.geometry.parameters.projection import Inverse, token_readers
from embspace.measure.parameters.vocabulary_space import VocabularySpace, load_vocabulary_space
from embspace.models.parameters.read import ModelParameters
from embspace.settings.model import describe_model
from embspace.settings.params import CorpusName
from embspace.settings.stage import StageConfig, run_stage

COLUMNS = ["kind", "inverse", "k", "n_vectors", "value", "smallest", "largest", "n_draws"]
# Up to so many the inverse is chosen by: vectors are read by a few words.
MOST_WORDS = 500
NORMAL, HIDDEN = "normal", "hidden_state"


@dataclass(frozen=True, eq=False)
class KeepK:
    """The tables of the stage; empty for a model whose blocks are not known."""

    scores: pd.DataFrame
    """One row a kind of vectors, inverse and k."""
    sizes: pd.DataFrame
    """The same by the number of vectors, at one k."""
    facts: dict[str, Any]


def measure_keep_k(
    space: VocabularySpace,
    corpora: Mapping[str, CorpusStates],
    *,
    corpus: CorpusName,
    n_vectors: PositiveInt,
    ks: Annotated[list[PositiveInt], Field(min_length=1)],
    sizes: Annotated[list[PositiveInt], Field(min_length=1)],
    size_k: PositiveInt,
    n_draws: PositiveInt,
    seed: NonNegativeInt,
) -> KeepK:
    """The cosine between Gram matrices before and after keeping k tokens, by kind of vectors.

    Vectors are drawn anew `n_draws` times, hidden states from other documents of `corpus` each
    time; rows have the mean and the range. A `k` beyond the vocabulary is left out. The chosen
    inverse has the higher mean over keys and values of the MLPs and all k up to 500.
    """
    from threadpoolctl import threadpool_limits

    parameters = space.parameters
    if parameters is None:
        empty = pd.DataFrame(columns=COLUMNS)
        return KeepK(empty, empty, space.facts())
    n_tokens = len(parameters.tokens)
    at = min(size_k, n_tokens)
    within = sorted({at, *(k for k in ks if k <= n_tokens)})
    rows, by_size = [], []
    # More threads than one wait longer for each other than these products take.
    with threadpool_limits(1, user_api="blas"):
        for inverse in get_args(Inverse):
            readers = token_readers(parameters.output_embedding, inverse)
            embedding = readers if inverse == "transpose" else parameters.output_embedding
            for draw, rng in enumerate(np.random.default_rng(seed).spawn(n_draws)):
                made = _drawn(parameters, corpora.get(corpus), n_vectors, draw, n_draws, rng)
                for kind, x in made:
                    facts = {"kind": kind, "inverse": inverse}
                    fits = sorted({min(size, len(x)) for size in sizes})
                    whole, parts = keep_k_grams(x, embedding, readers, within, fits)
                    rows += _named(whole, {**facts, "n_vectors": len(x)}, k=within)
                    found = parts[within.index(at)]
                    by_size += _named(found, {**facts, "k": at}, n_vectors=fits)
    scores = _over_draws(rows)
    facts = space.facts() | {"corpus": corpus if corpus in corpora else None}
    facts |= {"n_vectors": n_vectors, "n_draws": n_draws, **_choice(scores)}
    return KeepK(scores, _over_draws(by_size), facts)


def _drawn(
    parameters: ModelParameters,
    states: CorpusStates | None,
    n: int,
    draw: int,
    n_draws: int,
    rng: np.random.Generator,
) -> list[tuple[str, Float[np.ndarray, "_ dim"]]]:
    """Vectors of each kind: normal ones, those of the parameters, and hidden states."""
    made = [(NORMAL, rng.normal(size=(n, parameters.layers[0].query.shape[1])))]
    of_layers = [layer.groups() for layer in parameters.layers]
    names = [each for each in of_layers[0] if each.startswith("feed_forward")]
    for name in names:
        rows = sum(len(groups[name]) for groups in of_layers)
        chosen = np.sort(rng.choice(rows, min(n, rows), replace=False))
        x = np.concatenate([groups[name] for groups in of_layers])[chosen]
        made.append((name, x[rng.permutation(len(x))]))
    if states is not None and "token" in states.states:
        hidden = _hidden(states, n, draw, n_draws, rng)
        made += [(HIDDEN, hidden)] if len(hidden) else []
    return [(name, np.asarray(x, dtype=np.float32)) for name, x in made]


def _hidden(
    states: CorpusStates, n: int, draw: int, n_draws: int, rng: np.random.Generator
) -> Float[np.ndarray, "_ dim"]:
    """States after blocks, of all layers alike, of every `n_draws`-th document, if any."""
    tokens = states.tokens
    document = states.document[tokens["window"].to_numpy()]
    kept = np.flatnonzero(~tokens["repeated"].to_numpy() & (document % n_draws == draw))
    x = states.states["token"]
    n_layers = len(x) - 1
    if not len(kept):
        return np.empty((0, x.shape[-1]), dtype=np.float32)
    each = rng.choice(len(kept) * n_layers, min(n, len(kept) * n_layers), replace=False)
    return np.stack([x[1 + at // len(kept), kept[at % len(kept)]] for at in each])


def _named(
    values: Float[np.ndarray, " _"], facts: dict[str, Any], **by: list[int]
) -> list[dict[str, Any]]:
    """Return a row a value, with what it is by."""
    [(column, numbers)] = by.items()
    return [
        {**facts, column: number, "value": value}
        for number, value in zip(numbers, values, strict=True)
    ]


def _over_draws(rows: list[dict[str, Any]]) -> pd.DataFrame:
    if not rows:
        return pd.DataFrame(columns=COLUMNS)
    keys = ["kind", "inverse", "k", "n_vectors"]
    grouped = pd.DataFrame(rows).groupby(keys, sort=False)["value"]
    found = grouped.agg(value="mean", smallest="min", largest="max", n_draws="count")
    return found.reset_index()[COLUMNS]


def _choice(scores: pd.DataFrame) -> dict[str, Any]:
    """Return the inverse whose mean over the MLPs' vectors and few words is higher, and both."""
    of_units = scores[scores["kind"].str.startswith("feed_forward")]
    few = of_units[of_units["k"] <= max(MOST_WORDS, of_units["k"].min())]
    means = few.groupby("inverse")["value"].mean()
    if means.empty:
        return {"chosen_inverse": None}
    named = {f"mean_{inverse}": float(value) for inverse, value in means.items()}
    return {"chosen_inverse": str(means.idxmax()), **named}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    found = measure_keep_k(
        load_vocabulary_space(name, describe_model(name, config.model)),
        load_corpora_states(
            f"data/extracted/hidden_states/{name}", "data/prepared/texts", config.corpora
        ),
        **config.settings,
    )
    save_table(found.scores, f"results/keep_k/{name}.csv")
    save_table(found.sizes, f"results/keep_k/sizes/{name}.csv")
    save_scalars(found.facts, f"results/keep_k/{name}.json")


if __name__ == "__main__":
    run_stage(main, measure_keep_k)
