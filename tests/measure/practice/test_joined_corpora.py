import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.measure.practice.joined_corpora import (
    clusters_of,
    clusters_table,
    directions_table,
    joined,
)
from embspace.measure.practice.text_vectors import TextVectors


def side(name: str, x: np.ndarray, texts: list[str]) -> TextVectors:
    ids = [f"{name}{row}" for row in range(len(x))]
    table = pd.DataFrame({"id": ids, "document": ids, "text": texts, "label": "", "copy_of": ids})
    return TextVectors(x.astype(np.float32), table, name, "vectors", None, None)


def test_a_cluster_has_words_of_its_texts_not_of_its_corpus():
    rng = np.random.default_rng(0)
    centers = 5 * np.eye(6)[[0] * 40 + [1] * 40]
    x = rng.normal(size=(80, 6)) + centers
    long = ["while sailors of the harbor sing"] * 40 + ["while farmers of the valley sing"] * 40
    y = rng.normal(size=(80, 6)) + 5 * np.eye(6)[2]
    both = joined(side("a", x, long), side("b", y, ["rain"] * 80), has_names=False)
    table = clusters_table(both, clusters_of(both.x, 0), n_permutations=39, seed=0)
    words = " ".join(table["words"]).split()
    assert {"sailors", "farmers"} <= set(words) and {"while", "sing"}.isdisjoint(words)
    assert table["p_value"].min() == pytest.approx(1 / 40)


def test_a_shift_lies_along_the_component_of_its_direction():
    x = np.random.default_rng(0).normal(size=(120, 6)) + 4
    x[60:, 0] += 6
    both = joined(side("a", x[:60], ["x"] * 60), side("b", x[60:], ["y"] * 60), has_names=False)
    table = directions_table(both, n_permutations=39, seed=0)
    assert table["share_of_shift"][0] > 0.9 and table["p_value"][0] == pytest.approx(1 / 40)
    assert table["share_of_shift"].sum() == pytest.approx(1, abs=1e-6)


def test_few_documents_are_refused():
    few = side("a", np.eye(3), ["x"] * 3)
    with pytest.raises(InputError, match="a: found 3 documents, allowed: 4 or more"):
        joined(few, few, has_names=False)
