from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.measure.practice.outliers import measure_outliers
from tests.analyses import settings_of
from tests.measure.practice.planted import corpus

FEW = {"n_null_draws": 3}


def cloud(n: int, seed: int, name: str = "t") -> Any:
    """Texts about one direction at two layers; the last three are far from it at layer 1."""
    x = np.random.default_rng(seed).normal(size=(2, n, 8)) + 3
    x[1, -3:] *= -np.array([[1.0], [2.0], [3.0]])
    made = corpus(x)
    for table in (made.texts, made.windows):
        for column in {"id", "document", "text", "copy_of"} & {*table}:
            table[column] = name + table[column]
    return made


def inputs(*, is_empty: bool) -> dict[str, Any]:
    if is_empty:
        return {"corpora": {}}
    return {"corpora": named(ships=cloud(120, 0, "s"), ports=cloud(120, 1, "p"))}


def named(**corpora: Any) -> dict[str, Any]:
    from dataclasses import replace

    return {name: replace(made, corpus=name) for name, made in corpora.items()}


def measured(**corpora: Any) -> dict[str, pd.DataFrame]:
    return measure_outliers(named(**corpora), **settings_of(measure_outliers, **FEW))


def test_planted_texts_are_the_outliers_of_their_corpus_at_their_layer():
    tables = measured(ships=cloud(120, 0, "s"))
    share = tables["csv"].set_index("layer")["share"]
    assert share.to_dict() == pytest.approx({0: 0, 1: 3 / 120})
    assert (tables["csv"]["null_share"] < 0.01).all()
    texts = tables["texts"]
    assert set(texts["id"][texts["is_outlier"]]) == {"st117", "st118", "st119"}
    assert {"articles", "posts"}.isdisjoint(texts["corpus"])


def test_a_shifted_corpus_lies_off_another_and_halves_do_not():
    away = cloud(120, 1, "p")
    away.states["mean"][:, :-3] *= -1
    table = measured(ships=cloud(120, 0, "s"), ports=away)["csv"]
    row = table.set_index(["corpus", "among", "layer"]).loc["ports", "ships", 0]
    assert row["share_below"] >= 117 / 120
    assert 0 < row["null_share_below"] <= row["null_share_below_high"] < 0.25


def test_few_documents_have_no_outliers_by_conformal_p():
    """Of 120 documents, a sixth of the texts must lie beyond all before any is an outlier."""
    away = {"ships": cloud(120, 0, "s"), "ports": cloud(120, 1, "p")}
    table = measured(**away)["csv"].set_index(["corpus", "among"])
    assert table.loc[("ports", "ships"), "share"].isna().all()
    assert (table.loc[("ports", "ships"), "smallest_p"] == 1 / 121).all()


def test_many_documents_have_outliers_and_their_halves_may():
    away = cloud(60, 1, "p")
    away.states["mean"][:, :20] *= -1
    ships = cloud(420, 0, "s")
    table = measured(ships=ships, ports=away)["csv"].set_index(["corpus", "among", "layer"])
    row = table.loc["ports", "ships", 0]
    assert row["share"] == pytest.approx(20 / 60, abs=0.05)
    assert 0 <= row["null_share_high"] < 0.05


def test_corpora_of_the_same_documents_are_not_held_against_each_other():
    table = measured(ships=cloud(120, 0), parts=cloud(120, 1))["csv"]
    assert (table["corpus"] == table["among"]).all() and len(table) == 4


def test_a_corpus_of_few_documents_and_equal_vectors_have_no_row():
    assert measured(ships=cloud(39, 0))["csv"].empty
    assert measured(ships=corpus(np.ones((1, 120, 8))))["csv"].empty
