from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.errors import InputError
from embspace.measure.open_questions import associations
from embspace.measure.open_questions.associations import measure_associations
from tests.analyses import settings_of
from tests.measure.attention.reading import cached_reader

WORDS = {
    "near": ["cat", "dog", "bell", "salt"],
    "far": ["mat", "sun", "rain", "tide"],
    "warm": ["light", "was", "the", "in"],
    "cold": ["of", "a", "it", "on"],
}
ENDS = {"one_end": ["cat", "dog"], "other_end": ["mat", "sun"]}  # few: the reader has few words
FEW: dict[str, Any] = {
    "tests": {"planted": [*WORDS]},
    "frames": ["the {word} sat in the sun", "a {word}!"],
    "n_resamples": 30,
    "professions": [*ENDS],
}
DECIDED_BY_SEED = ("random_weights_effect", "random_weights_p_value", "is_present")
DECIDED_BY_SEED += ("random_weights_explained", "null_explained_high", "p_value", "is_followed")
DECIDED_BY_SEED += ("directions_explained_high", "directions_p_value")


def sets() -> pd.DataFrame:
    rows = [(name, word) for name, words in (WORDS | ENDS).items() for word in words]
    return pd.DataFrame(rows, columns=["set", "word"])


def inputs(*, is_empty: bool) -> dict[str, Any]:
    reader = cached_reader()
    tokenizer = None if is_empty else reader.tokenizer
    held_out = pd.DataFrame({"profession": [*WORDS["warm"], *WORDS["cold"]], "value": [1, -1] * 4})
    return {
        "sets": sets(),
        "held_out": held_out,
        "module": reader.module,
        "tokenizer": tokenizer,
        "final_norm": None,
    }


def measured(vectors: dict[str, Any], monkeypatch: pytest.MonkeyPatch, **change: Any) -> Outcome:
    """Return the outcome with planted vectors, in the order of the words."""
    words = [*dict.fromkeys(sets()["word"])]
    monkeypatch.setattr(associations, "vectors_in_frames", lambda *_, **__: (words, vectors))
    settings = settings_of(measure_associations, **FEW | {"alpha": 0.2} | change)
    return measure_associations(**inputs(is_empty=False), **settings)


def planted(strength: float, seed: int = 0) -> dict[str, Any]:
    """Return vectors in which near words lean to warm ones by a strength, and random weights."""
    rng = np.random.default_rng(seed)
    x, plain = rng.normal(size=(2, 2, 16, 20))
    x[:, :4, 0] += strength
    x[:, 8:12, 0] += strength
    made = {}
    for name, y in (("trained", x), ("random", plain)):
        made[name] = {"input": y[:1], "state": y[1:], "sentence": y[1:]}
    return made


def test_a_planted_association_is_present_in_all_vectors(monkeypatch: pytest.MonkeyPatch):
    outcome = measured(planted(8.0), monkeypatch)
    table = outcome["csv"]
    assert set(table["vectors"]) == {"input", "state", "sentence"}
    assert (table["effect"] > 1.3).all()
    assert table["p_value"].to_numpy() == pytest.approx(1 / 70)
    near = outcome["words"].query("set == 'near'")["embedding"]
    far = outcome["words"].query("set == 'far'")["embedding"]
    assert near.min() > far.max()
    assert outcome["json"] == {"n_words": 16, "n_lost": 0, "n_tests": 1}


def test_intervals_of_a_weak_association_hold_the_effect(monkeypatch: pytest.MonkeyPatch):
    table = measured(planted(1.0), monkeypatch, n_resamples=200)["csv"]
    assert (table["effect_low"] < table["effect"]).all()
    assert (table["effect"] < table["effect_high"]).all()


def test_random_weights_with_the_same_association_leave_none(monkeypatch: pytest.MonkeyPatch):
    vectors = planted(8.0)
    table = measured(vectors, monkeypatch)["csv"]
    assert set(table["is_present"]) == {"yes"}
    table = measured(vectors | {"random": vectors["trained"]}, monkeypatch)["csv"]
    assert set(table["is_present"]) == {"no"}


def test_words_drawn_alike_are_seldom_associated(monkeypatch: pytest.MonkeyPatch):
    n = 0
    for seed in range(40):
        few = {"alpha": 0.05, "n_resamples": 2}
        table = measured(planted(0.0, seed=seed), monkeypatch, **few)["csv"]
        n += (table["is_present"] == "yes").any()
    assert n <= 4


def test_sets_of_few_known_words_are_left_out():
    settings = settings_of(measure_associations, **FEW)
    words = sets().query("word != 'cat'")
    outcome = measure_associations(**inputs(is_empty=False) | {"sets": words}, **settings)
    assert outcome["csv"].empty
    assert outcome["json"]["n_tests"] == 0


def test_professions_stand_beside_with_their_verdict(monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(1)
    names = [f"job{number}" for number in range(24)]
    further = [f"word{number}" for number in range(30)]
    values = np.repeat([-1, 1], 12)
    vectors = planted(8.0)
    for own, strength in (("trained", 1.2), ("random", 0.0)):
        for kind, x in vectors[own].items():
            more = rng.normal(size=(len(x), 24, x.shape[-1]))
            direction = x[:, 4:8].mean(axis=1) - x[:, :4].mean(axis=1)
            more += strength * values[:, np.newaxis] * direction[:, np.newaxis] / 3
            words = rng.normal(size=(len(x), len(further), x.shape[-1]))
            vectors[own][kind] = np.concatenate([x, more, words], axis=1)
    known = [*dict.fromkeys(sets()["word"]), *names, *further]
    monkeypatch.setattr(associations, "vectors_in_frames", lambda *_, **__: (known, vectors))
    held_out = pd.DataFrame({"profession": names, "value": values})
    settings = settings_of(measure_associations, **FEW)
    outcome = measure_associations(**inputs(is_empty=False) | {"held_out": held_out}, **settings)
    assert set(outcome["professions"]["is_followed"]) == {"yes"}
    assert (outcome["professions"]["n"] == 24).all()
    assert outcome["json"]["n_words"] == 16


def test_a_direction_like_any_other_is_not_followed():
    row = {"p_value": 0.001, "random_weights_p_value": 0.5, "directions_p_value": 0.001}
    assert associations._is_followed(row, 0.01, 0.05) == "yes"
    assert associations._is_followed(row | {"directions_p_value": 0.02}, 0.01, 0.05) == "no"
    assert associations._is_followed(row | {"directions_p_value": np.nan}, 0.01, 0.05) == "no"


def test_an_unknown_set_of_professions_is_named():
    settings = settings_of(measure_associations, **FEW | {"professions": ["one_end", "nowhere"]})
    with pytest.raises(InputError, match="key 'professions': 'nowhere'"):
        measure_associations(**inputs(is_empty=False), **settings)
