"""Stage `measure_query_key_form`: the form by which a head compares queries with keys.

Symmetry and directionality after Saponati et al. (2025, arXiv 2502.10927), spectrum, angles between
the inputs of queries and keys, and the part of scores common to all queries, beside models with
random weights. Weights are whole populations without an interval; quantities of tokens have an
interval.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import pandas as pd
from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.device import Device, choose_device
from embspace.measure.blocks.query_key_form_heads import Forms, forms_of
from embspace.measure.blocks.query_key_form_nulls import null_rows, profile_rows, rank_rows
from embspace.measure.blocks.query_key_form_scores import (
    Inference,
    ReadTokens,
    has_rotary_positions,
    read_tokens,
    share_rows,
)
from embspace.measure.tables.columns import with_bounds
from embspace.models.shuffled_weights import with_shuffled_entries
from embspace.models.stream.adapters import knows
from embspace.models.stream.head_weights import distinct_weights, head_weights
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.params import CorpusName
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

KINDS = {
    "random_initialization": with_random_weights,
    "shuffled_entries": with_shuffled_entries,
}
QUERY_KEY_FORM = Analysis(
    noun="query_key_form",
    question=(
        "How does each head compare queries with keys: alike both ways, on the side of keys, in "
        "how many directions? With `make all`"
    ),
    over="profiled",
    reads={
        "module": Source(load_model),
        "corpora": Source(load_corpora_states, TEXT_FOLDERS, lists=["corpora"]),
    },
    tables={
        "heads": Table(
            {
                "layer": ("row", "layer"),
                "head": ("row", "head"),
                "key_head": "count",
                "symmetry": ("form", "symmetry"),
                "skew_share": "form",
                "directionality": ("form", "directionality"),
                "effective_rank": ("form", "effective rank"),
                "top_share": "form",
                "n_real_*": "eigenvalue_count",
                "n_complex_*": "eigenvalue_count",
                "n_zero": "count",
                "positive_share": ("form", "positive real part"),
                "complex_share": "form",
                "smallest_angle": ("angle", "smallest angle (°)"),
                "median_angle": ("angle", "median angle (°)"),
                "largest_angle": "angle",
                "overlap": ("form", "overlap"),
                "expected_overlap": "form",
                **with_bounds("key_only_share", "form", "key only", "profile_bound"),
                **with_bounds("mean_query_share", "form", "mean query", "profile_bound"),
            }
        ),
        "profiles": Table(  # of the form that all heads of a layer add up to
            {
                "part": "row",
                "layer": "row",
                "measure": "row",
                "value": "form",
                "as_printed": "form",
            }
        ),
        "nulls": Table(
            {
                "part": "row",
                "layer": ("row", "layer"),
                "measure": ("row", "measure"),
                "null": ("row", "random"),
                "n_draws": "setting",
                "null_mean": ("profile_null", "mean at random"),
                "null_smallest": ("profile_null", "smallest at random"),
                "null_largest": ("profile_null", "largest at random"),
                "n": "count",
                "median": ("form", "median"),
                "n_below": ("eigenvalue_count", "below"),
                "n_within": ("eigenvalue_count", "within"),
                "n_above": ("eigenvalue_count", "above"),
            }
        ),
        "ranks": Table(
            {
                "layer": "row",
                "weights": "row",
                "rank": "row",
                "n": "count",
                "singular_share": "form",
                "principal_angle": "angle",
            }
        ),
    },
    scalars={
        "known": "count",
        "architecture": "name",
        "n_*": "count",
        "head_dim": "count",
        "dim": "count",
        "query_biases": "count",
        "rotary_positions": "count",
        "corpus": "setting",
    },
)


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
) -> Outcome:
    """Return the forms of all heads and layers of a model, beside forms of random weights.

    Symmetry is 1/2 at random, 1 for a symmetric form; directionality is above 0 where a few
    dimensions outweigh the rest on the side of the keys. Angles between the row spaces of queries
    and keys are in degrees; `overlap` is the mean squared cosine, `expected_overlap` its mean for
    random directions. `key_only_share` and `mean_query_share` come from `key_shares`, for the
    tokens of at most `n_texts` documents of `corpus`; `key_only_share` is undefined if queries have
    no bias. Random weights read the same tokens, with `n_seeds` seeds of every kind. A block that
    several layers share is measured once, at the first; `n_uses` then counts the layers. Tables are
    empty for a model whose blocks are not known.
    """
    from threadpoolctl import threadpool_limits

    if not knows(module):
        name = None if module is None else type(module).__name__
        return QUERY_KEY_FORM.empty(known=False, architecture=name)
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
    return {
        "heads": pd.DataFrame(trained.heads),
        "profiles": profile_rows(trained),
        "nulls": null_rows(trained, randomized),
        "ranks": rank_rows(trained, randomized),
        "json": _facts(module, read, n_seeds),
    }


def _forms(
    module: Any,
    n_deviations: float,
    reading: tuple[ReadTokens | None, int, str],
    inference: Inference | None,
) -> Forms:
    weights = distinct_weights(head_weights(module))
    forms = forms_of(weights, n_deviations)
    shares = share_rows(module, weights, *reading, inference)
    heads = [form | share for form, share in zip(forms.heads, shares, strict=True)]
    return Forms(heads, forms.layers, forms.ranks)


def _facts(module: Any, read: ReadTokens | None, n_seeds: int) -> dict[str, Any]:
    layers = head_weights(module)
    weights = distinct_weights(layers)
    first = weights[0]
    n_heads, head_dim, dim = first.query.shape
    return {
        "known": True,
        "architecture": type(module).__name__,
        "n_layers": len(weights),
        **({} if len(layers) == len(weights) else {"n_uses": len(layers)}),
        "n_heads": n_heads,
        "n_key_heads": first.n_key_heads,
        "head_dim": head_dim,
        "dim": dim,
        "query_biases": all(layer.query_bias is not None for layer in weights),
        "rotary_positions": has_rotary_positions(module),
        "n_seeds": n_seeds,
        "corpus": read.corpus if read else None,
        "n_texts": int(read.text.max()) + 1 if read else 0,
        "n_tokens": len(read.text) if read else 0,
    }


main = QUERY_KEY_FORM.main(measure_query_key_form)

if __name__ == "__main__":
    run_stage(main, measure_query_key_form)
