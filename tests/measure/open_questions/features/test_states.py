import numpy as np

from embspace.measure.open_questions.features.states import (
    states_at_random_weights,
    token_states,
)
from tests.measure.open_questions.features.planted import LENGTH, planted
from tests.tiny import DIM


def test_states_are_of_ordinary_tokens_of_spread_documents():
    inputs = planted()
    read = token_states(*inputs["corpus"], [0, 1], 5)
    assert sorted(read.tokens["document"].unique()) == [0, 7, 14, 22, 29]
    assert read.states[1].shape[0] == read.tokens["kept"].sum() == 5 * 2 * (LENGTH - 2)
    kept = read.tokens[read.tokens["kept"]]
    assert kept["position"].min() == 1
    row = kept.iloc[40]
    place = row["window"] * LENGTH + row["position"]
    assert (read.states[1][40] == inputs["corpus"][1].states["token"][1][place]).all()


def test_random_weights_read_the_same_tokens():
    inputs = planted()
    read = token_states(*inputs["corpus"], [0, 1], 3)
    states = states_at_random_weights(read, inputs["module"], None, 100, "cpu", 0)
    assert states[1].shape == (len(read.states[1]), DIM)
    assert np.isfinite(states[0]).all()
