"""Stage `measure_vocabulary`: the tokens of a model, by kind, length and order.

Luisto's thesis, sections 3.2.1 and 4.2.1, with its notebooks `vocabulary_comparison` and
`BERT_context_free_visualization`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from pydantic import PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.measure.learned.vocabulary_id_ranges import (
    KINDS,
    blocks_of_ids,
    range_rows,
    runs_of_ids,
)
from embspace.measure.learned.vocabulary_token_kinds import DIGITS, NO_WORDS, described_tokens
from embspace.models.spelling import Spelling
from embspace.models.tokenizer import load_spelling, load_tokenizer
from embspace.settings.model import Model
from embspace.settings.stage import run_stage

IdsOf = Callable[[str], list[int]]
"""The ids of the tokens of a text, without special tokens."""


def load_encoder(name: str, model: Model) -> IdsOf | None:
    """Return the function that gives the ids of a text, if the model has a tokenizer."""
    if load_spelling(name, model) is None:
        return None
    return partial(load_tokenizer(name, model).encode, add_special_tokens=False)


# Of a range of ids: its ends, how many tokens of each kind it has, and how long they are.
IDS: dict[str, Column] = {
    "first_id": "row",
    "last_id": "count",
    "first_token": "name",
    "last_token": "name",
    "n": "count",
    **{f"n_{kind}": "count" for kind in KINDS},
    "mean_n_characters": "moment",
    "mean_n_characters_of_words": "moment",
}
VOCABULARY = Analysis(
    noun="vocabulary",
    question="What are the tokens, and in which order? Section 4.2.1",
    reads={
        "vocabulary": "data/extracted/embeddings/{model}.parquet",
        "spelling": Source(load_spelling),
        "ids_of": Source(load_encoder),
    },
    tables={
        "shares": Table(
            {
                "quantity": "row",
                "definition": "row",
                "n": "count",
                "count": "count",
                "share": "share",
            }
        ),
        "digits": Table(
            {
                "definition": "row",
                "n_digits": "row",
                "n_tokens": "count",
                "n_numbers": "count",
                "n_possible": "count",
                "share": "share",
            }
        ),
        "lengths": Table(
            {
                "definition": "row",
                "n_characters": "row",
                "n": "count",
                "count": "count",
                "share": "share",
                "n_subwords": "count",
            }
        ),
        "id_ranges": Table({"kind": "name", **IDS}),
        "id_blocks": Table(IDS),
        "examples": Table(
            {"text": "row", "place": "row", "token": "name", "id": "id", "n_tokens": "count"}
        ),
    },
    scalars={
        "n": "count",
        "algorithm": "name",
        "marks": "name",
        "marker": "name",
        "byte_level": "name",
        "n_words": "count",
        "id_length_correlation": "share",
    },
)


def measure_vocabulary(
    vocabulary: pd.DataFrame,
    spelling: Spelling | None,
    ids_of: IdsOf | None,
    *,
    example_texts: dict[str, str],
    shortest_run: PositiveInt,
    block_size: PositiveInt,
    number_words: list[str],
    roman_numerals: list[str],
) -> Outcome:
    """Describe the tokens: kinds, lengths, numbers among them, and order.

    `vocabulary` is the extracted table, `ids_of` the tokenizer; the tokens of each of
    `example_texts` are listed. Two definitions stand side by side. `as_listed` takes a token as the
    tokenizer lists it, like the thesis, so `##ing` is not alphanumeric. `word_form` takes the text
    that the token stands for, without markers (see `embspace.models.spelling.Spelling.word_form`).
    Quantities that depend on neither have `either`. Characters are code points. Without a
    tokenizer, `spelling` and `ids_of` are None and all tables are empty.
    """
    if spelling is None:
        vocabulary, spelling = vocabulary[:0], Spelling("", "nothing", "", False)
    tokens = described_tokens(vocabulary, spelling)
    runs = runs_of_ids(tokens["kind"].tolist(), shortest_run)
    return {
        "shares": share_rows(tokens, set(number_words), set(roman_numerals)),
        "digits": digit_rows(tokens),
        "lengths": length_rows(tokens),
        "id_ranges": range_rows(tokens, runs),
        "id_blocks": range_rows(tokens, blocks_of_ids(len(tokens), block_size)).drop(
            columns="kind"
        ),
        "examples": example_rows(vocabulary, ids_of, example_texts),
        "json": _summary(tokens, spelling),
    }


def example_rows(
    vocabulary: pd.DataFrame, ids_of: IdsOf | None, texts: dict[str, str]
) -> pd.DataFrame:
    """Return a row per text and token, in order: place from 0 on, id, and number of tokens."""
    token_of = vocabulary.set_index("id")["token"]
    rows = []
    ids_by_text = {text: ids_of(words) for text, words in texts.items()} if ids_of else {}
    for text, ids in ids_by_text.items():
        rows += [(text, place, token_of[key], key, len(ids)) for place, key in enumerate(ids)]
    return pd.DataFrame(rows, columns=[*VOCABULARY.tables["examples"].columns])


def share_rows(
    tokens: pd.DataFrame, number_words: set[str], roman_numerals: set[str]
) -> pd.DataFrame:
    """Return a row per quantity and definition: how many of the n tokens have the quantity.

    Roman numerals are undefined for a vocabulary without capitals, where "mix" may be a word.
    """
    string_tests: dict[str, Callable[[str], bool]] = {
        "alphanumeric": str.isalnum,
        "alphabetic": str.isalpha,
        "numeric": str.isnumeric,
        "not_alphanumeric": lambda text: not text.isalnum(),
        "single_character": lambda text: len(text) == 1,
        "number_word": lambda text: text.lower() in number_words,
        "roman_numeral": lambda text: text in roman_numerals,
    }
    counts: dict[tuple[str, str], float] = {("subword", "either"): tokens["subword"].sum()}
    counts |= {(kind, "either"): (tokens["kind"] == kind).sum() for kind in NO_WORDS}
    for quantity, has in string_tests.items():
        for definition, strings in _definitions(tokens).items():
            known = quantity != "roman_numeral" or _has_upper_case(tokens)
            counts[quantity, definition] = sum(map(has, strings)) if known else float("nan")
    rows = [(*key, len(tokens), count) for key, count in counts.items() if len(tokens)]
    table = pd.DataFrame(rows, columns=[*VOCABULARY.tables["shares"].columns][:-1])
    return table.assign(share=table["count"] / table["n"])


def _has_upper_case(tokens: pd.DataFrame) -> bool:
    """Return whether the text of any token has a capital: uncased tokenizers have none."""
    texts = tokens.loc[~tokens["kind"].isin(NO_WORDS), "text"]
    return bool((texts != texts.str.lower()).any())


def digit_rows(tokens: pd.DataFrame) -> pd.DataFrame:
    """Return a row per definition and number of digits.

    `n_tokens` counts the tokens of ASCII digits alone, `n_numbers` the different numbers among
    them, leading zeros included; `share` is `n_numbers` over the 10^n_digits possible numbers.
    """
    numbers = {
        definition: [text for text in strings if DIGITS.fullmatch(text)]
        for definition, strings in _definitions(tokens).items()
    }
    lengths = sorted({len(text) for texts in numbers.values() for text in texts})
    rows = []
    for definition, texts in numbers.items():
        for n_digits in lengths:
            equally_long = [text for text in texts if len(text) == n_digits]
            n_numbers, n_possible = len(set(equally_long)), 10**n_digits
            share = n_numbers / n_possible
            rows.append((definition, n_digits, len(equally_long), n_numbers, n_possible, share))
    return pd.DataFrame(rows, columns=[*VOCABULARY.tables["digits"].columns])


def length_rows(tokens: pd.DataFrame) -> pd.DataFrame:
    """Return a row per definition and number of characters: how many of the n tokens are this long.

    Only tokens that are neither special nor unused nor bytes count; `n_subwords` of them are
    subwords.
    """
    ordinary = tokens[~tokens["kind"].isin(NO_WORDS)]
    is_subword = ordinary["subword"].to_numpy(dtype=bool)
    rows = []
    for definition, strings in _definitions(ordinary).items():
        lengths = np.array([len(text) for text in strings], dtype=np.int64)
        for length in np.unique(lengths):
            has_length = lengths == length
            share = has_length.sum() / len(has_length)
            n_subwords = int(is_subword[has_length].sum())
            rows.append((definition, length, len(has_length), has_length.sum(), share, n_subwords))
    return pd.DataFrame(rows, columns=[*VOCABULARY.tables["lengths"].columns])


def _definitions(tokens: pd.DataFrame) -> dict[str, list[str]]:
    return {"as_listed": tokens["token"].tolist(), "word_form": tokens["text"].tolist()}


def _summary(tokens: pd.DataFrame, spelling: Spelling) -> dict[str, Any]:
    """Return the tokenizer's spelling, and whether short words come first.

    `id_length_correlation` is Spearman's, between the ids of words and their numbers of letters,
    over words of several letters.
    """
    from scipy.stats import spearmanr

    words = tokens[tokens["kind"] == "word"]
    correlation = float("nan")
    if words["n_characters"].nunique() > 1:
        correlation = float(spearmanr(words["id"], words["n_characters"]).statistic)
    return {
        "n": len(tokens),
        "algorithm": spelling.algorithm,
        "marks": spelling.marks,
        "marker": spelling.marker,
        "byte_level": spelling.byte_level,
        "n_words": len(words),
        "id_length_correlation": correlation,
    }


main = VOCABULARY.main(measure_vocabulary)

if __name__ == "__main__":
    run_stage(main, measure_vocabulary)
