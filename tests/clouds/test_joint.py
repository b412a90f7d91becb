import numpy as np

from embspace.clouds.joint import one_space

INPUT, POSITIONAL = np.ones((5, 4)), np.ones((3, 4))


def test_tables_of_one_width_are_themselves():
    found = one_space({"input": INPUT, "positional": POSITIONAL, "other": INPUT})
    assert list(found) == ["input", "positional"]
    assert found["input"] is INPUT


def test_tokens_are_mapped_where_positions_have_another_width():
    mapped, wide = np.zeros((5, 8)), np.ones((3, 8))
    found = one_space({"input": INPUT, "input_mapped": mapped, "positional": wide})
    assert found["input"] is mapped
    assert found["positional"] is wide


def test_tokens_stay_raw_where_positions_have_their_width_or_are_none():
    # ALBERT adds them up before its linear layer.
    mapped = np.zeros((5, 8))
    for more in ({"positional": POSITIONAL}, {}):
        assert one_space({"input": INPUT, "input_mapped": mapped, **more})["input"] is INPUT
