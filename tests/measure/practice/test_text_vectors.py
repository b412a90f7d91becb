import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.measure.practice.text_vectors import TextVectors, check_directions, snippet

X = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 2.0], [0.0, 2.0]], dtype=np.float32)


def cloud(copy_of: str = "aacd", x: np.ndarray = X) -> TextVectors:
    table = pd.DataFrame({"id": list("abcd"), "document": list("xyzz"), "text": list("pqrs")})
    table = table.assign(label=["u", "", "u", ""], copy_of=list(copy_of), n_tokens=1.0)
    return TextVectors(x, table, "posts", "m, layer 1 of 2, mean", 1, "mean")


def test_originals_are_no_copies_and_have_a_direction():
    assert cloud().originals().table["id"].tolist() == ["a", "c", "d"]
    assert cloud("aaca").originals().table["id"].tolist() == ["a", "c"]
    assert cloud("abcd", x=X[::-1]).originals().table["id"].tolist() == ["a", "b", "d"]


def test_some_texts_keep_their_rows_and_place():
    some = cloud().among(np.array([False, False, True, True]))
    assert np.array_equal(some.vectors, X[2:]) and len(some) == 2
    assert some.table["id"].tolist() == ["c", "d"] and some.documents.tolist() == [0, 0]
    assert some.called == "posts by m, layer 1 of 2, mean"
    assert cloud().documents.tolist() == [0, 1, 2, 2]


def test_one_label_is_none_to_compare():
    assert not cloud().has_labels
    assert cloud().has_texts


def test_two_documents_with_a_direction_are_asked_for():
    check_directions(cloud())
    with pytest.raises(InputError, match="posts: found 2 vectors of length 0"):
        check_directions(cloud(x=X * np.array([[0], [1], [1], [1]], dtype=np.float32)))


def test_a_snippet_is_one_line_of_bounded_length():
    assert snippet("a\n\tb") == "a b"
    assert len(snippet("word " * 40)) <= 60
