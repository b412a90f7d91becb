from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.measure.open_questions import oppositeness
from embspace.measure.open_questions.oppositeness import measure_oppositeness
from tests.analyses import settings_of
from tests.measure.open_questions.opposites import pair_table, states_of, vectors, word_table

FEW = {"n_resamples": 200, "n_shuffles": 39, "n_components": 2, "n_folds": 4, "n_listed": 3}
# Folds and intervals are drawn, and verdicts are of intervals.
DECIDED_BY_SEED = ("auc", "words_auc", "gain", "random_weights_auc", "verdict", "is_told")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    pairs = pair_table()
    x = vectors(shared=1.0, against=0.5)
    words = word_table(pairs)
    if is_empty:
        none = {name: y[:0, :0] for name, y in states_of(x).items()}
        return {"pairs": pairs, "words": words[:0], "states": none}
    return {"pairs": pairs, "words": words, "states": states_of(x)}


def measured(x: np.ndarray, pairs: pd.DataFrame | None = None, **change: Any) -> Outcome:
    pairs = pair_table() if pairs is None else pairs
    settings = settings_of(measure_oppositeness, **FEW | change)
    return measure_oppositeness(pairs, word_table(pairs), states_of(x), **settings)


def verdicts(outcome: Outcome, column: str = "verdict") -> dict[str, str]:
    rows = outcome["cosines"].query("vectors == 'input'")
    return dict(zip(rows["preparation"], rows[column], strict=True))


def test_opposites_that_share_a_topic_are_not_freed():
    outcome = measured(vectors(shared=1.0, against=0.3))
    assert set(verdicts(outcome).values()) == {"not freed"}


def test_opposites_about_the_mean_are_freed():
    outcome = measured(vectors(shared=0.0, against=1.0))
    assert verdicts(outcome)["less_mean"] == "freed"
    row = outcome["cosines"].query("vectors == 'input' and preparation == 'less_mean'").iloc[0]
    assert row["antonyms"] < -0.9
    assert abs(row["random_pairs"]) < 0.1
    assert row["n_below_zero"] == 40


def test_words_drawn_alike_are_neither():
    counts = dict.fromkeys(("freed", "not freed", "told"), 0)
    for seed in range(20):
        x = np.random.default_rng(seed).normal(size=(160, 24))
        outcome = measured(x, seed=seed, n_shuffles=19)
        counts["freed"] += verdicts(outcome)["as_is"] == "freed"
        counts["not freed"] += verdicts(outcome)["as_is"] == "not freed"
        counts["told"] += verdicts(outcome, "is_told")["as_is"] == "yes"
        assert set(outcome["lines"]["is_shared"]) == {"no"}
    assert counts["freed"] + counts["not freed"] <= 3
    assert counts["told"] <= 2


def test_one_line_of_opposites_is_shared_and_tells_them():
    outcome = measured(vectors(shared=1.0, against=0.0, line=2.0))
    assert set(outcome["lines"]["is_shared"]) == {"yes"}
    # The line is a component of the words, and taken away with it.
    is_told = {"as_is": "yes", "less_mean": "yes", "less_components": "no"}
    assert verdicts(outcome, "is_told") == is_told
    classifiers = outcome["classifiers"]
    assert set(classifiers["is_told"]) == {"yes"}
    assert (classifiers["auc"] > 0.95).all()
    assert (classifiers["random_weights_auc"] < 0.75).all()


def test_a_line_is_found_where_the_list_has_one_pole_first():
    outcome = measured(vectors(shared=0.0, against=0.0, line=2.0))
    assert set(outcome["lines"]["is_shared"]) == {"yes"}


def test_a_classifier_that_knows_the_words_alone_is_not_told_apart():
    x = vectors(shared=1.0, against=0.3)
    x[:40] += 3  # antonyms are other words than synonyms
    x[80:120] += 3
    classifiers = measured(x)["classifiers"]
    assert (classifiers["words_auc"] > 0.95).all()
    assert set(classifiers["is_told"]) == {"no"}


def test_a_rotation_and_a_scale_change_no_cosine():
    x = vectors(shared=1.0, against=0.5)
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(24, 24)))[0]
    first, again = (measured(y)["cosines"] for y in (x, 7 * x @ turn))
    for column in ("antonyms", "synonyms", "random_pairs", "auc"):
        assert first[column].to_numpy() == pytest.approx(again[column].to_numpy(), abs=1e-4)


def test_pairs_with_an_unknown_word_and_small_classes_are_left_out():
    pairs = pd.concat([pair_table(), pair_table(19, "noun")], ignore_index=True)
    words = word_table(pairs)
    x = np.random.default_rng(0).normal(size=(len(words), 24))
    settings = settings_of(measure_oppositeness, **FEW)
    states = {name: y[:, 1:] for name, y in states_of(x).items()}
    outcome = measure_oppositeness(pairs, words.iloc[1:].reset_index(drop=True), states, **settings)
    assert set(outcome["cosines"]["part_of_speech"]) == {"adjective"}
    assert set(outcome["cosines"]["n_antonyms"]) == {39}
    assert outcome["json"] == {"n_pairs": 79, "n_lost": 1, "n_words": len(words) - 1}


def test_examples_are_the_ends_of_the_list():
    outcome = measured(vectors(shared=1.0, against=0.5))
    examples = outcome["examples"].query("relation == 'antonym'")
    assert examples["rank"].tolist() == [1, 2, 3, 38, 39, 40]
    assert examples["as_is"].is_monotonic_increasing


def test_a_bound_of_one_half_tells_nothing(monkeypatch: pytest.MonkeyPatch):
    given = oppositeness.cosines_of_pairs
    monkeypatch.setattr(oppositeness, "cosines_of_pairs", lambda *a: {**given(*a), "auc_low": 0.5})
    is_told = measured(vectors(shared=1.0, against=0.3))["cosines"]["is_told"]
    assert set(is_told) == {"no"}
