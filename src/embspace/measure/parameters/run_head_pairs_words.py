"""Finds what is known about the tokens of vocabularies that are no natural language.

For k-mers these are codons and places in the gene; for the words of an invented language, the parts
of speech, numbers, stems and topics in its lexicon.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import pandas as pd
from Bio.Seq import translate
from jaxtyping import Bool, Int

from embspace.errors import InputError
from embspace.geometry.parameters.pair_categories import PairIds, Relation, equal_tokens
from embspace.grammar.language import make_language
from embspace.measure.parameters.head_pairs_words import Words
from embspace.settings.corpus import Corpus, FastaCorpus, GrammarCorpus, LineagesCorpus

CODON = 3  # bases
Codes = Int[np.ndarray, " token"]
Known = tuple[Codes, Relation]
"""The code of every token, -1 for a token without a code, and the relation of a category."""


def is_known(corpus: Corpus) -> bool:
    """Return True for a corpus whose tokens have known facts: of k-mers, or of a grammar."""
    return isinstance(corpus, FastaCorpus | GrammarCorpus | LineagesCorpus)


def run_words(
    corpus: Corpus,
    texts: Sequence[str],
    tokens: Sequence[str],
    *,
    least_count: int,
    near_places: int,
) -> Words:
    """Return the known facts about the frequent tokens of a run.

    `place`: k-mers most often at the same place of the sequences, variants of one another.
    `near_place`: places up to `near_places` apart. `follows`: the last bases of the first are the
    first bases of the second, and the second may stand behind the first; `precedes` the reverse.
    `amino_acid`: the first codons give the same amino acid, at different places; only where k-mers
    keep the frame. Unknown bases belong to nothing.

    `part_of_speech`, `topic`: of the invented words. `same_number`: both singular, or both plural.
    `stem`: singular and plural of one stem.

    Args:
        corpus: The corpus of the run, with `is_known`.
        texts: The training texts.
        tokens: By row of the embedding.
        least_count: Least count of a token in the texts; training has hardly seen rarer tokens.
        near_places: Distance of places that count as near.

    Raises:
        InputError: if fewer than two tokens are frequent enough.
    """
    counts = Counter(word for text in texts for word in text.split())
    ordinary = np.array([counts[token] >= least_count for token in tokens]).nonzero()[0]
    if len(ordinary) < 2:
        raise InputError(
            f"key 'least_count': found {least_count}, but {len(ordinary)} of {len(tokens)} tokens "
            "are so frequent in the texts that the run was trained on; expected two or more"
        )
    if isinstance(corpus, GrammarCorpus):
        known = _known_of_grammar(corpus, tokens)
    elif isinstance(corpus, FastaCorpus | LineagesCorpus):
        known = _known_of_kmers(corpus, _places(texts, tokens), tokens, near_places)
    else:
        known = {}
    classes = np.arange(len(tokens))
    return Words(
        shown=list(tokens),
        classes=classes,
        ordinary=ordinary,
        equal=equal_tokens(classes),
        relations={name: relation for name, (_, relation) in known.items()},
        n_words={name: int((codes[ordinary] >= 0).sum()) for name, (codes, _) in known.items()},
    )


def _known_of_grammar(corpus: GrammarCorpus, tokens: Sequence[str]) -> Mapping[str, Known]:
    entries = make_language(corpus).lexicon.entries
    token_entries = [entries.get(token) for token in tokens]
    kinds = [entry.word_class.split() if entry else [] for entry in token_entries]
    stems = [
        (kind[0], entry.topic, entry.rank) if entry and len(kind) > 1 else None
        for entry, kind in zip(token_entries, kinds, strict=True)
    ]
    values: dict[str, Sequence[Hashable]] = {
        "part_of_speech": [kind[0] if kind else None for kind in kinds],
        "topic": [entry.topic if entry else None for entry in token_entries],
        "same_number": [kind[1] if len(kind) > 1 else None for kind in kinds],
        "stem": stems,
    }
    coded = {name: _codes(column) for name, column in values.items()}
    return {name: (codes, equal_tokens(codes)) for name, codes in coded.items()}


def _known_of_kmers(
    corpus: FastaCorpus | LineagesCorpus, places: Codes, tokens: Sequence[str], near_places: int
) -> Mapping[str, Known]:
    known: dict[str, Known] = {
        "place": (places, equal_tokens(places)),
        "near_place": (places, _near(places, near_places)),
    }
    overlap = corpus.k - corpus.stride
    if overlap > 0:
        starts = [_bases(token[:overlap]) for token in tokens]
        codes = _codes([*starts, *(_bases(token[-overlap:]) for token in tokens)])
        first, last = codes[: len(tokens)], codes[len(tokens) :]
        known["follows"] = (last, _matching(last, first))
        known["precedes"] = (first, _matching(first, last))
    if corpus.k % CODON == corpus.stride % CODON == 0:
        codons = [_bases(token[:CODON]) for token in tokens]
        acids = _codes([translate(codon) if codon else None for codon in codons])
        known["amino_acid"] = (acids, _elsewhere(acids, places))
    return known


def _places(texts: Sequence[str], tokens: Sequence[str]) -> Codes:
    """Return the place where every token stands most often, the first at equal counts, from 0."""
    seen: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for text in texts:
        for place, word in enumerate(text.split()):
            seen[word][place] += 1
    most_frequent = [
        min(seen[token], key=lambda place: (-seen[token][place], place)) if token in seen else -1
        for token in tokens
    ]
    return np.array(most_frequent, dtype=np.int64)


def _bases(text: str) -> str | None:
    """Return the bases if all of them are known."""
    return text if text and not set(text) - set("acgt") else None


def _codes(values: Sequence[Hashable]) -> Codes:
    """Return a number for every different value, -1 for None."""
    made = np.empty(len(values), dtype=object)
    made[:] = values  # not a matrix, where values are tuples
    return np.asarray(pd.factorize(made)[0], dtype=np.int64)


def _matching(mine: Codes, others: Codes) -> Relation:
    """Return the relation of tokens where `mine` of the first equals `others` of the second."""

    def holds(first: PairIds, second: PairIds) -> Bool[np.ndarray, "..."]:
        return (mine[first] == others[second]) & (mine[first] >= 0)

    return holds


def _near(places: Codes, most: int) -> Relation:
    """Return the relation of tokens at different places, up to `most` apart."""

    def holds(first: PairIds, second: PairIds) -> Bool[np.ndarray, "..."]:
        distance = np.abs(places[first] - places[second])
        return (
            (np.minimum(places[first], places[second]) >= 0) & (distance > 0) & (distance <= most)
        )

    return holds


def _elsewhere(codes: Codes, places: Codes) -> Relation:
    """Return the relation of tokens that have the same code at different places."""

    def holds(first: PairIds, second: PairIds) -> Bool[np.ndarray, "..."]:
        same = (codes[first] == codes[second]) & (codes[first] >= 0)
        return same & (places[first] != places[second])

    return holds
