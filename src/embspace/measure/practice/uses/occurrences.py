"""The words of a corpus that stand in many documents, with one occurrence per document."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from embspace.clouds.layers import CorpusStates
from embspace.clouds.token_corpus import load_token_corpus
from embspace.files.rows import load_rows
from embspace.scripts.whole_words import whole_words


@dataclass(frozen=True, eq=False)
class WordsOfTexts:
    """The states of a corpus's tokens, and the tokens' words."""

    corpus: str
    read: CorpusStates
    word: np.ndarray
    """By row of `read.tokens`, in small letters; empty for a special token or part of a word."""


class Chosen(NamedTuple):
    """Which words are tested, and on how many of their occurrences."""

    least_documents: int
    largest_share: float
    """Largest share of all documents with the word; words in more say little of any text."""
    n_words: int
    n_most: int
    n_around: int
    """The tokens that an occurrence needs on either side, for the same position in all parts."""


def load_words_of_texts(
    extracted: str, prepared: str, corpora: Iterable[str]
) -> WordsOfTexts | None:
    """Return the corpus with most tokens whose states are kept by token; None without any."""
    loaded = load_token_corpus(extracted, prepared, corpora)
    if loaded is None:
        return None
    corpus, read = loaded
    windows = load_rows(f"{extracted}/{corpus}.windows.parquet")
    texts = load_rows(f"{prepared}/{corpus}.parquet").drop_duplicates("id").set_index("id")["text"]
    strings = windows["text"].map(texts).tolist()
    words = whole_words(read.tokens, strings, with_unspaced=True)
    return WordsOfTexts(corpus, read, np.array(words, dtype=object))


def occurrences_of(
    texts: WordsOfTexts, chosen: Chosen, generator: np.random.Generator
) -> pd.DataFrame:
    """Return the occurrences of the words that stand in most documents.

    Returns:
        Columns word, id (of the token, by which capitals differ), row (of the table of tokens) and
        document; words in falling order of documents, occurrences in the order of the texts.
    """
    tokens = texts.read.tokens
    last = tokens.groupby("window")["position"].transform("max")
    is_inside = tokens["position"].gt(chosen.n_around) & last.sub(tokens["position"]).gt(
        chosen.n_around
    )
    usable = (texts.word != "") & ~tokens["repeated"].to_numpy() & is_inside.to_numpy()
    rows = np.flatnonzero(usable)
    document = texts.read.document[tokens["window"].to_numpy()[rows]]
    table = pd.DataFrame(
        {
            "word": texts.word[rows],
            "id": tokens["id"].to_numpy()[rows],
            "token": tokens["token"].to_numpy()[rows],
            "row": rows,
            "document": document,
        }
    )
    table = table.iloc[generator.permutation(len(table))].drop_duplicates(["id", "document"])
    n_documents = table.groupby("id")["document"].size()
    most = chosen.largest_share * texts.read.n_documents
    kept = n_documents[(n_documents >= chosen.least_documents) & (n_documents <= most)]
    ranked = kept.sort_index().sort_values(ascending=False, kind="stable").index[: chosen.n_words]
    drawn = table[table["id"].isin(ranked)].groupby("id").head(chosen.n_most)
    rank = drawn["id"].map({token: rank for rank, token in enumerate(ranked)})
    # Tokens that differ by capitals are two words of one name.
    is_one = drawn.groupby("word")["id"].transform("nunique") == 1
    ordered = drawn.assign(rank=rank, word=drawn["word"].where(is_one, drawn["token"]))
    ordered = ordered.sort_values(["rank", "row"]).reset_index(drop=True)
    return ordered[["word", "id", "row", "document"]]
