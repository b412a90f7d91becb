"""Stage `compare_alignment`: how alike two models hold texts, words and positions."""

import logging

import numpy as np
import pandas as pd
from pydantic import NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Column, Outcome, Table
from embspace.compare.aligned_positions import Positions, position_rows
from embspace.compare.alignment_table import alignment_rows, alignment_values
from embspace.compare.both_models import both_models
from embspace.compare.model_states import TEXTS_AND_STATES, ModelStates
from embspace.compare.same_points import Views, named_stream, point_sets
from embspace.files.tables import load_table
from embspace.files.tensors import load_tensors
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability


def load_positions(matrices: str, regimes: str) -> Positions:
    """Return the position embeddings of a model, with their regimes."""
    return Positions(load_tensors(matrices).get("positional"), load_table(regimes))


def beside_surrogates(name: str, short: str, heading: str) -> dict[str, Column]:
    """Return the columns of a distance, its mean and low end among surrogates of either kind."""
    return {
        name: ("alignment", heading),
        f"{name}_random_walk": "null_value",
        f"{name}_random_walk_low": ("null_value", f"{short}, random walks, 5 %"),
        f"{name}_stationary": "null_value",
        f"{name}_stationary_low": ("null_value", f"{short}, stationary, 5 %"),
    }


ALIGNMENT = Analysis(
    noun="alignment",
    question="How alike are the layers of two models, on the same texts and words?",
    reads={
        **TEXTS_AND_STATES,
        **both_models(
            "positions",
            load_positions,
            "data/extracted/embeddings/{model}.safetensors",
            "results/regimes/positions/{model}.csv",
        ),
    },
    tables={
        "csv": Table(
            {
                **dict.fromkeys(["corpus", "unit", "layer", "other_layer"], "row"),
                "n": "count",
                "measure": "row",
                "value": "alignment",
                "low": "alignment",
                "high": "alignment",
                "null": "null_value",
                "null_high": "null_value",
                "random_weights_value": "alignment",
            }
        ),
        "best": Table(  # the two most similar layers
            {
                **dict.fromkeys(["corpus", "unit", "measure"], "row"),
                "n": "count",
                "layer": "order_of_layers",
                "other_layer": "order_of_layers",
                "value": "alignment",
                "null": "null_value",
                "null_high": "null_value",
                "p_value": "p_value",
                "is_above_null": "trained_verdict",
            }
        ),
        "positions": Table(
            {
                "space": ("row", "space"),
                "n": "count",
                **beside_surrogates("hausdorff", "Hausdorff", "Hausdorff distance"),
                **beside_surrogates("rms", "rms", "rms distance"),
                "are_alike": ("trained_verdict", "alike"),
            }
        ),
    },
    verb="compare",
    over="compared",
)


def compare_alignment(
    texts: dict[str, pd.DataFrame],
    stimuli: dict[str, pd.DataFrame],
    states: ModelStates,
    other_states: ModelStates,
    positions: Positions,
    other_positions: Positions,
    *,
    word_corpora: list[str],
    smallest_n: PositiveInt,
    largest_n: PositiveInt,
    n_neighbors: PositiveInt,
    n_resamples: PositiveInt,
    n_permutations: PositiveInt,
    n_procrustes_permutations: PositiveInt,
    level: Probability,
    n_surrogates: PositiveInt,
    fewest_positions: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Return the alignment of every layer of a model with every layer of a second model.

    `unit` is the kind of a point: a text, as the mean of all tokens, windows weighted by length;
    or, in `word_corpora`, a word in a text, as the mean of the word's tokens, found by characters,
    whatever the tokenizers. Per document (the article, for sentences of an article) a single text
    or word is drawn, among texts read by both models or words held whole, for independent points;
    at most `largest_n` documents. The draw depends only on the name of the corpus; `n` is the
    number of points. Fewer than `smallest_n` are not compared; words of a corpus without states of
    tokens are left out, with a warning. The corpus `stimuli` are the sentences of `STIMULI`,
    distinct texts; only these have `random_weights_value`, the same before any training, and no
    interval, for the sentences were not sampled. Random weights are of one seed: two models of
    equal architecture and vocabulary have equal random weights, and the trivial value is left out.
    Layer 0 is the embedding output. `positions` compares both tables of positions as curves.
    """
    parts: dict[str, list[pd.DataFrame]] = {"csv": [], "best": []}
    with_tokens = _with_token_states((states, other_states), word_corpora)
    both = states, other_states
    sets = point_sets(
        texts, stimuli, *both, word_corpora=with_tokens, largest_n=largest_n, seed=seed
    )
    # One thread: on more BLAS would add in another order.
    with threadpool_limits(1, user_api="blas"):
        for points in sets:
            if points.views.n < max(smallest_n, n_neighbors + 1):
                continue
            rows, best = alignment_rows(
                points.views,
                n_neighbors=n_neighbors,
                n_resamples=n_resamples,
                n_permutations=n_permutations,
                n_procrustes_permutations=n_procrustes_permutations,
                level=level,
                generator=named_stream(seed, points.corpus, points.unit, "permuted"),
            )
            rows["random_weights_value"] = _random_values(rows, points.random, n_neighbors)
            parts["csv"].append(rows.assign(corpus=points.corpus, unit=points.unit))
            parts["best"].append(best.assign(corpus=points.corpus, unit=points.unit))
        curves = pd.DataFrame(
            position_rows(
                positions,
                other_positions,
                fewest=fewest_positions,
                n_surrogates=n_surrogates,
                level=level,
                generator=named_stream(seed, "positions"),
            )
        )
    tables = ALIGNMENT.tables
    return {
        name: tables[name].of(pd.concat(own, ignore_index=True) if own else ())
        for name, own in parts.items()
    } | {"positions": tables["positions"].of(curves)}


def _with_token_states(pair: tuple[ModelStates, ModelStates], word_corpora: list[str]) -> list[str]:
    """Return the corpora with stored states of tokens; log the rest."""
    kept = []
    for corpus in word_corpora:
        states = [model.corpora[corpus].states for model in pair if corpus in model.corpora]
        if all("token" in kinds for kinds in states):
            kept.append(corpus)
        else:
            logging.getLogger(__name__).warning(
                "words of corpus '%s' are left out: conf/corpus/%s.yaml: key 'token_states': "
                "found False, needed of `word_corpora` in conf/compare/alignment.yaml: True",
                corpus,
                corpus,
            )
    return kept


def _random_values(
    table: pd.DataFrame, random: Views | None, n_neighbors: int
) -> "pd.Series[float]":
    """The values at random weights, in the order of the table; NaN without random weights."""
    keys = ["layer", "other_layer", "measure"]
    if random is None or np.array_equal(random.x, random.y):
        return pd.Series(np.nan, table.index)
    values = alignment_values(random, n_neighbors=n_neighbors)
    return table[keys].merge(values, how="left", on=keys)["value"]


main = ALIGNMENT.main(compare_alignment)

if __name__ == "__main__":
    run_stage(main, compare_alignment, groups=("pair",))
