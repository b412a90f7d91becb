from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.files.rows import save_rows
from embspace.files.tensors import save_tensors
from embspace.measure.practice.corpora import gathered, held_out_corpora, load_corpora
from embspace.measure.practice.transforms import TRANSFORMS
from embspace.measure.tables.text_halves import Halves
from tests.measure.practice.planted import corpus, topics


def test_a_text_is_the_mean_of_its_windows():
    x = np.arange(24.0).reshape(1, 6, 4)
    read = corpus(x)
    two = replace(
        read,
        texts=read.texts[:5],
        windows=read.windows.assign(text=["t0", "t0", "t1", "t2", "t3", "t4"]),
    )
    cloud = two.at(-1, "mean")
    assert cloud.vectors[0].tolist() == x[0, :2].mean(axis=0).tolist()
    assert cloud.vectors[1].tolist() == x[0, 2].tolist()
    assert cloud.table["n_tokens"].tolist() == [10, 5, 5, 5, 5] and cloud.layer == 0


def test_whole_documents_are_taken_and_their_halves():
    some = topics(80).some(40)
    assert len(some.texts) == 40 and some.states["mean"].shape[1] == 40
    halves = some.halves_at(-1, "mean", 20)
    assert halves is not None and len(halves.queries) == 40
    assert set(halves.names) == set(some.texts["document"])
    assert some.halves_at(-1, "mean", 41) is None


def test_no_document_both_fits_and_measures():
    documents = np.arange(120) // 2
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, 120, 6))
    held = held_out_corpora({"a": corpus(x, documents)}, "mean", 20, 1000, 0)["a"]
    fitted = {*held.cloud.table["document"][held.is_fitted]}
    assert not fitted & {*held.measured.table["document"]}
    assert held.halves is None and held.all_halves is None
    searched = held_out_corpora({"a": topics(80)}, "mean", 20, 1000, 0)["a"]
    assert searched.halves is not None and searched.all_halves is not None
    assert {*searched.halves.names} == {*searched.measured.table["document"]}
    assert len(searched.all_halves.queries) == 80


def test_halves_of_too_few_documents_that_measure_are_no_search():
    some = topics(60)
    held = held_out_corpora({"a": some}, "mean", 28, 1000, 0)["a"]
    assert held.halves is not None and len({*held.halves.names}) >= 28
    assert some.halves is not None
    few = some.halves.texts["document"].isin([f"t{n}" for n in range(30)])
    texts = some.halves.texts[few].reset_index(drop=True)
    windows = some.halves.windows[few.to_numpy()].reset_index(drop=True)
    states = {"mean": some.halves.by_pooling["mean"][:, few.to_numpy()]}
    fewer = replace(some, halves=Halves(texts, windows, states))
    held = held_out_corpora({"a": fewer}, "mean", 28, 1000, 0)["a"]
    assert held.halves is None and held.all_halves is not None


@pytest.mark.parametrize("fewest", [20, 30])
def test_corpora_of_too_few_documents_are_left_out(fewest: int):
    x = np.random.default_rng(0).normal(size=(1, 50, 6))
    assert bool(held_out_corpora({"a": corpus(x)}, "mean", fewest, 1000, 0)) == (fewest <= 25)
    equal = np.ones((1, 50, 6))
    assert held_out_corpora({"a": corpus(equal)}, "mean", 4, 1000, 0) == {}
    one = corpus(x, np.zeros(50, dtype=int))
    assert held_out_corpora({"a": one}, "mean", 1, 1000, 0) == {}


def test_further_columns_do_not_reach_a_table():
    rows = pd.DataFrame({"corpus": ["a"], "version": ["raw"], "quantity": ["mean"]})
    tables = gathered(TRANSFORMS, {"csv": [], "best": [rows]})
    assert list(tables["best"]) == ["corpus", "version"] and tables["csv"].empty


def test_states_texts_and_halves_are_read_from_their_folders(tmp_path: Path):
    given = topics(24)
    states, texts = tmp_path / "states", tmp_path / "texts"
    states.mkdir()
    texts.mkdir()
    sentences = ". ".join(f"Ship number {n} is at sea" for n in range(8)) + "."
    table = given.texts.assign(text=sentences)
    assert given.halves is not None
    save_rows(table, str(texts / "ships.parquet"))
    save_rows(given.windows, str(states / "ships.windows.parquet"))
    save_rows(given.halves.windows, str(states / "ships.halves.windows.parquet"))
    for name, x in (
        ("ships", given.states["mean"]),
        ("ships.halves", given.halves.by_pooling["mean"]),
    ):
        tensors = dict.fromkeys(("cls", "mean", "max"), x.astype(np.float32))
        save_tensors(tensors, str(states / f"{name}.safetensors"))
    read = load_corpora(str(states), str(texts), ["ships"])["ships"]
    assert read.at(1, "mean").vectors == pytest.approx(given.at(1, "mean").vectors, abs=1e-6)
    halves, expected = read.halves_at(-1, "mean", 20), given.halves_at(-1, "mean", 20)
    assert halves is not None and expected is not None
    assert halves.queries == pytest.approx(expected.queries, abs=1e-6)
    assert np.array_equal(halves.relevant, np.eye(24, dtype=bool))
