from typing import Any

import numpy as np
import pytest

from embspace.analysis import Outcome
from embspace.measure.open_questions.opposite_texts import measure_opposite_texts
from tests.analyses import settings_of
from tests.measure.attention.reading import TEXTS
from tests.measure.open_questions.reading import text_reader

SENTENCES = [part.strip() + "." for text in TEXTS for part in text.replace("!", ".").split(".")]
FEW = {
    "fewest_words": 4,
    "most_words": 16,
    "n_sentences": 4,
    "n_changes": 2,
    "n_tried": 1,
    "n_random": 2,
    "n_resamples": 20,
}
DECIDED_BY_SEED = ("cosine", "beyond_random", "smallest")  # of random words and random weights
DECIDED_BY_SEED += ("finds_opposites", "finds_strangers", "beyond_corpus")


class Judge:
    """Likes texts with a boat, and a little those whose words are in order."""

    def scores(self, texts: list[str], without: str = "") -> np.ndarray:
        return np.array([("boat" in text) - 2.0 - 0.01 * is_shuffled(text) for text in texts])


def is_shuffled(text: str) -> bool:
    """Whether a text has the words of a sentence in another order."""
    orders = [sorted(sentence.split()) for sentence in SENTENCES]
    return text not in SENTENCES and sorted(text.split()) in orders


class BlindJudge:
    """Finds all texts as likely."""

    def scores(self, texts: list[str], without: str = "") -> np.ndarray:
        return np.full(len(texts), -10.0)


def inputs(*, is_empty: bool) -> dict[str, Any]:
    reader = None if is_empty else text_reader()
    return {"sentences": SENTENCES, "reader": reader, "judging": None}


def measured(judging: Any = None, **change: Any) -> Outcome:
    settings = settings_of(measure_opposite_texts, **FEW | change)
    return measure_opposite_texts(**inputs(is_empty=False) | {"judging": judging}, **settings)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measured()


def test_a_judge_that_does_not_mind_the_order_of_words_counts_as_none(outcome: Outcome):
    blind = measured(BlindJudge())
    assert blind["json"]["judge"] == "none" != measured(Judge())["json"]["judge"]
    assert blind["searches"].equals(outcome["searches"])


def test_without_a_judge_fluency_is_not_checkable(outcome: Outcome):
    rows = outcome["searches"].set_index("search")
    assert rows.loc["judged", "finds_opposites"] == "not checkable"
    assert set(outcome["csv"]["search"]) == {"free", "word_pairs", "random_words", "random_weights"}
    assert outcome["csv"]["judged"].isna().all()
    assert outcome["json"]["judge"] == "none"


def test_a_search_gets_further_than_random_words_and_likely_texts_less_far(outcome: Outcome):
    last = outcome["csv"].query("n_changed == 2").set_index("search")["cosine"]
    assert last["free"] < last["random_words"]
    assert last["free"] <= last["word_pairs"]
    texts = outcome["texts"].query("search == 'word_pairs' and n_changed > 0")
    assert len(texts)
    assert (texts["word_pairs"] >= outcome["json"]["word_pairs_bound"]).all()


def test_a_judge_is_heard(outcome: Outcome):
    heard = measured(Judge(), quantile=0.9, n_changes=1)
    assert heard["json"]["judge"] == "masked head"
    assert heard["json"]["judged_bound"] == -1
    texts = heard["texts"].query("search == 'judged' and n_changed > 0")["text"]
    assert len(texts)
    assert texts.str.contains("boat").all()
    free, own = (
        given["csv"].query("search == 'free' and n_changed == 1")["cosine"].tolist()
        for given in (heard, outcome)
    )
    assert free == own


def test_the_corpus_has_the_least_alike_sentence(outcome: Outcome):
    rows = outcome["texts"].query("search == 'corpus'")
    assert set(rows["text"]) <= {*SENTENCES}
    assert outcome["json"]["smallest_of_pairs"] <= rows["own_cosine"].min() + 1e-6
    assert outcome["json"]["corpus_cosine"] == pytest.approx(rows["own_cosine"].mean())
