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
from embspace.measure.parameters.related_pairs import (
    DealtPairs,
    layer_pairs,
    mean_rows,
    pair_rows,
)
from embspace.measure.parameters.related_states import Related, related_states, text_tokens
from embspace.measure.parameters.vocabulary_space import (
    VocabularySpace,
    distinct_layers,
    load_vocabulary_space,
)
from embspace.models.stream.adapters import knows
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from embspace.settings.params import CorpusName
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability, Share

BOUNDS = ["value", "low", "high"]
NULL = ["shuffled", "shuffled_low", "shuffled_high", "p_value"]
PAIRS = ["layer", "pair", "measure", "value", *NULL, "n_pairs"]
WHOLE = ["pair", "measure", "value", *NULL, "n_layers", "n_pairs"]
STATES = ["layer", "group", "state", *BOUNDS, "other_texts", "n_texts", "n_tokens"]


@dataclass(frozen=True, eq=False)
class RelatedParameters:
    """The tables of the stage; empty for a model whose blocks are not known."""

    pairs: pd.DataFrame
    """One row a layer, pair of groups and measure."""
    whole: pd.DataFrame
    """One row a pair of groups and measure: the mean over layers."""
    states: pd.DataFrame
    """One row a layer, group and state; empty where the stream is not rebuilt, or nothing read."""
    facts: dict[str, Any]


def measure_related_parameters(
    space: VocabularySpace,
    module: Any,
    corpora: Mapping[str, CorpusStates],
    *,
    k: PositiveInt,
    related_from: Share,
    n_deals: PositiveInt,
    corpus: CorpusName,
    n_texts: PositiveInt,
    n_tokens: PositiveInt,
    n_active: PositiveInt,
    state_k: PositiveInt,
    n_half_samples: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> RelatedParameters:
    """Jaccard's similarity of the `k` words of related vectors, and R_k of activated vectors.

    `jaccard_signed` uses the words with the highest scores, as in the paper's definition,
    `jaccard_absolute` the highest absolute scores, as in the paper's code; `share_related` is the
    share of pairs with at least the share `related_from` of signed words in common. All pairs of a
    layer, without an interval; `shuffled` is the mean over all possible partners of a vector, with
    the range of `n_deals` random partners, and `p_value` the probability of a value as large among
    these. R_k is for `n_tokens` tokens in each of `n_texts` documents of `corpus`, with intervals
    over texts.
    """
    parameters = space.parameters
    if parameters is None:
        pairs, whole, of_states = (pd.DataFrame(columns=of) for of in (PAIRS, WHOLE, STATES))
        return RelatedParameters(pairs, whole, of_states, space.facts())
    inference = {"n_resamples": n_half_samples, "level": level}
    rng, state_rng = np.random.default_rng(seed).spawn(2)
    k = min(k, len(parameters.tokens) // 2)
    dealt: list[DealtPairs] = [
        pairs
        for layer in distinct_layers(parameters.layers)
        for pairs in layer_pairs(
            layer,
            parameters.output_embedding,
            k=k,
            related_from=related_from,
            n_deals=n_deals,
            rng=rng,
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
    facts = space.facts() | {"k": k, "state_k": state_k, "n_active": n_active, "n_deals": n_deals}
    facts |= {"corpus": corpus if texts else None, "related_from": related_from}
    return RelatedParameters(
        pd.DataFrame(pair_rows(dealt, level), columns=PAIRS),
        pd.DataFrame(mean_rows(dealt, level), columns=WHOLE),
        pd.DataFrame(states, columns=STATES),
        facts,
    )


def _mean_of(
    values: Float[np.ndarray, "unit measure"], drawn: Int[np.ndarray, " drawn"]
) -> Float[np.ndarray, " measure"]:
    return np.asarray(values[drawn].mean(axis=0))


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
    save_table(found.whole, f"results/related_parameters/whole/{name}.csv")
    save_table(found.states, f"results/related_parameters/{name}.csv")
    save_scalars(found.facts, f"results/related_parameters/{name}.json")


if __name__ == "__main__":
    run_stage(main, measure_related_parameters)
