"""Lists verbs with the nouns in agreement, and the distances between both."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.grammar.context_free import Node, count_distribution
from embspace.grammar.language import Language, parse, split_at_marks
from embspace.grammar.lexicon import NOUN, OTHER, SINGULAR, VERB
from embspace.grammar.rules import CLAUSE, MANNER, NOMINAL, SUBJECT

MAIN, SUBJECT_RELATIVE, OBJECT_RELATIVE = CLAUSES = ("main", "subject relative", "object relative")
ITEM_COLUMNS = ["id", "sentence", "clause", "number", "noun_index", "verb_index", "right", "wrong"]
ITEM_COLUMNS += ["distance", "n_nouns_between", "n_attractors"]


def agreement_items(texts: pd.DataFrame, language: Language) -> pd.DataFrame:
    """One row per verb of the texts; `texts` has the columns id and text.

    `right` is the verb in the text, `wrong` the same stem in the wrong number. `noun_index` and
    `verb_index` count the words of the text (`text.split()`) from 0, `distance` is the difference.
    Between stand `n_nouns_between` nouns, of these `n_attractors` in the wrong number. `clause` is
    the verb's clause: the sentence (main), a relative clause with the noun before as subject
    (subject relative), or a relative clause with a subject inside (object relative). `sentence` is
    the sentence's number in the text, from 0.

    The words before the verb determine the right form; chance is one half if both numbers are
    equally likely.

    Raises:
        ValueError: naming the id, for a sentence that breaks the rules of the language.
    """
    rows = []
    for name, text in zip(texts["id"], texts["text"], strict=True):
        start = 0
        for number, words in enumerate(split_at_marks(text)):
            tree = parse(language, words)
            if tree is None:
                raise ValueError(f"{name}: no sentence of the language: {' '.join(words)}")
            for clause, noun, verb in agreements(tree):
                item = _item(words, noun, verb, language)
                rows.append((name, number, clause, item[0], start + noun, start + verb, *item[1:]))
            start += len(words)
    return pd.DataFrame(rows, columns=ITEM_COLUMNS)


def agreements(tree: Node) -> Iterator[tuple[str, int, int]]:
    """Yield for every verb in the tree: clause, place of the subject's noun, place of the verb.

    A verb's subject is the nominal right before, or else the first nominal of the clause.
    """
    for place, node in enumerate(tree.children):
        if node.symbol in VERB.values():
            before = tree.children[place - 1]
            own = before.symbol in NOMINAL.values()
            in_main = tree.symbol in CLAUSE.values()
            clause = MAIN if in_main else OBJECT_RELATIVE if own else SUBJECT_RELATIVE
            yield clause, _noun_of(before if own else tree.children[0]), node.start
        yield from agreements(node)


def agreement_distances(language: Language, longest: int) -> Float[np.ndarray, " distance"]:
    """Return P(distance), 0 to `longest`, from a sentence's verb to its subject's noun, in words.

    Exact from the rules. For verbs of relative clauses, it is 1 in object relatives and 2 in
    subject relatives.
    """
    # What follows the noun, and the verb itself. The nominal that the subject begins with has no
    # part in it, nor does the number.
    distribution = np.zeros(longest + 1)
    for share, rest in _after_noun(language):
        counts = count_distribution(
            language.grammar, [*rest, MANNER, VERB[SINGULAR]], lambda _: True, largest=longest
        )
        distribution += share * counts
    return distribution


def attractor_counts(language: Language, largest: int) -> Float[np.ndarray, " count"]:
    """Return P(n), n = 0 to `largest`, of nouns of the other number between noun and verb."""
    distribution = np.zeros(largest + 1)
    for share, rest in _after_noun(language):
        distribution += share * count_distribution(
            language.grammar, rest, lambda name: name == NOUN[OTHER[SINGULAR]], largest=largest
        )
    return distribution


def _after_noun(language: Language) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Return the words after a subject's noun, with probabilities; in the singular, as both do."""
    for probability, (_, *rest) in language.grammar.rules[SUBJECT[SINGULAR]]:
        yield probability, tuple(rest)


def _item(
    words: list[str], noun: int, verb: int, language: Language
) -> tuple[str, str, str, int, int, int]:
    lexicon = language.lexicon
    number = lexicon.entries[words[noun]].word_class.split()[1]
    between = [lexicon.entries[word].word_class for word in words[noun + 1 : verb]]
    n_attractors = between.count(NOUN[OTHER[number]])
    n_nouns = between.count(NOUN[number]) + n_attractors
    wrong = lexicon.in_other_number(words[verb])
    return number, words[verb], wrong, verb - noun, n_nouns, n_attractors


def _noun_of(node: Node) -> int:
    """Return the place of a nominal's noun, or of the noun in the nominal that begins a subject."""
    nominal = node.children[0] if node.symbol in SUBJECT.values() else node
    return nominal.end - 1
