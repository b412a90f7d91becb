"""Stage `measure_related_parameters`: whether vectors that work together name the same words.

Keys beside the values of the same units, values beside outputs of the same coordinates of a head,
queries beside keys (Dar et al. 2023, appendix B.1), and activated vectors beside the hidden states
of texts (section 4.2).
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from pydantic import NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import half_sample_interval
from embspace.measure.parameters.related_pairs import (
    DealtPairs,
    layer_pairs,
    mean_rows,
    pair_rows,
)
from embspace.measure.parameters.related_states import Related, related_states, text_tokens
from embspace.measure.parameters.vocabulary_space import (
    FACTS,
    VocabularySpace,
    distinct_layers,
    load_vocabulary_space,
)
from embspace.measure.tables.columns import value_with_bounds, with_bounds
from embspace.models.stream.adapters import knows
from embspace.models.weights import load_model
from embspace.settings.params import CorpusName
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability, Share

# Partners beside partners dealt anew.
DEALT: dict[str, Column] = {
    "pair": ("row", "pair"),
    "measure": ("row", "measure"),
    "value": ("related_words", "value"),
    **with_bounds("shuffled", "related_words", "dealt anew", "profile_null"),
    "p_value": ("p_value", "p-value"),
}
RELATED_PARAMETERS = Analysis(
    noun="related_parameters",
    question=(
        "Do vectors that work together name the same words, and those of the states they make? "
        "With `make all`"
    ),
    over="profiled",
    reads={
        "space": Source(load_vocabulary_space),
        "module": Source(load_model),
        "corpora": Source(load_corpora_states, TEXT_FOLDERS, lists=["corpora"]),
    },
    tables={
        "csv": Table(  # empty where the stream is not rebuilt, or nothing read
            {
                "layer": ("row", "layer"),
                "group": ("row", "vectors"),
                "state": ("row", "state"),
                **value_with_bounds("related_words", bound="profile_bound"),
                "other_texts": ("related_words", "states of other texts"),
                "n_texts": ("count", "texts"),
                "n_tokens": ("count", "tokens"),
            }
        ),
        "pairs": Table({"layer": ("row", "layer"), **DEALT, "n_pairs": ("count", "pairs")}),
        "whole": Table(  # means over layers
            {**DEALT, "n_layers": ("count", "layers"), "n_pairs": ("count", "pairs")}
        ),
    },
    scalars=FACTS | dict.fromkeys(("corpus", "k", "state_k", "related_from"), "setting"),
)


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
) -> Outcome:
    """Return Jaccard's similarity of `k` words of related vectors, and R_k of activated vectors.

    `jaccard_signed` uses the words with the highest scores, as in the paper's definition,
    `jaccard_absolute` the highest absolute scores, as in the paper's code; `share_related` is the
    share of pairs that have at least the share `related_from` of signed words in common. All pairs
    of a layer count, so there is no interval. `shuffled` is the mean over all possible partners of
    a vector, with the range of `n_deals` random partners, and `p_value` the probability that these
    reach the value. R_k is for `n_tokens` tokens in each of `n_texts` documents of `corpus`, with
    intervals over texts. Tables are empty for a model whose blocks are not known.
    """
    parameters = space.parameters
    if parameters is None:
        return RELATED_PARAMETERS.empty(**space.facts())
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
        related = related_states(
            module,
            parameters,
            texts,
            n_tokens=n_tokens,
            n_active=n_active,
            k=min(state_k, len(parameters.tokens)),
            rng=state_rng,
        )
        states = list(_state_rows(related, state_rng, inference))
    facts = space.facts() | {"k": k, "state_k": state_k, "n_active": n_active, "n_deals": n_deals}
    facts |= {"corpus": corpus if texts else None, "related_from": related_from}
    rows = {"csv": states, "pairs": pair_rows(dealt, level), "whole": mean_rows(dealt, level)}
    tables = {name: RELATED_PARAMETERS.tables[name].of(rows[name]) for name in rows}
    return {**tables, "json": facts}


def _means(
    values: Float[np.ndarray, "unit measure"], drawn: Int[np.ndarray, " drawn"]
) -> Float[np.ndarray, " measure"]:
    return np.asarray(values[drawn].mean(axis=0))


def _state_rows(
    related: Related, rng: np.random.Generator, inference: dict[str, Any]
) -> Iterator[Row]:
    texts = np.unique(related.text)
    for (layer, group, state), values in related.shares.items():
        means = np.array([values[related.text == text].mean() for text in texts])
        bounds = half_sample_interval(
            partial(_means, means[:, None]), len(texts), generator=rng, **inference
        )
        yield {
            "layer": layer,
            "group": group,
            "state": state,
            "value": means.mean(),
            "low": bounds.low[0],
            "high": bounds.high[0],
            "other_texts": related.by_chance[layer, group, state].mean(),
            "n_texts": len(texts),
            "n_tokens": len(values),
        }


main = RELATED_PARAMETERS.main(measure_related_parameters)

if __name__ == "__main__":
    run_stage(main, measure_related_parameters)
