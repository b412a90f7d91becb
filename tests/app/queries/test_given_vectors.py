"""Vectors without a model are a space with tables, and say so where a model is needed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import embspace
from embspace.app.api import Spaces
from embspace.errors import InputError

X = np.random.default_rng(0).normal(size=(30, 5))
TEXTS = [f"text {number}" for number in range(30)]


@pytest.fixture
def s() -> Spaces:
    return embspace.spaces(vectors=X, texts=TEXTS)


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, np.ndarray.tolist, np.float16])
def test_vectors_of_any_form_are_given_back(form: Callable[[Any], Any]):
    given = form(X)
    s = embspace.spaces(vectors=given)
    assert np.array_equal(s["given"], np.asarray(given, np.float32))
    s["given"][:] = 0  # a copy
    assert s["given"].any()
    assert repr(s) == "Spaces(vectors=30, texts=0, dimension=5)"


def test_tables_are_those_of_the_vectors_with_the_texts_as_names(s: Spaces):
    expected = embspace.report_vectors(X, labels=TEXTS)
    for noun, table in expected.items():
        pd.testing.assert_frame_equal(s.table(noun), table)
    assert s.table("pairs").isin(TEXTS).any(axis=None)
    with pytest.raises(KeyError, match="found 'similarty'; did you mean 'similarity'"):
        s.table("similarty")


@pytest.mark.parametrize("key", ["input", ("layer", 0), "sentence"])
def test_another_key_is_none(s: Spaces, key: Any):
    with pytest.raises(KeyError, match="there is 'given'"):
        s[key]


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: s.tokens,
        lambda s: s.windows,
        lambda s: s.words,
        lambda s: s.vocabulary,
        lambda s: s.tree,
        lambda s: s.attention(1),
        lambda s: s.cosine("a", "b"),
        lambda s: s.add(["a"]),
    ],
)
def test_what_needs_a_model_is_told(s: Spaces, ask: Callable[[Spaces], object]):
    with pytest.raises(InputError, match=r"given without a model, .* s\['given'\]"):
        ask(s)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"vectors": X, "texts": TEXTS[1:]}, "texts: found 29, allowed: 30, one for each vector"),
        ({"vectors": X[0]}, "vectors: found the shape .5,., allowed: .row, dim."),
        ({"vectors": X * np.nan}, "vectors: found 30 rows with NaN"),
        ({"vectors": [["a", "b"], ["c", "d"]]}, "vectors: "),
        ({"vectors": X, "model": "minilm"}, "vectors: found beside a model"),
        ({"vectors": X, "device": "cpu"}, "vectors: found beside a model or its options"),
        ({"texts": TEXTS}, "model: found none, allowed: a model and texts, or vectors="),
        ({"vectors": X, "texts": "text"}, "texts: found one string"),
    ],
)
def test_a_wrong_wish_is_told(given: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        embspace.spaces(**given)


def test_a_notebook_shows_what_there_is(s: Spaces):
    assert "Spaces(vectors=30" in s._repr_html_() and "given" in s._repr_html_()


def test_what_becomes_of_the_users_array_changes_nothing():
    x = np.ones((3, 2), np.float32)
    s = embspace.spaces(vectors=x)
    x[:] = 0
    assert (s["given"] == 1).all()
