"""Holds which documents are read of a corpus."""

import pandas as pd

from embspace.measure.runs.published_training import some_documents


def test_documents_are_at_equal_distances() -> None:
    names = [str(number) for number in range(10)]
    named = pd.DataFrame({"document": names, "text": names})
    assert some_documents(named, 4)["text"].tolist() == ["0", "3", "6", "9"]
    assert some_documents(named, 99).equals(named)
    assert some_documents(named, 1)["text"].tolist() == ["0"]
    halves = named.assign(document=[f"d{number // 2}" for number in range(10)])
    assert some_documents(halves, 3)["text"].tolist() == ["0", "1", "4", "5", "8", "9"]
