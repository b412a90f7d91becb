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

from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.files.rows import load_rows
from embspace.files.scalars import save_scalars
from embspace.files.tables import Row, save_table
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
    PAIRS,
    ChosenTokens,
    PairSearch,
    check_size,
    head_places,
    in_threads,
    listed,
    pair_rows,
)
from embspace.measure.parameters.head_pairs_shares import SHARES, Rules, share_rows
from embspace.measure.parameters.head_pairs_words import (
    Words,
    load_word_lists,
    words_of,
)
from embspace.measure.parameters.vocabulary_space import VocabularySpace, load_vocabulary_space
from embspace.models.tokenizer import load_spelling
from embspace.settings.model import describe_model
from embspace.settings.params import CorpusName
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability

PROFILES = ["layer", "head", "form", "threshold", "n_above", "top_score", "top_pair"]
PROFILES += ["top_unequal_pair", "key_only_share", "mean_query_share"]
KEYS = ["layer", "head", "rank", "token", "score"]


@dataclass(frozen=True)
class HeadPairs:
    """The tables of the stage; empty for a model whose parameters can't be read."""

    pairs: pd.DataFrame
    """The first of each head and form, without pairs of equal tokens."""
    shares: pd.DataFrame
    profiles: pd.DataFrame
    """One row a head and form; a pair is row and column, with a space between them."""
    keys: pd.DataFrame
    """The tokens with the largest term of the key alone, of each head."""
    facts: dict[str, Any]


def measure_head_pairs(
    space: VocabularySpace,
    words: Words,
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
) -> HeadPairs:
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
        return _unknown(space)
    check_size(parameters, words)
    chosen, read = _chosen(words, corpora, corpus)
    search = PairSearch(parameters, words.classes, chosen, n_pairs)
    reading = _Reading(search, words, n_listed)
    rules = Rules(n_pairs, n_permutations, least_share, significance, seed)
    places = head_places(parameters)
    pairs, profiles, keys, shares = list[Row](), list[Row](), list[Row](), []
    for form in FORMS:
        found: dict[str, list[TopPairs]] = {name: [] for name in chosen}
        heads_of_form = [(*place, form, count_above.get(form)) for place in listed(places)]
        for one in in_threads(reading.of_head, heads_of_form):
            profiles.append(one.profile)
            keys += one.keys
            for name, top in one.pairs.items():
                found[name].append(top)
        generator = stream_of(np.random.default_rng(seed), "shuffled_heads", form)
        at_random = search.shuffled(places, form, n_shuffled_heads, generator)
        for name, tokens in chosen.items():
            heads = places.assign(tokens=name, form=form)
            shares.append(share_rows(found[name], at_random[name], heads, words, tokens, rules))
            pairs += pair_rows(found[name], heads, words, n_listed)
    return HeadPairs(
        pairs=pd.DataFrame(pairs, columns=PAIRS),
        shares=pd.concat(shares, ignore_index=True)[SHARES],
        profiles=pd.DataFrame(profiles, columns=PROFILES),
        keys=pd.DataFrame(keys, columns=KEYS),
        facts=_facts(space, words, chosen, read),
    )


class _OfHead(NamedTuple):
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

    def of_head(self, layer: int, head: int, form: HeadForm, threshold: float | None) -> _OfHead:
        """Return the pairs of a head, how many are above the threshold, and its keys."""
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
            return _OfHead(pairs, profile, [])
        bias = head_query_bias(self.search.parameters.layers, layer, head)
        some = self.words.ordinary
        shares, top = key_only(x[some], y[some], bias, self.n_listed)
        place = {"layer": layer, "head": head}
        keys = [
            place | {"rank": number + 1, "token": self.words.shown[some[token]], "score": score}
            for number, (token, score) in enumerate(top)
        ]
        return _OfHead(pairs, profile | shares, keys)

    def _first(self, pairs: VocabularyPairs) -> str:
        tokens = [
            self.words.shown[token] for side in (pairs.rows, pairs.columns) for token in side[:1]
        ]
        return " ".join(tokens)


def _unknown(space: VocabularySpace) -> HeadPairs:
    pairs, shares, profiles, keys = (
        pd.DataFrame(columns=columns) for columns in (PAIRS, SHARES, PROFILES, KEYS)
    )
    return HeadPairs(pairs, shares, profiles, keys, space.facts())


def _chosen(
    words: Words, corpora: Mapping[str, CorpusStates], corpus: str
) -> tuple[dict[str, ChosenTokens], str | None]:
    """Return the tokens by name, and the corpus of `corpus`; None where none has a token."""
    chosen = {"all": words.ordinary}
    having = {name: each for name, each in corpora.items() if len(each.tokens)}
    if not having:
        return chosen, None
    name = corpus if corpus in having else max(having, key=lambda each: len(having[each].tokens))
    ids = np.unique(having[name].tokens["id"].to_numpy())
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


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    model = describe_model(name, config.model)
    space = load_vocabulary_space(name, model)
    lists = load_word_lists(
        "data/stimuli/pair_categories", load_rows("data/prepared/stimuli/words.parquet")
    )
    tokens = [] if space.parameters is None else space.parameters.tokens
    found = measure_head_pairs(
        space,
        words_of(tokens, space.kinds, load_spelling(name, model), lists),
        load_corpora_states(
            f"data/extracted/hidden_states/{name}", "data/prepared/texts", config.corpora
        ),
        **config.settings,
    )
    save_table(found.pairs, f"results/head_pairs/pairs/{name}.csv")
    save_table(found.shares, f"results/head_pairs/shares/{name}.csv")
    save_table(found.profiles, f"results/head_pairs/profiles/{name}.csv")
    save_table(found.keys, f"results/head_pairs/keys/{name}.csv")
    save_scalars(found.facts, f"results/head_pairs/{name}.json")


if __name__ == "__main__":
    run_stage(main, measure_head_pairs)
