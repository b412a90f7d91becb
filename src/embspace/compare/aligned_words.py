"""The words that two models read, though their tokenizers cut texts in different places."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import regex
from jaxtyping import Bool, Float, Int

from embspace.scripts.words import UNSPACED, WORD

# A word goes on over apostrophes and hyphens within it.
WORDS = regex.compile(rf"{WORD}(?:['’-]{WORD})*")
_NO_WORD = regex.compile(rf"[{UNSPACED}]")  # what stands between spaces there is a clause


@dataclass(frozen=True, eq=False)
class TextWords:
    """The words of some texts, as ranges of characters of the joined texts."""

    first_character: dict[str, int]
    """Start of every text, by id."""
    text: Int[np.ndarray, " word"]
    """The number of the text of every word."""
    start: Int[np.ndarray, " word"]
    end: Int[np.ndarray, " word"]
    word_at: Int[np.ndarray, " character"]
    """The word of a character; -1 for none."""
    next_visible: Int[np.ndarray, " character"]
    """The first character from this position on without white space."""


def words_of(texts: pd.DataFrame) -> TextWords:
    """The words of a table of texts: id, text; none of scripts without spaces between words."""
    first_character, parts, at = {}, [], 0
    for number, (name, text) in enumerate(zip(texts["id"], texts["text"], strict=True)):
        first_character[str(name)] = at
        parts += [
            (number, at + match.start(), at + match.end())
            for match in WORDS.finditer(text)
            if not _NO_WORD.search(match[0])
        ]
        at += len(text)
    text, start, end = np.array(parts, dtype=np.int64).reshape(-1, 3).T
    word_at = np.full(at, -1, dtype=np.int64)
    lengths = end - start
    word_at[np.repeat(end - np.cumsum(lengths), lengths) + np.arange(lengths.sum())] = np.repeat(
        np.arange(len(start)), lengths
    )
    blank = np.array([character.isspace() for character in "".join(texts["text"])], dtype=bool)
    places = np.where(blank, at, np.arange(at))
    next_visible = np.minimum.accumulate(places[::-1])[::-1]
    return TextWords(first_character, text, start, end, word_at, next_visible)


@dataclass(frozen=True, eq=False)
class WordTokens:
    """The tokens of a model in every word."""

    is_whole: Bool[np.ndarray, " word"]
    """Whether tokens cover all of the word and none reaches beyond it."""
    token: Int[np.ndarray, " part"]
    """Row in the table of tokens; rows of a word stand together, words in order."""
    word: Int[np.ndarray, " part"]

    def means(
        self, states: Float[np.ndarray, "layer token dim"], words: Int[np.ndarray, " chosen"]
    ) -> Float[np.ndarray, "layer chosen dim"]:
        """The mean state of the tokens of each of `words`, which are whole and ascend."""
        parts = np.flatnonzero(np.isin(self.word, words))
        first = np.searchsorted(self.word[parts], words)
        n_tokens = np.diff(first, append=len(parts))[:, np.newaxis]
        rows = self.token[parts]
        return np.stack(
            [np.add.reduceat(layer[rows].astype(np.float64), first) / n_tokens for layer in states]
        )


def tokens_of_words(words: TextWords, tokens: pd.DataFrame, windows: pd.DataFrame) -> WordTokens:
    """The tokens of every word, by ranges of characters.

    White space at the start of a token, as in byte-level tokenizers, does not count. Of overlapping
    windows the first counts. A word is not whole if a token crosses an end, or if a character is in
    no token.
    """
    kept = tokens[~(tokens["special"] | tokens["repeated"]) & (tokens["end"] > tokens["start"])]
    text = windows["text"].to_numpy()[kept["window"].to_numpy(dtype=np.int64)]
    offset = pd.Series(text).map(words.first_character).to_numpy(dtype=np.int64)
    first = words.next_visible[offset + kept["start"].to_numpy(dtype=np.int64)]
    last = offset + kept["end"].to_numpy(dtype=np.int64) - 1
    visible = first <= last
    row, first, last = (numbers[visible] for numbers in (kept.index.to_numpy(), first, last))
    one, other = words.word_at[first], words.word_at[last]
    inside = (one == other) & (one >= 0)
    order = np.argsort(one[inside], kind="stable")
    is_whole = _is_covered(words, first[inside], last[inside])
    for a, b in zip(first[~inside], last[~inside], strict=True):
        touched = words.word_at[a : b + 1]
        is_whole[touched[touched >= 0]] = False
    return WordTokens(is_whole, row[inside][order], one[inside][order])


def _is_covered(
    words: TextWords, first: Int[np.ndarray, " token"], last: Int[np.ndarray, " token"]
) -> Bool[np.ndarray, " word"]:
    """Whether every character of a word lies in one of the tokens, from `first` to `last`."""
    steps = np.zeros(len(words.word_at) + 1, dtype=np.int64)
    np.add.at(steps, first, 1)
    np.add.at(steps, last + 1, -1)
    covered = words.word_at[np.cumsum(steps)[:-1] > 0]
    n_covered = np.bincount(covered[covered >= 0], minlength=len(words.start))
    return np.asarray(n_covered == words.end - words.start)


def one_of_each(
    document: Int[np.ndarray, " point"],
    is_usable: Bool[np.ndarray, " point"],
    *,
    largest_n: int,
    generator: np.random.Generator,
) -> Int[np.ndarray, " chosen"]:
    """A random usable point per document, of up to `largest_n` documents; ascending.

    Points of one document are dependent; the chosen points are independent, as unbiased estimates
    of alignment and halves of the points demand.
    """
    shuffled = generator.permutation(len(document))
    shuffled = shuffled[is_usable[shuffled]]
    first = np.unique(document[shuffled], return_index=True)[1]
    return np.sort(generator.permutation(shuffled[first])[:largest_n])
