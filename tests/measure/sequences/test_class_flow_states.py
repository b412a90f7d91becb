"""Holds which models' first tokens are taken."""

from typing import Any

import numpy as np

from embspace.measure.sequences.class_flow_states import states_of_seed


def test_trained_random_and_pretrained_states_differ_from_the_first_block_on(learned: Any) -> None:
    found = states_of_seed(learned.run, learned.root, 0, learned.sequences.texts, None, 1)
    assert [each.weights for each in found] == ["trained", "random weights", "pretrained"]
    n = len(learned.sequences.texts)
    assert {each.cls.shape for each in found} == {(3, n, 16)}
    for each in found:
        assert np.ptp(each.cls[0], axis=0).max() == 0  # [CLS] before the first block
        assert np.ptp(each.cls[1], axis=0).max() > 0
    assert not np.allclose(found[0].cls, found[2].cls)


def test_a_text_of_several_windows_has_the_first_ones_state(learned: Any) -> None:
    text = learned.sequences.texts[0]
    long = " ".join([text] * 3)  # 33 k-mers; a window has 14
    words = long.split()
    found = states_of_seed(learned.run, learned.root, 0, [long, " ".join(words[:14])], None, 1)
    assert np.allclose(found[0].cls[:, 0], found[0].cls[:, 1], atol=1e-5)
