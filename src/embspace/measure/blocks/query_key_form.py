"""Stage `measure_query_key_form`: the form by which a head compares queries with keys.

Symmetry and directionality after Saponati et al. (2025, arXiv 2502.10927), spectrum, angles between
the inputs of queries and keys, and the part of scores common to all queries, beside models with
random weights. Weights are whole populations without an interval; quantities of tokens have an
interval.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import pandas as pd
from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.device import Device, choose_device
from embspace.files.scalars import save_scalars
from embspace.files.tables import save_table
from embspace.measure.blocks.query_key_form_heads import ANGLES, EIGENVALUES, Forms, forms_of
from embspace.measure.blocks.query_key_form_nulls import (
    NULLS,
    PROFILES,
    RANKS,
    null_rows,
    profile_rows,
    rank_rows,
)
from embspace.measure.blocks.query_key_form_scores import (
    SHARES,
    Inference,
    ReadTokens,
    has_rotary_positions,
    read_tokens,
    share_rows,
)
from embspace.models.shuffled_weights import with_shuffled_entries
from embspace.models.stream.adapters import knows
from embspace.models.stream.head_weights import head_weights
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.model import describe_model
from embspace.settings.params import CorpusName
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability

KINDS = {
    "random_initialization": with_random_weights,
    "shuffled_entries": with_shuffled_entries,
}
COUNTS = ["real_positive", "real_negative", "complex_positive", "complex_negative", "zero"]
HEADS = ["layer", "head", "key_head", "symmetry", "skew_share", "directionality"]
HEADS += ["effective_rank", "top_share", *(f"n_{kind}" for kind in COUNTS), *EIGENVALUES, *ANGLES]
HEADS += [
    "expected_overlap",
    *(f"{share}{end}" for share in SHARES for end in ("", "_low", "_high")),
]


@dataclass(frozen=True)
class QueryKeyForm:
    """The tables of the stage; empty for a model whose blocks are not known."""

    heads: pd.DataFrame
    """One row a layer and head."""
    profiles: pd.DataFrame
    """One row a layer and measure, of the form that all heads of the layer add up to."""
    nulls: pd.DataFrame
    ranks: pd.DataFrame
    facts: dict[str, Any]


def measure_query_key_form(
    module: Any,
    corpora: Mapping[str, CorpusStates],
    *,
    n_deviations: NonNegativeFloat,
    n_seeds: PositiveInt,
    corpus: CorpusName,
    n_texts: Annotated[int, Field(ge=4)],
    tokens_per_batch: PositiveInt,
    n_half_samples: PositiveInt,
    level: Probability,
    device: Device,
    seed: NonNegativeInt,
) -> QueryKeyForm:
    """Return the forms of all heads and layers of a model, beside those of random weights.

    Symmetry is 1/2 at random, 1 for a symmetric form; directionality is above 0 where a few
    dimensions of the keys' side outweigh. Angles between the row spaces of queries and keys are in
    degrees; `overlap` is the mean squared cosine, `expected_overlap` that of random directions.
    `key_only_share` and `mean_query_share` are those of `key_shares`, of the tokens of at most
    `n_texts` documents of `corpus`; the first is not defined without a bias of queries. Random
    weights read the same tokens, of `n_seeds` seeds of each kind.
    """
    from threadpoolctl import threadpool_limits

    if not knows(module):
        return _unknown(module)
    read = read_tokens(corpora, corpus, n_texts)
    reading = (read, tokens_per_batch, choose_device(device))
    # More threads than one wait longer for each other than matrices of a head's size take.
    with threadpool_limits(1, user_api="blas"):
        trained = _forms(module, n_deviations, reading, Inference(n_half_samples, level, seed))
        randomized = {
            kind: [
                _forms(randomize(module, seed + number), n_deviations, reading, None)
                for number in range(n_seeds)
            ]
            for kind, randomize in KINDS.items()
        }
    return QueryKeyForm(
        pd.DataFrame(trained.heads, columns=HEADS),
        profile_rows(trained),
        null_rows(trained, randomized),
        rank_rows(trained, randomized),
        _facts(module, read, n_seeds),
    )


def _forms(
    module: Any,
    n_deviations: float,
    reading: tuple[ReadTokens | None, int, str],
    inference: Inference | None,
) -> Forms:
    weights = head_weights(module)
    forms = forms_of(weights, n_deviations)
    shares = share_rows(module, weights, *reading, inference)
    heads = [row | of_head for row, of_head in zip(forms.heads, shares, strict=True)]
    return Forms(heads, forms.layers, forms.ranks)


def _facts(module: Any, read: ReadTokens | None, n_seeds: int) -> dict[str, Any]:
    weights = head_weights(module)
    first = weights[0]
    n_heads, head_dim, dim = first.query.shape
    return {
        "known": True,
        "architecture": type(module).__name__,
        "n_layers": len(weights),
        "n_heads": n_heads,
        "n_key_heads": first.n_key_heads,
        "head_dim": head_dim,
        "dim": dim,
        "query_biases": all(each.query_bias is not None for each in weights),
        "rotary_positions": has_rotary_positions(module),
        "n_seeds": n_seeds,
        "corpus": read.corpus if read else None,
        "n_texts": int(read.text.max()) + 1 if read else 0,
        "n_tokens": len(read.text) if read else 0,
    }


def _unknown(module: Any) -> QueryKeyForm:
    named = None if module is None else type(module).__name__
    heads, profiles, nulls, ranks = (
        pd.DataFrame(columns=columns) for columns in (HEADS, PROFILES, NULLS, RANKS)
    )
    return QueryKeyForm(heads, profiles, nulls, ranks, {"known": False, "architecture": named})


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    found = measure_query_key_form(
        load_model(name, describe_model(name, config.model)),
        load_corpora_states(
            f"data/extracted/hidden_states/{name}", "data/prepared/texts", config.corpora
        ),
        **config.settings,
    )
    save_table(found.heads, f"results/query_key_form/heads/{name}.csv")
    save_table(found.profiles, f"results/query_key_form/profiles/{name}.csv")
    save_table(found.nulls, f"results/query_key_form/nulls/{name}.csv")
    save_table(found.ranks, f"results/query_key_form/ranks/{name}.csv")
    save_scalars(found.facts, f"results/query_key_form/{name}.json")


if __name__ == "__main__":
    run_stage(main, measure_query_key_form)
