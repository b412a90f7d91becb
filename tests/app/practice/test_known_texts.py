from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.app.practice import known_texts as module
from embspace.app.practice.known_texts import held_out_table, precision_table, same_texts
from embspace.app.practice.reading import read_corpus
from embspace.errors import InputError
from embspace.measure.practice.text_vectors import TextVectors


def cloud(n: int = 12, labels: list[str] | None = None) -> TextVectors:
    x = np.random.default_rng(0).normal(size=(n, 5))
    made = read_corpus(x).at()
    made.table["label"] = labels or [""] * n
    return made


def test_pairs_of_pairs_are_the_same(tmp_path: Path):
    file = tmp_path / "known.csv"
    file.write_text("first,second\n0,1\n1,2\n5,6\n")
    same = same_texts(cloud(), file)
    assert same.same[0, 2] and same.same[5, 6] and not same.same[2, 5]
    assert same.unit[0] == same.unit[2] != same.unit[5]


def test_labels_say_who_is_the_same():
    same = same_texts(cloud(12, list("aabbccaabb") + ["", ""]), "label")
    assert same.rows.tolist() == list(range(10))
    assert same.same[0, 6] and not same.same[0, 2] and not same.same[3, 3]


def test_of_many_texts_some_are_drawn(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST", 6)
    known = pd.DataFrame({"first": [0, 2, 4], "second": [1, 3, 5]})
    same = same_texts(cloud(), known)
    assert len(same.rows) == 6 and same.same.shape == (6, 6)
    assert len(held_out_table(cloud(), same, 0.9, np.random.default_rng(0))) == 1
    assert (precision_table(cloud(), same)["n_other"] == 66 - 3).all()


@pytest.mark.parametrize("by", ["pairs", "label"])
def test_precision_of_drawn_texts_is_of_the_whole_corpus(by: str, monkeypatch: pytest.MonkeyPatch):
    rng, unit = np.random.default_rng(1), np.repeat(np.arange(200), 2)
    x = rng.normal(size=(200, 6))[unit] + 0.5 * rng.normal(size=(400, 6))
    made = read_corpus(x).at()
    made.table["label"] = unit.astype(str)
    known = pd.DataFrame({"first": range(0, 400, 2), "second": range(1, 400, 2)})
    tables = []
    for most in (400, 200):
        monkeypatch.setattr(module, "MOST", most)
        same = same_texts(made, known if by == "pairs" else "label")
        assert (same.n_same, same.n_other) == (200, 400 * 399 // 2 - 200)
        tables.append(precision_table(made, same).set_index("threshold"))
    whole, drawn = (table["precision"].loc[[0.5, 0.7, 0.8]] for table in tables)
    assert drawn.to_numpy() == pytest.approx(whole.to_numpy(), rel=0.25)


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ("label", "--known: found 'label', allowed: beside labels"),
        (pd.DataFrame({"first": [0], "other": [1]}), "known: column 'second'"),
        (pd.DataFrame({"first": [0], "second": [99]}), "'second': found '99', allowed: an id"),
        (pd.DataFrame({"first": [], "second": []}), "known: found no pair"),
        ("not_there.csv", "not_there.csv"),
        ("known.doc", "found '.doc', allowed"),
        (7, "known: found 7, allowed: a file, a table, or 'label'"),
    ],
)
def test_what_names_no_pair_is_refused(known: Any, message: str):
    with pytest.raises(InputError, match=message):
        same_texts(cloud(), known)


def test_a_name_of_several_texts_names_no_pair():
    made = cloud()
    made.table["id"] = ["a", "a", *map(str, range(10))]
    assert same_texts(made, pd.DataFrame({"first": [0], "second": [3]})).same[2, 5]
    for name in ("first", "second"):
        known = pd.DataFrame({"first": ["1"], "second": ["2"]}).assign(**{name: "a"})
        message = f"column '{name}': found 'a', which several texts of vectors are called, allowed"
        with pytest.raises(InputError, match=message):
            same_texts(made, known)
