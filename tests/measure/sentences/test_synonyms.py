from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.files.rows import save_rows
from embspace.files.tensors import save_tensors
from embspace.measure.sentences.synonym_vectors import Stimuli, codes
from embspace.measure.sentences.synonyms import SETS, load_sets, measure_synonyms
from tests.analyses import settings_of
from tests.measure.planted_synonyms import (
    at_corners,
    control_table,
    paraphrase_table,
    rotation,
    stimuli,
    synonym_table,
)

FEW = {"map_poolings": ["cls", "mean"], "n_half_samples": 10, "n_shuffles": 19}
SETTINGS = settings_of(measure_synonyms, **FEW, level=0.9)


def sets(n_layers: int = 2, turn: np.ndarray | None = None) -> tuple[Stimuli, Stimuli, Stimuli]:
    tables = synonym_table(), paraphrase_table(), control_table()
    labels = [codes(tables[0]["group"]), codes(tables[1]["meaning"]), codes(tables[2]["pair"])]
    parts = []
    for seed, (table, label) in enumerate(zip(tables, labels, strict=True)):
        layers = [at_corners(label, 0.1 * (1 + n), seed=seed)[0] for n in range(n_layers)]
        x = np.stack(layers) if layers else np.ones((0, len(table), 16))
        parts.append(stimuli(table, x if turn is None else x @ turn))
    return parts[0], parts[1], parts[2]


def measured(*given: Stimuli, seed: int = 0) -> Outcome:
    return measure_synonyms(dict(zip(SETS, given, strict=True)), **SETTINGS | {"seed": seed})


def inputs(*, is_empty: bool) -> dict[str, dict[str, Stimuli]]:
    given = sets()
    if is_empty:
        given = [stimuli(one.table, np.ones((3, 0, 16)), words=[]) for one in given]
    return {"sets": dict(zip(SETS, given, strict=True))}


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measured(*sets())


def test_each_set_is_read_from_its_own_files(tmp_path: Path):
    given = dict(zip(SETS, sets(), strict=True))
    paths = []
    for name, one in given.items():
        paths += [str(tmp_path / f"{name}.{kind}") for kind in ("parquet", "tokens", "safetensors")]
        save_rows(one.table, paths[-3])
        save_rows(one.tokens, paths[-2])
        save_tensors(one.states, paths[-1])
    loaded = load_sets(*paths)
    assert list(loaded) == list(SETS)
    for name, one in given.items():
        pd.testing.assert_frame_equal(loaded[name].table, one.table)
        pd.testing.assert_frame_equal(loaded[name].tokens, one.tokens)
        assert loaded[name].states.keys() == one.states.keys()
        assert np.array_equal(loaded[name].states["mean"], one.states["mean"])


def test_every_layer_pooling_and_set_has_its_rows(outcome: Outcome):
    n_layers = 3 * 2 + 1  # of three poolings, and the bag of words
    assert len(outcome["groups"]) == 3 * n_layers
    assert len(outcome["group_pairs"]) == 15 * n_layers
    assert len(outcome["slots"]) == 3 * 4 * n_layers
    assert len(outcome["contrasts"]) == 4 * n_layers
    for table in (
        outcome["groups"],
        outcome["group_pairs"],
        outcome["slots"],
        outcome["contrasts"],
    ):
        assert set(table.loc[table["pooling"] != "bag_of_words", "layer"]) == {0, 1}
        assert set(table.loc[table["pooling"] == "bag_of_words", "layer"]) == {0}


def test_within_and_between_are_means_of_the_pairs_of_groups(outcome: Outcome):
    pairs = outcome["group_pairs"].query("pooling == 'mean' and layer == 1")
    row = (
        outcome["groups"]
        .query("sentences == 'groups_and_random' and pooling == 'mean' and layer == 1")
        .iloc[0]
    )
    own = pairs["group_1"] == pairs["group_2"]
    for quantity in ("cosine", "euclidean_distance"):
        assert row[f"within_{quantity}"] == pytest.approx(pairs.loc[own, quantity].mean())
        assert row[f"between_{quantity}"] == pytest.approx(pairs.loc[~own, quantity].mean())


def test_meanings_and_contrasts_tell_of_the_same_pairs(outcome: Outcome):
    groups = outcome["groups"].query("sentences == 'meanings' and pooling == 'cls' and layer == 0")
    kinds = (
        outcome["contrasts"].query("pooling == 'cls' and layer == 0").set_index("kind")["cosine"]
    )
    assert groups["within_cosine"].item() == pytest.approx(kinds["paraphrase"])
    assert groups["between_cosine"].item() == pytest.approx(kinds["unrelated"])


def test_maps_are_of_the_last_layer_with_and_without_random_sentences(outcome: Outcome):
    sizes = outcome["map"].groupby(["pooling", "sentences"]).size().to_dict()
    assert sizes == {
        (pooling, sentences): n
        for pooling in ("cls", "mean")
        for sentences, n in (("groups", 60), ("groups_and_random", 70))
    }
    view = outcome["map"].query("pooling == 'cls' and sentences == 'groups'")
    given = sets()[0]
    x = given.states["cls"][-1][:60].astype(np.float64)
    assert view["id"].tolist() == given.table["id"].iloc[:60].tolist()
    variances = np.linalg.svd(x - x.mean(axis=0), compute_uv=False) ** 2
    assert np.allclose((view[["component_1", "component_2"]] ** 2).sum(), variances[:2])
    shares = outcome["json"]["cls_groups"]
    assert shares["n"] == 60
    assert shares["explained_variance_1"] == pytest.approx(variances[0] / variances.sum())


def test_no_map_is_of_a_first_token_that_saw_no_other():
    given = sets()
    alike = given[0].states | {"cls": np.ones_like(given[0].states["cls"])}
    outcome = measured(Stimuli(given[0].table, given[0].tokens, alike), *given[1:])
    assert set(outcome["map"]["pooling"]) == {"mean"}
    assert set(outcome["json"]) == {"mean_groups", "mean_groups_and_random"}


def test_planted_groups_lie_apart_on_the_map(outcome: Outcome):
    view = outcome["map"].query("pooling == 'cls' and sentences == 'groups'")
    places = view[["component_1", "component_2"]].to_numpy()
    centers = view.groupby("group")[["component_1", "component_2"]].mean()
    distances = np.linalg.norm(places[:, None] - centers.to_numpy(), axis=-1)
    nearest = centers.index.to_numpy(object)[distances.argmin(axis=1)]
    assert (nearest == view["group"].to_numpy(object)).mean() > 0.95


def test_rotation_moves_no_table(outcome: Outcome):
    turned = measured(*sets(turn=rotation(16)))
    for name in ("groups", "slots", "contrasts"):
        first, second = outcome[name], turned[name]
        trained = [
            column
            for column in first.select_dtypes("number")
            if not column.startswith("random_weights")
        ]
        assert np.allclose(first[trained], second[trained], atol=1e-5, equal_nan=True), name


def test_the_last_token_of_a_decoder_has_its_rows():
    given = [
        Stimuli(
            one.table,
            one.tokens,
            {**one.states, "last": one.states["mean"], "random_last": one.states["random_mean"]},
        )
        for one in sets()
    ]
    outcome = measured(*given)
    for table in (
        outcome["groups"],
        outcome["group_pairs"],
        outcome["slots"],
        outcome["contrasts"],
    ):
        by_pooling = table.groupby("pooling").size()
        assert by_pooling["last"] == by_pooling["mean"]
    last, mean = (outcome["groups"].query("pooling == @name") for name in ("last", "mean"))
    assert np.array_equal(last["purity"], mean["purity"])
