"""Holds which models' first tokens are taken."""

from typing import Any

import numpy as np

from embspace.measure.sequences.class_flow_states import states_of_seed


def test_trained_random_and_pretrained_states_differ_from_the_first_block_on(learned: Any) -> None:
    models = states_of_seed(learned.run, learned.root, 0, learned.sequences.texts, None, 1)
    assert [model.weights for model in models] == ["trained", "random weights", "pretrained"]
    n = len(learned.sequences.texts)
    assert {model.cls.shape for model in models} == {(3, n, 16)}
    for model in models:
        assert np.ptp(model.cls[0], axis=0).max() == 0  # [CLS] before the first block
        assert np.ptp(model.cls[1], axis=0).max() > 0
    assert not np.allclose(models[0].cls, models[2].cls)


def test_a_text_of_several_windows_has_the_first_ones_state(learned: Any) -> None:
    text = learned.sequences.texts[0]
    long = " ".join([text] * 3)  # 33 k-mers; a window has 14
    words = long.split()
    models = states_of_seed(learned.run, learned.root, 0, [long, " ".join(words[:14])], None, 1)
    assert np.allclose(models[0].cls[:, 0], models[0].cls[:, 1], atol=1e-5)
