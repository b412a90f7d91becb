"""Stage `measure_head_pairs`: the pairs of tokens that each head relates, read from its weights.

W_VO and W_QK between any two tokens of the vocabulary, after Dar et al. (2023), "Analyzing
Transformers in Embedding Space": the exact top pairs of each head, what they have in common beside
what chance gives, and the term of the key alone. Weights are all there are, and have no interval.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Int
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.errors import InputError
from embspace.files.rows import load_rows
from embspace.files.scalars import save_scalars
from embspace.files.tables import Row, save_table
from embspace.geometry.attention.key_variance import key_shares, text_moments
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.parameters.vocabulary_pairs import n_pairs_above
from embspace.measure.parameters.head_pairs_forms import (
    FORMS,
    Form,
    Matrix,
    TopPairs,
    find_pairs,
    head_factors,
    shuffled,
    token_factors,
)
from embspace.measure.parameters.head_pairs_shares import SHARES, Rules, share_rows
from embspace.measure.parameters.head_pairs_words import (
    Words,
    load_word_lists,
    words_of,
)
from embspace.measure.parameters.vocabulary_space import VocabularySpace, load_vocabulary_space
from embspace.models.parameters.read import ModelParameters
from embspace.models.tokenizer import load_spelling
from embspace.settings.model import describe_model
from embspace.settings.params import CorpusName
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability

HEADS = ["layer", "head", "key_only_share", "mean_query_share"]
HEADS += [f"n_above_{form}" for form in FORMS]
PAIRS = ["tokens", "form", "layer", "head", "rank", "row", "column", "score", "categories"]
KEYS = ["layer", "head", "rank", "token", "score"]
Tokens = Int[np.ndarray, " some"]


@dataclass(frozen=True)
class HeadPairs:
    """The tables of the stage; empty for a model whose parameters can't be read."""

    pairs: pd.DataFrame
    """The first of each head and form, without pairs of equal tokens."""
    shares: pd.DataFrame
    heads: pd.DataFrame
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
    count_above: dict[Form, float],
    seed: NonNegativeInt,
) -> HeadPairs:
    """Return the top pairs of all heads with the shares of their categories, beside three nulls.

    Rows and columns of W_VO are tokens read and written, those of W_QK tokens that ask and are
    asked; both sides are read by the output embedding. Tables have all tokens that are neither
    special nor unused, and those of a corpus alone. `key_only_share` is that of b_Q W_K E' in the
    mean variance of scores over keys, every ordinary token a query and a key; NaN without a bias.
    Scores above `count_above` are counted over all tokens whatever they are.

    Raises:
        InputError: if the vocabulary does not have a token for each row of the embedding.
    """
    parameters = space.parameters
    if parameters is None:
        return _unknown(space)
    _check_size(parameters, words)
    chosen, read = _chosen(words, corpora, corpus)
    search = _Search(parameters, words, chosen, n_pairs)
    rules = Rules(n_pairs, n_permutations, least_share, significance, seed)
    places = _places(parameters)
    pairs: list[Row] = []
    shares, counts = [], {}
    for form in FORMS:
        counts[f"n_above_{form}"] = _counts(parameters, places, form, count_above.get(form))
        found = search.trained(places, form)
        at_random = search.shuffled(places, form, n_shuffled_heads, seed)
        for name, tokens in chosen.items():
            heads = places.assign(tokens=name, form=form)
            shares.append(share_rows(found[name], at_random[name], heads, words, tokens, rules))
            pairs += _pair_rows(found[name], heads, words, n_listed)
    keys = [_key_only(parameters, *place, words, n_listed) for place in _listed(places)]
    of_heads = pd.DataFrame([share for share, _ in keys]).assign(**counts)
    return HeadPairs(
        pairs=pd.DataFrame(pairs, columns=PAIRS),
        shares=pd.concat(shares, ignore_index=True)[SHARES],
        heads=pd.concat([places, of_heads], axis=1)[HEADS],
        keys=pd.DataFrame([row for _, rows in keys for row in rows], columns=KEYS),
        facts=_facts(space, words, chosen, read),
    )


@dataclass(frozen=True)
class _Search:
    """The search for the top pairs of heads, among each of the chosen tokens."""

    parameters: ModelParameters
    words: Words
    chosen: Mapping[str, Tokens]
    n_pairs: int

    def trained(self, places: pd.DataFrame, form: Form) -> dict[str, list[TopPairs]]:
        """Return the pairs of all heads."""
        layers = self.parameters.layers
        return self._found(head_factors(layers, *place, form) for place in _listed(places))

    def shuffled(
        self, places: pd.DataFrame, form: Form, n_heads: int, seed: int
    ) -> dict[str, list[TopPairs]]:
        """Return the pairs of heads at equal distances among all, with their entries shuffled."""
        layers = self.parameters.layers
        generator = stream_of(np.random.default_rng(seed), "shuffled_heads", form)
        some = places.iloc[np.arange(n_heads) * len(places) // n_heads]
        return self._found(
            shuffled(head_factors(layers, *place, form), generator) for place in _listed(some)
        )

    def _found(self, heads: Iterable[tuple[Matrix, Matrix]]) -> dict[str, list[TopPairs]]:
        found: dict[str, list[TopPairs]] = {name: [] for name in self.chosen}
        for factors in heads:
            x, y = token_factors(self.parameters.output_embedding, factors)
            for name, tokens in self.chosen.items():
                found[name].append(find_pairs(x, y, self.n_pairs, self.words.classes, tokens))
        return found


def _unknown(space: VocabularySpace) -> HeadPairs:
    pairs, shares, heads, keys = (
        pd.DataFrame(columns=columns) for columns in (PAIRS, SHARES, HEADS, KEYS)
    )
    return HeadPairs(pairs, shares, heads, keys, space.facts())


def _places(parameters: ModelParameters) -> pd.DataFrame:
    places = [(each.layer, head + 1) for each in parameters.layers for head in range(each.n_heads)]
    return pd.DataFrame(places, columns=["layer", "head"])


def _check_size(parameters: ModelParameters, words: Words) -> None:
    if len(words.shown) != len(parameters.output_embedding):
        raise InputError(
            f"the vocabulary has {len(words.shown)} tokens, the output embedding "
            f"{len(parameters.output_embedding)} rows; expected a row a token"
        )


def _chosen(
    words: Words, corpora: Mapping[str, CorpusStates], corpus: str
) -> tuple[dict[str, Tokens], str | None]:
    """Return the tokens by name, and the corpus of `corpus`; None where none has a token."""
    chosen = {"all": words.ordinary}
    having = {name: each for name, each in corpora.items() if len(each.tokens)}
    if not having:
        return chosen, None
    name = corpus if corpus in having else max(having, key=lambda each: len(having[each].tokens))
    ids = np.unique(having[name].tokens["id"].to_numpy())
    return chosen | {"corpus": np.intersect1d(ids, words.ordinary)}, name


def _listed(places: pd.DataFrame) -> list[tuple[int, int]]:
    return [(int(layer), int(head)) for layer, head in places.to_numpy()]


def _counts(
    parameters: ModelParameters, places: pd.DataFrame, form: Form, threshold: float | None
) -> list[float]:
    """Return how many pairs of each head have a score above the threshold, over all tokens."""
    if threshold is None:
        return [np.nan] * len(places)
    return [
        n_pairs_above(*token_factors(parameters.output_embedding, factors), threshold)
        for factors in (head_factors(parameters.layers, *place, form) for place in _listed(places))
    ]


def _pair_rows(
    found: list[TopPairs], heads: pd.DataFrame, words: Words, n_listed: int
) -> list[Row]:
    rows: list[Row] = []
    for pairs, record in zip(found, heads.to_dict("records"), strict=True):
        some, place = pairs.unequal, {str(key): value for key, value in record.items()}
        first, second = some.rows[:n_listed], some.columns[:n_listed]
        held = {name: relation(first, second) for name, relation in words.relations.items()}
        for number, (row, column) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            rows.append(
                place
                | {
                    "rank": number + 1,
                    "row": words.shown[row],
                    "column": words.shown[column],
                    "score": some.scores[number],
                    "categories": " ".join(name for name, each in held.items() if each[number]),
                }
            )
    return rows


def _key_only(
    parameters: ModelParameters, layer: int, head: int, words: Words, n_listed: int
) -> tuple[Row, list[Row]]:
    """Return the shares of what is the same for every query, and the keys it is largest for."""
    of_layer = next(each for each in parameters.layers if each.layer == layer)
    factors = head_factors(parameters.layers, layer, head, "query_key")
    queries, keys = token_factors(parameters.output_embedding[words.ordinary], factors)
    rows = slice((head - 1) * of_layer.head_dim, head * of_layer.head_dim)
    bias = None if of_layer.query_bias is None else of_layer.query_bias[rows].astype(np.float64)
    one_text = np.zeros(len(queries), dtype=np.int64)
    asked = queries if bias is None else queries + bias
    moments = text_moments(asked, one_text), text_moments(keys, one_text)
    shares = dict(zip(HEADS[2:4], key_shares(*moments, bias, np.array([0])).tolist(), strict=True))
    if bias is None:
        return shares, []
    scores = keys.astype(np.float64) @ bias
    place: Row = {"layer": layer, "head": head}
    return shares, [
        place | {"rank": number + 1, "token": words.shown[token], "score": score}
        for number, (token, score) in enumerate(_largest(scores, words.ordinary, n_listed))
    ]


def _largest(scores: np.ndarray, tokens: Tokens, n: int) -> list[tuple[int, float]]:
    top = np.argsort(-scores, kind="stable")[:n]
    return list(zip(tokens[top].tolist(), scores[top].tolist(), strict=True))


def _facts(
    space: VocabularySpace, words: Words, chosen: Mapping[str, Tokens], corpus: str | None
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
    save_table(found.heads, f"results/head_pairs/heads/{name}.csv")
    save_table(found.keys, f"results/head_pairs/keys/{name}.csv")
    save_scalars(found.facts, f"results/head_pairs/{name}.json")


if __name__ == "__main__":
    run_stage(main, measure_head_pairs)
