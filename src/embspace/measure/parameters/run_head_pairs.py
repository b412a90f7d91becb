"""Stage `measure_run_head_pairs`: the pairs of tokens that the heads of a run relate.

As `measure_head_pairs`, for vocabularies that are no natural language: k-mers, and the words of an
invented language.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.files.rows import load_rows
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import stream_of
from embspace.measure.parameters.head_pairs_forms import FORMS, HeadForm
from embspace.measure.parameters.head_pairs_search import (
    PairSearch,
    check_size,
    head_places,
    listed,
    pair_rows,
)
from embspace.measure.parameters.head_pairs_shares import Rules, share_rows
from embspace.measure.parameters.head_pairs_words import Words
from embspace.measure.parameters.run_checkpoints import TRAINED_MODELS
from embspace.measure.parameters.run_head_pairs_words import is_known, run_words
from embspace.measure.tables.run_corpora import BASE, CORPUS
from embspace.measure.tables.runs import RUN_TEXTS
from embspace.models.parameters.read import ModelParameters
from embspace.settings.corpus import Corpus
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability
from embspace.train.checkpoints import Checkpoint

PLACE = ("phase", "step", "seed", "form")
HEAD = dict.fromkeys((*PLACE, "layer", "head"), "row")
MEANS = ["share", "permuted_mean", "paired_anew_mean", "shuffled_mean"]
RUN_HEAD_PAIRS = Analysis(
    noun="run_head_pairs",
    question=(
        "Which k-mers, or words of a generated language, does each head of a run relate, by its "
        "weights alone: of one number, topic, part of speech, amino acid, place? With `make all`"
    ),
    reads={
        "models": TRAINED_MODELS,
        "corpus": CORPUS,
        "base": BASE,
        "texts": Source(
            lambda texts: list(load_rows(texts).query("split == 'train'")["text"]), RUN_TEXTS
        ),
    },
    tables={
        # The first of each head and form after all training, without pairs of equal tokens.
        "pairs": Table(
            {**HEAD, "rank": "row", "row": "trained_name", "column": "trained_name"}
            | {"score": "trained_geometry", "categories": "trained_name"}
        ),
        # A row a head, form and category after all training, by seed.
        "shares": Table(
            {**HEAD, "category": "row", "n_pairs": "count"}
            | dict.fromkeys(("share", "permuted_mean", "paired_anew_mean"), "trained_statistic")
            | dict.fromkeys(("p_value_over_heads", "paired_anew_p_value"), "trained_p_value")
            | {"shuffled_largest": "trained_statistic", "above_null": "trained_verdict"}
        ),
        # A row a form and category: means over heads, and the number of heads beyond chance.
        "checkpoints": Table(
            dict.fromkeys((*PLACE, "category"), "row")
            | dict.fromkeys(("n_tokens", "n_words", "n_heads"), "count")
            | dict.fromkeys((*MEANS, "largest_share"), "trained_statistic")
            | dict.fromkeys(("n_above_null", "n_above_null_and_anew"), "trained_count")
        ),
    },
    over="trained",
)


@dataclass(frozen=True)
class _Protocol:
    rules: Rules
    n_listed: int
    n_shuffled_heads: int


def measure_run_head_pairs(
    models: Iterable[tuple[Checkpoint, ModelParameters]],
    corpus: Corpus,
    base: str | None,
    texts: Sequence[str],
    *,
    n_pairs: PositiveInt,
    n_listed: PositiveInt,
    least_count: PositiveInt,
    near_places: PositiveInt,
    n_permutations: PositiveInt,
    n_shuffled_heads: PositiveInt,
    least_share: Probability,
    significance: Annotated[float, Field(gt=0, lt=1)],
    seed: NonNegativeInt,
) -> Outcome:
    """Return the top pairs of all heads of checkpoints, with the shares of known relations.

    Pairs are among tokens trained on `least_count` times or more; pairs of a token with itself are
    counted apart, as `equal`. Categories come from `run_words`, nulls and rule from `share_rows`;
    the heads before any training are a further null. The rule was fixed before looking. Added after
    the results: `n_above_null_and_anew` counts heads beyond chance with a p-value of at most
    `significance` also among the head's own tokens paired anew, head by head.

    Args:
        models: Checkpoints with parameters; not read for a vocabulary of a language.
        corpus: The corpus of the run.
        base: The model of conf/model/ that the run goes on from, with the vocabulary of a language
            whatever the corpus; None for a run with a vocabulary of the corpus.
        texts: The training texts.
        n_pairs: Pairs of a head and form.
        n_listed: Listed pairs of a head and form.
        least_count: See `run_words`.
        near_places: See `run_words`, for k-mers.
        n_permutations: Draws of two of the nulls.
        n_shuffled_heads: Heads of the third null.
        least_share: See `share_rows`.
        significance: For a head's p-value over all heads of the form, see `share_rows`.
        seed: Of the nulls.

    Raises:
        InputError: if fewer than two tokens are frequent enough, or the vocabulary lacks tokens for
            rows of the embedding.
    """
    if base is not None or not is_known(corpus):
        return RUN_HEAD_PAIRS.empty()
    rules = Rules(n_pairs, n_permutations, least_share, significance, seed)
    protocol = _Protocol(rules, n_listed, n_shuffled_heads)
    pairs, shares, checkpoints = list[list[Row]](), list[pd.DataFrame](), list[pd.DataFrame]()
    with threadpool_limits(1):  # of products so small, several threads take longer
        for checkpoint, parameters in models:
            words = run_words(
                corpus, texts, parameters.tokens, least_count=least_count, near_places=near_places
            )
            for form in FORMS:
                rows, table = _form_rows(checkpoint, parameters, words, form, protocol)
                pairs.append(rows)
                shares.append(table)
                checkpoints.append(_over_heads(table, words, significance))
    columns = [*RUN_HEAD_PAIRS.tables["shares"].columns]
    return {
        "pairs": _last(pd.DataFrame([row for rows in pairs for row in rows])),
        "shares": _last(pd.concat(shares, ignore_index=True))[columns],
        "checkpoints": pd.concat(checkpoints, ignore_index=True),
    }


def _form_rows(
    checkpoint: Checkpoint,
    parameters: ModelParameters,
    words: Words,
    form: HeadForm,
    protocol: _Protocol,
) -> tuple[list[Row], pd.DataFrame]:
    """Return the rows of the top pairs of all heads, and those of their shares."""
    check_size(parameters, words)
    rules, tokens = protocol.rules, words.ordinary
    search = PairSearch(parameters, words.classes, {"known": tokens}, rules.n_pairs)
    places = head_places(parameters)
    at: Row = {"phase": checkpoint.phase, "step": checkpoint.step, "seed": checkpoint.seed}
    heads = places.assign(**at, form=form)
    stream = stream_of(
        np.random.default_rng(rules.seed), "shuffled_heads", form, *map(str, at.values())
    )
    trained = [search.pairs(*search.factors(*place, form))["known"] for place in listed(places)]
    at_random = search.shuffled(places, form, protocol.n_shuffled_heads, stream)["known"]
    shares = share_rows(trained, at_random, heads, words, tokens, rules)
    return pair_rows(trained, heads, words, protocol.n_listed), shares


def _over_heads(shares: pd.DataFrame, words: Words, significance: float) -> pd.DataFrame:
    """Return the means over heads by category, and the number of heads beyond chance.

    A head that selects tokens with a number has pairs of the same number under any pairing: heads
    beyond their own tokens paired anew are counted separately.
    """
    pairs_them = shares["paired_anew_p_value"] <= significance
    shares = shares.assign(above_both=shares["above_null"] & pairs_them)
    by_category = shares.groupby([*PLACE, "category"], sort=False)
    means = by_category[MEANS].mean()
    means["n_heads"] = by_category.size()
    means["largest_share"] = by_category["share"].max()
    means["n_above_null"] = by_category["above_null"].sum()
    means["n_above_null_and_anew"] = by_category["above_both"].sum()
    means = means.reset_index()
    n_tokens = len(words.ordinary)
    n_words = [words.n_words.get(category, n_tokens) for category in means["category"]]
    return means.assign(n_tokens=n_tokens, n_words=n_words)


def _last(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows after all training: of the phase and step of the last row."""
    if table.empty:
        return table
    end = table.iloc[-1]
    is_last = (table["phase"] == end["phase"]) & (table["step"] == end["step"])
    return table[is_last].reset_index(drop=True)


main = RUN_HEAD_PAIRS.main(measure_run_head_pairs)

if __name__ == "__main__":
    run_stage(main, measure_run_head_pairs, groups=("train",))
