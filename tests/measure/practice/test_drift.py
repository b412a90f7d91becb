from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.measure.practice.drift import measure_drift
from tests.analyses import settings_of
from tests.measure.practice.planted import corpus

FEW = {"n_permutations": 19, "n_splits": 3}
DECIDED_BY_SEED = ("cluster", "first_share", "second_share", "words")


def cloud(name: str, n: int, seed: int, shift: float = 0) -> Any:
    """Texts at two layers, shifted at layer 1."""
    x = np.random.default_rng(seed).normal(size=(2, n, 8)) + 2
    x[1, :, 0] += shift
    made = corpus(x)
    texts = made.texts.assign(text=[f"the {name} lay there"] * n)
    for column in ("id", "document", "copy_of"):
        texts[column] = name + texts[column]
    windows = made.windows.assign(text=name + made.windows["text"])
    return replace(made, corpus=name, texts=texts, windows=windows)


def inputs(*, is_empty: bool) -> dict[str, Any]:
    made = [] if is_empty else [cloud("ships", 40, 0), cloud("ports", 40, 1, shift=0.5)]
    return {"corpora": {one.corpus: one for one in made}}


def measured(*corpora: Any, **change: Any) -> dict[str, pd.DataFrame]:
    settings = settings_of(measure_drift, **FEW | change)
    return measure_drift({one.corpus: one for one in corpora}, **settings)


def test_a_shift_is_placed_at_the_last_layer():
    tables = measured(cloud("ships", 60, 0), cloud("ports", 60, 1, shift=4), n_permutations=39)
    assert tables["clusters"]["p_value"].min() == pytest.approx(1 / 40)
    shares = tables["directions"].set_index("component")
    assert shares["share_of_shift"].idxmax() == 1 and shares["share_of_shift"].max() > 0.8
    assert shares.loc[1, "p_value"] == pytest.approx(1 / 40)
    assert set(tables["words"]["word"]) == {"ships", "ports"}
    assert tables["texts"]["rank"].max() == 5
    halves = tables["halves"]
    assert halves["n_texts"].tolist() == halves["n_documents"].tolist() == [60] * 4


def is_placed(seed: int, part: str) -> bool:
    tables = measured(cloud("a", 30, 2 * seed), cloud("b", 30, 2 * seed + 1), n_splits=1)
    return bool((tables[part]["p_value"] <= 0.05).any())


@pytest.mark.parametrize("part", ["clusters", "directions"])
def test_between_corpora_of_one_kind_no_place_stands_out(part: str):
    assert sum(is_placed(seed, part) for seed in range(6)) <= 2


def test_halves_of_one_corpus_are_about_even():
    halves = measured(cloud("ships", 24, 5), n_splits=50)["halves"]
    assert halves["n_splits"].tolist() == [50, 50]
    assert halves["auc"].to_numpy() == pytest.approx(0.5, abs=0.06)


def test_a_layer_of_equal_vectors_costs_no_other_layer():
    first, second = cloud("ships", 30, 0), cloud("ports", 30, 1, shift=4)
    first.states["mean"][0] = 1
    tables = measured(first, second, n_permutations=39)
    assert sorted(tables["halves"].value_counts(["corpus"]).to_list()) == [1, 2]
    assert len(tables["directions"])


def test_parts_of_one_corpus_and_few_documents_are_not_compared():
    one = cloud("ships", 40, 0)
    assert measured(one, replace(one, corpus="parts"))["directions"].empty
    few = measured(cloud("ships", 19, 0), cloud("ports", 40, 1))
    assert few["directions"].empty and set(few["halves"]["corpus"]) == {"ports"}
