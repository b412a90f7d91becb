"""Chooses the texts of `measure_token_tracker`, and the followed words."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool, Int

from embspace.scripts.whole_words import whole_words

CONTENT, FUNCTION = "content", "function"
HOMONYM, ONE_SENSE = "homonym", "one_sense"
FollowedIds = Int[np.ndarray, " _"]  # texts differ in length


@dataclass(frozen=True, eq=False)
class FollowedTexts:
    """Texts with followed tokens."""

    ids: list[FollowedIds]
    """The tokens by text, with special tokens."""
    unit: Int[np.ndarray, " text"]
    """Number of the document or homonym that a text belongs to: the independent unit."""
    text: Int[np.ndarray, " followed"]
    """Number of the text of each followed token."""
    position: Int[np.ndarray, " followed"]
    group: np.ndarray
    """Name of the group of each followed token."""
    word: np.ndarray
    """The words of the followed tokens, in small letters."""
    special: list[Bool[np.ndarray, " _"]]
    """Whether tokens are special, by text."""

    @property
    def n_units(self) -> int:
        """Return the number of independent units."""
        return int(self.unit.max()) + 1 if len(self.unit) else 0

    @property
    def token(self) -> Int[np.ndarray, " followed"]:
        """Return the number in the vocabulary of each followed token."""
        pairs = zip(self.text, self.position, strict=True)
        return np.array([self.ids[text][at] for text, at in pairs], dtype=np.int64)

    @property
    def unit_of_token(self) -> Int[np.ndarray, " followed"]:
        """Return the units of the followed tokens."""
        return self.unit[self.text]


def running_texts(
    windows: pd.DataFrame,
    tokens: pd.DataFrame,
    texts: pd.DataFrame,
    groups: Mapping[str, str],
    *,
    n_texts: int,
    n_words_of_text: int,
) -> FollowedTexts:
    """Return from each of `n_texts` documents the window with most content words.

    The documents are spread evenly over the corpus. Of equal windows the first is taken; windows
    without a word of both groups are left out. `groups` gives the group of a word. At most
    `n_words_of_text` tokens of a group are followed, evenly over the text.
    """
    content = texts.drop_duplicates("id").set_index("id")
    strings = windows["text"].map(content["text"]).tolist()
    words = whole_words(tokens, strings)
    named = tokens.assign(group=[groups.get(word, "") for word in words], word=words)
    counts = pd.crosstab(named["window"], named["group"])
    counts = counts.reindex(columns=[CONTENT, FUNCTION], fill_value=0)
    counts = counts[(counts > 0).all(axis=1)].reset_index()
    document = windows["text"].map(content["document"]).to_numpy()[counts["window"].to_numpy()]
    order = counts.assign(document=document).sort_values(
        [CONTENT, "window"], ascending=[False, True]
    )
    chosen = np.sort(order.drop_duplicates("document")["window"].to_numpy())
    if len(chosen) > n_texts:
        chosen = chosen[np.linspace(0, len(chosen) - 1, n_texts).round().astype(int)]
    return _followed(named, chosen, np.arange(len(chosen)), n_words_of_text)


def homonym_texts(
    stimuli: pd.DataFrame, tokens: pd.DataFrame, nouns: Collection[str]
) -> FollowedTexts:
    """Return the sentences of homonyms: homonyms of a single token, and further nouns of a list.

    Units are the homonyms. Sentences without either are left out.
    """
    words = whole_words(tokens, stimuli["text"].tolist())
    own = stimuli["word"].str.lower().to_numpy()[tokens["window"].to_numpy()]
    pairs = zip(words, own, strict=True)
    group = [
        HOMONYM if word == homonym else ONE_SENSE if word in nouns else ""
        for word, homonym in pairs
    ]
    named = tokens.assign(group=group, word=words)
    chosen = np.unique(named.loc[named["group"] != "", "window"].to_numpy())
    unit = pd.factorize(stimuli["word"].to_numpy()[chosen])[0]
    return _followed(named, chosen, unit.astype(np.int64), len(named))


def _followed(
    named: pd.DataFrame,
    chosen: Int[np.ndarray, " text"],
    unit: Int[np.ndarray, " text"],
    n_words_of_text: int,
) -> FollowedTexts:
    """The chosen windows, with at most `n_words_of_text` tokens per group and window."""
    by_window = dict(list(named[named["window"].isin(chosen)].groupby("window")))
    ids, special = [], []
    text, position, group, word = list[int](), list[int](), list[str](), list[str]()
    for number, window in enumerate(chosen):
        rows = by_window[window]
        ids.append(rows["id"].to_numpy(dtype=np.int64))
        special.append(rows["special"].to_numpy(dtype=bool))
        word_at = dict(zip(rows["position"], rows["word"], strict=True))
        for name in sorted({*rows["group"]} - {""}):
            at = rows.loc[rows["group"] == name, "position"].to_numpy()
            if len(at) > n_words_of_text:
                at = at[np.linspace(0, len(at) - 1, n_words_of_text).round().astype(int)]
            text += [number] * len(at)
            position += at.tolist()
            group += [name] * len(at)
            word += [word_at[place] for place in at.tolist()]
    at_text, at_position = (np.array(numbers, dtype=np.int64) for numbers in (text, position))
    group_names, followed = (np.array(names, dtype=object) for names in (group, word))
    return FollowedTexts(ids, unit, at_text, at_position, group_names, followed, special)
