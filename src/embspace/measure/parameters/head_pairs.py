"""Stage `measure_head_pairs`: the pairs of tokens related by a head, read from the weights.

W_VO and W_QK between any two tokens of the vocabulary, after Dar et al. (2023), "Analyzing
Transformers in Embedding Space": the exact top pairs of a head, shared categories beside chance,
and the term of the key alone. Weights are a whole population, without an interval.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import SCALARS, Analysis, Outcome, Source, Table
from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.files.rows import load_rows
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.parameters.vocabulary_pairs import VocabularyPairs, n_pairs_above
from embspace.measure.parameters.head_pairs_forms import (
    FORMS,
    HeadForm,
    TopPairs,
    head_query_bias,
    key_only,
)
from embspace.measure.parameters.head_pairs_search import (
    ChosenTokens,
    PairSearch,
    check_size,
    head_places,
    in_threads,
    listed,
    pair_rows,
)
from embspace.measure.parameters.head_pairs_shares import Rules, share_rows
from embspace.measure.parameters.head_pairs_words import (
    ListedWords,
    Words,
    load_word_lists,
    words_of,
)
from embspace.measure.parameters.vocabulary_space import (
    FACTS,
    VocabularySpace,
    load_vocabulary_space,
)
from embspace.models.spelling import Spelling
from embspace.models.tokenizer import load_spelling
from embspace.settings.params import CorpusName
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

HEAD = {"layer": "row", "head": "row"}
HEAD_PAIRS = Analysis(
    noun="head_pairs",
    question=(
        "Which pairs of tokens does each head relate, by its weights alone, and what have they in "
        "common? With `make all`"
    ),
    over="profiled",
    reads={
        "space": Source(load_vocabulary_space),
        "spelling": Source(load_spelling),
        "lists": Source(
            lambda folder, words: load_word_lists(folder, load_rows(words)),
            ("data/stimuli/pair_categories", "data/prepared/stimuli/words.parquet"),
        ),
        "corpora": Source(load_corpora_states, TEXT_FOLDERS, lists=["corpora"]),
    },
    tables={
        # The first of each head and form, without pairs of equal tokens.
        "pairs": Table(
            {"tokens": "row", "form": "row", **HEAD, "rank": "row", "row": "name"}
            | {"column": "name", "score": "moment", "categories": "name"}
        ),
        "shares": Table(
            {"tokens": "row", "form": "row", **HEAD, "category": "row", "n_pairs": "count"}
            | {"share": "pair_share", "permuted_mean": "pair_share"}
            | {"p_value": "p_value", "p_value_over_heads": "p_value"}
            | {"paired_anew_mean": "pair_share", "paired_anew_p_value": "p_value"}
            | {"shuffled_mean": "pair_share", "shuffled_largest": "pair_share"}
            | {"shuffled_p_value": "p_value", "above_null": "count"}
        ),
        # A row a head and form; a pair is row and column, with a space between them.
        "profiles": Table(
            {**HEAD, "form": "row", "threshold": "setting", "n_above": "count"}
            | {"top_score": "moment", "top_pair": "name", "top_unequal_pair": "name"}
            | {"key_only_share": "form", "mean_query_share": "form"}
        ),
        # The tokens with the largest term of the key alone, of each head.
        "keys": Table({**HEAD, "rank": "row", "token": "name", "score": "moment"}),
    },
    scalars={**FACTS, "corpus": "setting"},
)


def measure_head_pairs(
    space: VocabularySpace,
    spelling: Spelling | None,
    lists: Mapping[str, ListedWords],
    corpora: Mapping[str, CorpusStates],
    *,
    n_pairs: PositiveInt,
    n_listed: PositiveInt,
    corpus: CorpusName,
    n_permutations: PositiveInt,
    n_shuffled_heads: PositiveInt,
    least_share: Probability,
    significance: Annotated[float, Field(gt=0, lt=1)],
    count_above: dict[HeadForm, float],
    seed: NonNegativeInt,
) -> Outcome:
    """Return the top pairs of all heads with the shares of categories, beside three nulls.

    Rows and columns of W_VO are tokens read and written, rows and columns of W_QK tokens asking and
    asked; both sides are read by the output embedding. Tables have all tokens that are neither
    special nor unused. `key_only_share` is the share of b_Q W_K E' in the mean variance of scores
    over keys, every ordinary token a query and a key; NaN without a bias. Scores above
    `count_above` are counted over all tokens.

    Raises:
        InputError: if the vocabulary lacks tokens for rows of the embedding.
    """
    parameters = space.parameters
    if parameters is None:
        return HEAD_PAIRS.empty(**space.facts())
    words = words_of(parameters.tokens, space.kinds, spelling, lists)
    check_size(parameters, words)
    chosen, read = _chosen(words, corpora, corpus)
    search = PairSearch(parameters, words.classes, chosen, n_pairs)
    reading = _Reading(search, words, n_listed)
    rules = Rules(n_pairs, n_permutations, least_share, significance, seed)
    places = head_places(parameters)
    pairs, profiles, keys, shares = list[Row](), list[Row](), list[Row](), []
    for form in FORMS:
        tops: dict[str, list[TopPairs]] = {name: [] for name in chosen}
        heads_of_form = [(*place, form, count_above.get(form)) for place in listed(places)]
        for result in in_threads(reading.head_results, heads_of_form):
            profiles.append(result.profile)
            keys += result.keys
            for name, top in result.pairs.items():
                tops[name].append(top)
        generator = stream_of(np.random.default_rng(seed), "shuffled_heads", form)
        at_random = search.shuffled(places, form, n_shuffled_heads, generator)
        for name, tokens in chosen.items():
            heads = places.assign(tokens=name, form=form)
            shares.append(share_rows(tops[name], at_random[name], heads, words, tokens, rules))
            pairs += pair_rows(tops[name], heads, words, n_listed)
    return {
        "pairs": pd.DataFrame(pairs),
        "shares": pd.concat(shares, ignore_index=True),
        "profiles": pd.DataFrame(profiles),
        "keys": pd.DataFrame(keys),
        SCALARS: _facts(space, words, chosen, read),
    }


class _HeadResults(NamedTuple):
    """Holds the results of one form of one head."""

    pairs: dict[str, TopPairs]
    profile: Row
    keys: list[Row]


@dataclass(frozen=True)
class _Reading:
    """The reading of single heads."""

    search: PairSearch
    words: Words
    n_listed: int

    def head_results(
        self, layer: int, head: int, form: HeadForm, threshold: float | None
    ) -> _HeadResults:
        """Return the pairs of a head, how many lie above the threshold, and its keys."""
        x, y = self.search.factors(layer, head, form)
        pairs = self.search.pairs(x, y)
        profile = {
            "layer": layer,
            "head": head,
            "form": form,
            "threshold": threshold,
            "n_above": None if threshold is None else n_pairs_above(x, y, threshold),
            "top_score": next(iter(pairs["all"].all.scores.tolist()), np.nan),
            "top_pair": self._first(pairs["all"].all),
            "top_unequal_pair": self._first(pairs["all"].unequal),
        }
        if form != "query_key":
            return _HeadResults(pairs, profile, [])
        bias = head_query_bias(self.search.parameters.layers, layer, head)
        some = self.words.ordinary
        shares, top = key_only(x[some], y[some], bias, self.n_listed)
        place = {"layer": layer, "head": head}
        keys = [
            place | {"rank": number + 1, "token": self.words.shown[some[token]], "score": score}
            for number, (token, score) in enumerate(top)
        ]
        return _HeadResults(pairs, profile | shares, keys)

    def _first(self, pairs: VocabularyPairs) -> str:
        tokens = [
            self.words.shown[token] for side in (pairs.rows, pairs.columns) for token in side[:1]
        ]
        return " ".join(tokens)


def _chosen(
    words: Words, corpora: Mapping[str, CorpusStates], corpus: str
) -> tuple[dict[str, ChosenTokens], str | None]:
    """Return the tokens by name, and the corpus of `corpus`; None where none has a token."""
    chosen = {"all": words.ordinary}
    filled = {name: states for name, states in corpora.items() if len(states.tokens)}
    if not filled:
        return chosen, None
    name = corpus if corpus in filled else max(filled, key=lambda key: len(filled[key].tokens))
    ids = np.unique(filled[name].tokens["id"].to_numpy())
    return chosen | {"corpus": np.intersect1d(ids, words.ordinary)}, name


def _facts(
    space: VocabularySpace, words: Words, chosen: Mapping[str, ChosenTokens], corpus: str | None
) -> dict[str, Any]:
    return space.facts() | {
        "n_ordinary_tokens": len(chosen["all"]),
        "corpus": corpus,
        "n_corpus_tokens": len(chosen.get("corpus", ())),
        "n_words": words.n_words,
    }


main = HEAD_PAIRS.main(measure_head_pairs)

if __name__ == "__main__":
    run_stage(main, measure_head_pairs)
