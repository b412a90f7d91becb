from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.measure.learned.similarity import measure_similarity
from embspace.models.locate import locate_files
from embspace.settings.model import describe_model
from embspace.settings.schema import read_yaml
from tests.analyses import settings_of
from tests.measure.vectors import random_matrices, vocabulary_of

FEW = {"n_bins": 4096, "n_histogram_bins": 50, "n_pairs": 3, "quantiles": [0.5]}
SETTINGS = settings_of(measure_similarity, **FEW)
MATRICES, VOCABULARY = random_matrices(), vocabulary_of(120)


@pytest.fixture(scope="module")
def measured() -> Outcome:
    return measure_similarity(MATRICES, VOCABULARY, **SETTINGS)


def cosines(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    x, y = x.astype(float), y.astype(float)
    x, y = x / np.linalg.norm(x, axis=1)[:, None], y / np.linalg.norm(y, axis=1)[:, None]
    return x @ y.T


def row(table: pd.DataFrame, space: str, quantity: str) -> pd.Series:
    return table[(table["space"] == space) & (table["quantity"] == quantity)].iloc[0]


@pytest.mark.parametrize(
    ("space", "n"),
    [
        ("input", 120 * 119 // 2),
        ("positional", 30 * 29 // 2),
        ("token_position", 120 * 30),
        ("joint", 150 * 149 // 2),
    ],
)
def test_every_pair_is_counted_once(measured: Outcome, space: str, n: int):
    for quantity in ("euclidean_distance", "dot_product", "cosine"):
        assert row(measured["summary"], space, quantity)["n"] == n
        bins = measured["histogram"]
        bins = bins[(bins["space"] == space) & (bins["quantity"] == quantity)]
        assert bins["count"].sum() == n
        assert (bins["density"] * (bins["bin_right"] - bins["bin_left"])).sum() == pytest.approx(1)


def test_moments_of_the_cosines_are_those_of_a_direct_computation(
    measured: Outcome,
):
    across = cosines(MATRICES["input"], MATRICES["positional"])
    assert row(measured["summary"], "token_position", "cosine")["mean"] == pytest.approx(
        across.mean(), abs=1e-7
    )
    whole = np.concatenate([MATRICES["input"], MATRICES["positional"]])
    joint = cosines(whole, whole)[np.triu_indices(150, k=1)]
    moments = row(measured["summary"], "joint", "cosine")
    assert moments["standard_deviation"] == pytest.approx(joint.std(), rel=1e-5)
    assert moments["maximum"] == pytest.approx(joint.max(), rel=1e-5)


def test_the_norms_of_the_joint_cloud_are_those_of_both(measured: Outcome):
    assert row(measured["summary"], "joint", "norm")["n"] == 150


@pytest.mark.parametrize("order", ["largest", "smallest", "nearest_to_zero"])
@pytest.mark.parametrize("tokens", ["ordinary", "word"])
def test_listed_pairs_are_the_extremes_by_brute_force(measured: Outcome, order: str, tokens: str):
    kind = VOCABULARY["kind"]
    kept = np.flatnonzero(kind == "word" if tokens == "word" else kind != "special")
    first, second = (kept[index] for index in np.triu_indices(len(kept), k=1))
    cosine = cosines(MATRICES["input"], MATRICES["input"])[first, second]
    key = {"largest": -cosine, "smallest": cosine, "nearest_to_zero": np.abs(cosine)}[order]
    best = np.argsort(key)[:3]
    pairs = measured["pairs"]
    listed = pairs[(pairs["tokens"] == tokens) & (pairs["order"] == order)]
    assert list(zip(listed["id_1"], listed["id_2"], strict=True)) == list(
        zip(first[best], second[best], strict=True)
    )
    assert np.allclose(listed["cosine"], cosine[best], atol=1e-12)
    assert (listed["token_1"].to_numpy() == VOCABULARY["token"].to_numpy()[first[best]]).all()


def test_a_rotation_changes_no_number():
    rotation = np.linalg.qr(np.random.default_rng(5).normal(size=(48, 48)))[0]
    turned = {space: (x @ rotation).astype(np.float32) for space, x in MATRICES.items()}
    before = measure_similarity(MATRICES, VOCABULARY, **SETTINGS)["summary"]
    after = measure_similarity(turned, VOCABULARY, **SETTINGS)["summary"]
    for name in ("mean", "standard_deviation", "minimum", "maximum"):
        assert np.allclose(before[name], after[name], atol=2e-5)


def test_a_model_without_positions_has_its_input_measured():
    spaces = measure_similarity({"input": MATRICES["input"]}, VOCABULARY, **SETTINGS)["summary"]
    assert set(spaces["space"]) == {"input"}


def test_minilm_agrees_with_a_direct_float64_count_on_a_subset_of_rows(root: Path):
    from safetensors.numpy import load_file

    model = describe_model("minilm", read_yaml(root / "conf/model/minilm.yaml"))
    weights = load_file(locate_files("minilm", model) / "model.safetensors")
    x = weights["embeddings.word_embeddings.weight"][::15]
    settings = SETTINGS | {"n_histogram_bins": 10**6}  # no bins put together
    histogram = measure_similarity({"input": x}, vocabulary_of(len(x)), **settings)["histogram"]
    histogram = histogram[histogram["quantity"] == "cosine"]
    direct = np.sort(cosines(x, x)[np.triu_indices(len(x), k=1)])
    edges = np.append(histogram["bin_left"], histogram["bin_right"].iloc[-1])
    # A pair may fall next door only if it is within float32 rounding of the edge.
    below = np.append(0, np.cumsum(histogram["count"]))
    assert (below >= np.searchsorted(direct, edges - 1e-6)).all()
    assert (below <= np.searchsorted(direct, edges + 1e-6)).all()
    assert below[-1] == len(direct)


def test_the_largest_cosine_of_each_token_is_with_the_one_most_like_it(measured):
    row = measured["summary"].set_index("quantity").loc["largest_cosine"]
    x = MATRICES["input"] / np.linalg.norm(MATRICES["input"], axis=1, keepdims=True)
    largest = (x @ x.T - 2 * np.eye(120)).max(axis=1)
    assert row["n"] == 120
    assert row["mean"] == pytest.approx(largest.mean(), abs=1e-6)
    assert row["maximum"] == pytest.approx(largest.max(), abs=1e-6)
