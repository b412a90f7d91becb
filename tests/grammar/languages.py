"""Generated languages for tests: the one that comes with embspace, and small or lopsided ones."""

from pathlib import Path
from typing import Any

from embspace.grammar.language import Language, make_language
from embspace.settings.corpus import GrammarCorpus, describe_corpus
from embspace.settings.schema import read_yaml

FILE = Path(__file__).parents[2] / "conf/corpus/grammar.yaml"


def corpus(*, probabilities: dict[str, float] | None = None, **given: Any) -> GrammarCorpus:
    """The corpus that comes with embspace, but for what is given."""
    content = read_yaml(FILE)
    content |= given | {"probabilities": content["probabilities"] | (probabilities or {})}
    described = describe_corpus("grammar", content)
    assert isinstance(described, GrammarCorpus)
    return described


def language(*, probabilities: dict[str, float] | None = None, **given: Any) -> Language:
    """The language of such a corpus."""
    return make_language(corpus(probabilities=probabilities, **given))


# Nothing that was the same by chance or symmetry is the same here.
LOPSIDED: dict[str, Any] = {
    "n_sentences": {"fewest": 1, "most": 4},
    "n_topics": 3,
    "n_nouns": 5,
    "n_verbs": 2,
    "n_adjectives": 3,
    "n_adverbs": 4,
    "n_determiners": 2,
    "n_demonstratives": 1,
    "n_prepositions": 3,
    "zipf_exponent": 0.7,
    "probabilities": {
        "stay": 0.6,
        "own_topic": 0.55,
        "plural": 0.3,
        "marked": 0.35,
        "adjective": 0.45,
        "adverb": 0.2,
        "prepositional": 0.4,
        "subject_relative": 0.25,
        "object_relative": 0.1,
        "stacked": 0.4,
        "attractor": 0.35,
        "adjunct": 0.15,
    },
}
