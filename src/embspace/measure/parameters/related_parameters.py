"""Stage `measure_related_parameters`: whether vectors that work together name the same words.

Keys beside the values of the same units, values beside outputs of the same coordinates of a head,
queries beside keys (Dar et al. 2023, appendix B.1), and activated vectors beside the hidden states
of texts (section 4.2).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import NonNegativeInt, PositiveInt

from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.files.scalars import save_scalars
from embspace.files.tables import Row, save_table
from embspace.geometry.inference.resampling import half_sample_interval
from embspace.geometry.parameters.related import n_common, set_similarity, strongest_tokens
from embspace.measure.parameters.even_places import evenly
from embspace.measure.parameters.related_states import Related, related_states, text_tokens
from embspace.measure.parameters.vocabulary_space import VocabularySpace, load_vocabulary_space
from embspace.models.parameters.layers import LayerParameters
from embspace.models.stream.adapters import knows
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from embspace.settings.params import CorpusName
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability, Share

BOUNDS = ["value", "low", "high"]
PAIRS = ["layer", "pair", "measure", *BOUNDS, "shuffled", "n_pairs"]
STATES = ["layer", "group", "state", *BOUNDS, "other_texts", "n_texts", "n_tokens"]
MEASURES = ("jaccard_signed", "jaccard_absolute", "share_related")


@dataclass(frozen=True, eq=False)
class RelatedParameters:
    """The tables of the stage; empty for a model whose blocks are not known."""

    pairs: pd.DataFrame
    """One row a layer, pair of groups and measure."""
    states: pd.DataFrame
    """One row a layer, group and state; empty where the stream is not rebuilt, or nothing read."""
    facts: dict[str, Any]


def measure_related_parameters(
    space: VocabularySpace,
    module: Any,
    corpora: Mapping[str, CorpusStates],
    *,
    k: PositiveInt,
    n_pairs: PositiveInt,
    related_from: Share,
    corpus: CorpusName,
    n_texts: PositiveInt,
    n_tokens: PositiveInt,
    n_active: PositiveInt,
    state_k: PositiveInt,
    n_half_samples: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> RelatedParameters:
    """Jaccard's similarity of the `k` words of related vectors, and R_k of activated ones.

    `jaccard_signed` is of the words of highest score, as the paper defines it, `jaccard_absolute`
    of those of highest absolute score, as its code computes it; `share_related` is the share of
    pairs with at least `related_from` of the signed words in common. Of each layer `n_pairs` pairs
    at equal distances; beside them, pairs of shuffled partners. R_k is of `n_tokens` tokens of
    each of `n_texts` documents of `corpus`, with intervals over texts.
    """
    parameters = space.parameters
    if parameters is None:
        pairs, of_states = (pd.DataFrame(columns=columns) for columns in (PAIRS, STATES))
        return RelatedParameters(pairs, of_states, space.facts())
    inference = {"n_resamples": n_half_samples, "level": level}
    rng, state_rng = np.random.default_rng(seed).spawn(2)
    k = min(k, len(parameters.tokens) // 2)
    rows = [
        row
        for layer in parameters.layers
        for row in _pair_rows(
            layer, parameters.output_embedding, k, n_pairs, related_from, rng, inference
        )
    ]
    texts = text_tokens(corpora, corpus, n_texts) if knows(module) else []
    states: list[Row] = []
    if texts:
        found = related_states(
            module,
            parameters,
            texts,
            n_tokens=n_tokens,
            n_active=n_active,
            k=min(state_k, len(parameters.tokens)),
            rng=state_rng,
        )
        states = list(_state_rows(found, state_rng, inference))
    facts = space.facts() | {"k": k, "state_k": state_k, "n_active": n_active}
    facts |= {"corpus": corpus if texts else None, "related_from": related_from}
    return RelatedParameters(
        pd.DataFrame(rows, columns=PAIRS), pd.DataFrame(states, columns=STATES), facts
    )


def _pairs(layer: LayerParameters) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    keys = {f"{name}_value": rows for name, rows in layer.ff_keys.items()}
    return {
        **{name: (rows, layer.ff_values) for name, rows in keys.items()},
        "value_output": (layer.value, layer.output),
        "query_key": (layer.query, layer.key),
    }


def _pair_rows(
    layer: LayerParameters,
    embedding: Float[np.ndarray, "token dim"],
    k: int,
    n_pairs: int,
    related_from: float,
    rng: np.random.Generator,
    inference: dict[str, Any],
) -> Iterator[Row]:
    for pair, (first, second) in _pairs(layer).items():
        chosen = evenly(len(first), n_pairs)
        values = _similarities(first[chosen], second[chosen], embedding, k, related_from, rng)
        bounds = half_sample_interval(
            partial(_mean_of, values[0]), len(chosen), generator=rng, **inference
        )
        whole, shuffled = (each.mean(axis=0) for each in values)
        for at, measure in enumerate(MEASURES):
            yield {
                "layer": layer.layer,
                "pair": pair,
                "measure": measure,
                "value": whole[at],
                "low": bounds.low[at],
                "high": bounds.high[at],
                "shuffled": shuffled[at],
                "n_pairs": len(chosen),
            }


def _mean_of(
    values: Float[np.ndarray, "unit measure"], drawn: Int[np.ndarray, " drawn"]
) -> Float[np.ndarray, " measure"]:
    return np.asarray(values[drawn].mean(axis=0))


def _similarities(
    first: np.ndarray,
    second: np.ndarray,
    embedding: Float[np.ndarray, "token dim"],
    k: int,
    related_from: float,
    rng: np.random.Generator,
) -> tuple[Float[np.ndarray, "pair measure"], Float[np.ndarray, "pair measure"]]:
    """Return the measures of each pair, and those of shuffled partners."""
    order = rng.permutation(len(second))
    made: list[list[np.ndarray]] = [[], []]
    signed: list[np.ndarray] = []
    for absolute in (False, True):
        one, other = (
            strongest_tokens(each, embedding, k, absolute=absolute) for each in (first, second)
        )
        for columns, partner in zip(made, (other, other[order]), strict=True):
            columns.append(set_similarity(one, partner))
            if not absolute:
                signed.append(n_common(one, partner) / k >= related_from)
    return (
        np.column_stack([*made[0], signed[0]]).astype(np.float64),
        np.column_stack([*made[1], signed[1]]).astype(np.float64),
    )


def _state_rows(
    found: Related, rng: np.random.Generator, inference: dict[str, Any]
) -> Iterator[Row]:
    texts = np.unique(found.text)
    for (layer, group, state), values in found.found.items():
        of_text = np.array([values[found.text == text].mean() for text in texts])
        bounds = half_sample_interval(
            partial(_mean_of, of_text[:, None]), len(texts), generator=rng, **inference
        )
        yield {
            "layer": layer,
            "group": group,
            "state": state,
            "value": of_text.mean(),
            "low": bounds.low[0],
            "high": bounds.high[0],
            "other_texts": found.by_chance[layer, group, state].mean(),
            "n_texts": len(texts),
            "n_tokens": len(values),
        }


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    model = describe_model(name, config.model)
    found = measure_related_parameters(
        load_vocabulary_space(name, model),
        load_model(name, model),
        load_corpora_states(
            f"data/extracted/hidden_states/{name}", "data/prepared/texts", config.corpora
        ),
        **config.settings,
    )
    save_table(found.pairs, f"results/related_parameters/pairs/{name}.csv")
    save_table(found.states, f"results/related_parameters/{name}.csv")
    save_scalars(found.facts, f"results/related_parameters/{name}.json")


if __name__ == "__main__":
    run_stage(main, measure_related_parameters)
