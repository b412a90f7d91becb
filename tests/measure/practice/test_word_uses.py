from functools import cache
from typing import Any

import numpy as np
import pytest

from embspace.analysis import Outcome
from embspace.measure.practice.word_uses import NOT_TOLD, TWO, measure_word_uses
from tests.analyses import settings_of
from tests.measure.practice.uses.planted import planted

FEW = {"n_draws": 39, "n_pairs": 8, "n_more_draws": 399, "n_components": 4, "n_listed": 3}
FEW |= {
    "n_around": 6,
    "least_documents": 10,
    "largest_share": 1.0,
    "n_resamples": 40,
    "tokens_per_batch": 512,
}
DECIDED_BY_SEED = ("smaller_share", "separation", "null_separation_high", "p_value")
DECIDED_BY_SEED += ("adjusted_p_value", "verdict", "purity", "told", "words_near", "examples")
DECIDED_BY_SEED += ("word", "rank", "n", "number", "occurrence", "use", "first", "second", "tested")
DECIDED_BY_SEED += ("random_weights_separation", "random_weights_p_value", "random_weights_purity")
DECIDED_BY_SEED += ("random_weights_told", "dealt_purity")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return planted() | ({"texts": None} if is_empty else {})


@cache
def measured(*, topics: bool = True, seed: int = 0) -> Outcome:
    return measure_word_uses(
        **planted(seed=seed, topics=topics), **settings_of(measure_word_uses, **FEW)
    )


def test_words_of_both_topics_have_two_uses_and_those_of_one_have_not():
    outcome = measured()
    table = outcome["csv"].set_index("word")
    assert outcome["layers"]["tested"].tolist().index("yes") > 0
    assert (table.loc[["w0", "w1"], "verdict"] == TWO).all()
    assert (table["verdict"] == TWO).sum() <= 3
    assert (table.loc[["w0", "w1"], "smaller_share"] > 0.4).all()


def test_the_uses_are_told_by_the_words_of_their_topic():
    uses = measured()["uses"]
    first = uses[uses["number"] == 1].set_index("use")["words_near"]
    topics = [{int(word[1:]) % 2 for word in first[use].split()} for use in (1, 2)]
    assert topics in ([{0}, {1}], [{1}, {0}])
    examples = uses["examples"].iloc[0]
    assert f"[t{int(uses['word'].iloc[0][1:]) + 8}]" in examples


def test_known_uses_are_pure_in_the_model_and_not_at_random_weights():
    layers = measured()["layers"].set_index("layer")
    best = layers[layers["tested"] == "yes"].iloc[0]
    assert best["purity_low"] > 0.85
    assert best["random_weights_purity"] < 0.8
    assert layers.loc[0, "purity"] == pytest.approx(layers.loc[0, "dealt_purity"], abs=0.05)


@pytest.mark.parametrize("seed", range(3))
def test_a_model_that_tells_no_known_uses_gives_no_verdict(seed: int):
    outcome = measured(topics=False, seed=seed)
    assert {*outcome["csv"]["verdict"]} == {NOT_TOLD}


def test_occurrences_lie_where_their_use_says():
    places = measured()["places"]
    own = places[places["number"] == 1]
    means = own.groupby("use")["first"].mean()
    assert abs(means[1] - means[2]) > 2 * own.groupby("use")["first"].std().max()
    assert np.isfinite(places["second"].astype(float)).all()


def test_few_words_have_no_uses():
    few = settings_of(measure_word_uses, **FEW | {"least_documents": 119})
    outcome = measure_word_uses(**planted(), **few)
    assert outcome["csv"].empty
    assert outcome["json"]["n_words"] == 0 and outcome["json"]["n_documents"] == 120
