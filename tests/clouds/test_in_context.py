import pandas as pd

from embspace.clouds.in_context import in_context


def test_a_context_ends_with_the_window():
    names = [
        "[CLS]",
        "the",
        "cat",
        "sat",
        "[SEP]",
        "[CLS]",
        "a",
        "cat",
        "ran",
        "off",
        "far",
        "[SEP]",
    ]
    tokens = pd.DataFrame({"token": names, "window": [0] * 5 + [1] * 7})
    assert in_context(3, tokens) == "[CLS] the cat [sat] [SEP]"
    assert in_context(6, tokens) == "[CLS] [a] cat ran off"
    assert in_context(11, tokens) == "ran off far [[SEP]]"
