"""`measure_keep_k`: both inverses beside each other, hidden states of documents apart."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.clouds.layers import CorpusStates
from embspace.measure.parameters.keep_k import measure_keep_k
from embspace.measure.parameters.vocabulary_space import VocabularySpace
from tests.measure.parameters.spaces import DIM, module_with, space_of
from tests.models.parameters.tiny import TOKENS

SETTINGS: dict[str, Any] = {
    "corpus": "articles",
    "n_vectors": 20,
    "ks": [1, 5, 60, 1000],
    "sizes": [10, 15, 20],
    "size_k": 5,
    "n_draws": 2,
    "seed": 0,
}


def states() -> CorpusStates:
    rng = np.random.default_rng(1)
    tokens = pd.DataFrame({"window": np.repeat(np.arange(6), 10), "repeated": False})
    x = rng.normal(size=(4, 60, DIM)).astype(np.float32)
    return CorpusStates({"token": x, "mean": x[:, :6]}, np.arange(6), tokens)


def test_each_kind_has_each_k_of_the_vocabulary_and_each_inverse():
    found = measure_keep_k(space_of(module_with()), {"articles": states()}, **SETTINGS)
    kinds = {"normal", "feed_forward_key", "feed_forward_value", "hidden_state"}
    assert set(found.scores["kind"]) == kinds
    assert set(found.scores["k"]) == {1, 5, 60}
    assert len(found.scores) == 4 * 3 * 2
    assert (found.scores["n_draws"] == 2).all()
    assert (found.scores["smallest"] <= found.scores["value"]).all()
    assert (found.scores["value"] <= found.scores["largest"]).all()
    assert found.facts["chosen_inverse"] in ("transpose", "pseudo_inverse")


def test_all_tokens_keep_everything_under_the_pseudo_inverse():
    found = measure_keep_k(space_of(module_with()), {}, **SETTINGS).scores
    rows = found[(found["k"] == len(TOKENS)) & (found["inverse"] == "pseudo_inverse")]
    assert rows["value"].to_numpy() == pytest.approx(1, abs=1e-5)


def test_the_chosen_inverse_has_the_higher_mean():
    found = measure_keep_k(space_of(module_with()), {}, **SETTINGS)
    means = {each: found.facts[f"mean_{each}"] for each in ("transpose", "pseudo_inverse")}
    assert found.facts["chosen_inverse"] == max(means, key=lambda each: means[each])
    rows = found.scores[found.scores["kind"].str.startswith("feed_forward")]
    assert means["transpose"] == pytest.approx(
        rows.loc[rows["inverse"] == "transpose", "value"].mean()
    )


def test_the_number_of_vectors_is_shown_at_one_k():
    found = measure_keep_k(space_of(module_with()), {}, **SETTINGS).sizes
    normal = found[(found["kind"] == "normal") & (found["inverse"] == "transpose")]
    assert normal["n_vectors"].tolist() == [10, 15, 20]
    assert set(found["k"]) == {5}


def test_a_corpus_that_is_not_there_has_no_hidden_states():
    found = measure_keep_k(space_of(module_with()), {}, **SETTINGS)
    assert "hidden_state" not in set(found.scores["kind"])
    assert found.facts["corpus"] is None


def test_an_architecture_that_is_not_known_has_empty_tables():
    found = measure_keep_k(VocabularySpace(None, None, []), {}, **SETTINGS)
    assert found.scores.empty
    assert found.sizes.empty
    assert found.facts == {"known": False, "architecture": None}
