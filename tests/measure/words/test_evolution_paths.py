import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cosine, euclidean

from embspace.measure.words.evolution_paths import (
    QUANTITIES,
    RANDOM,
    TRAINED,
    TokenPaths,
    aligned,
    drift_table,
    layer_table,
    quantities_of,
    rotation_groups,
    step_table,
)

LAYERS, DIM = 4, 6
SCALES = {TRAINED: np.array([1.0, 2.0, np.nan, 4.0]), RANDOM: np.full(LAYERS, 5.0)}


def paths_of(*texts: list[int], seed: int = 0) -> TokenPaths:
    """Texts "a", "b", … of tokens of these ids, with states of noise."""
    rows = [
        ("abc"[number], position, token, f"t{token}")
        for number, text in enumerate(texts)
        for position, token in enumerate(text)
    ]
    tokens = pd.DataFrame(rows, columns=["text", "position", "id", "token"])
    rng = np.random.default_rng(seed)
    x = {prefix: rng.normal(size=(LAYERS, len(rows), DIM)) for prefix in (TRAINED, RANDOM)}
    return TokenPaths(tokens, {prefix: states.astype(np.float32) for prefix, states in x.items()})


def frame(*ids: int) -> pd.DataFrame:
    return pd.DataFrame({"id": ids})


def test_steps_of_a_token_by_hand():
    paths = paths_of([1, 2], [3])
    table = step_table(paths, SCALES)
    assert table["text"].tolist() == ["a"] * 8 + ["b"] * 4
    assert table["layer"].tolist() == [0, 1, 2, 3] * 3
    for prefix, x in paths.states.items():
        for (_, rows), path in zip(
            table.groupby(["text", "position"], sort=False), x.swapaxes(0, 1), strict=True
        ):
            assert rows[f"{prefix}norm"].to_numpy() == pytest.approx(np.linalg.norm(path, axis=1))
            assert np.isnan(rows[f"{prefix}euclidean_distance"].iloc[0])
            for layer in range(1, LAYERS):
                row = rows.iloc[layer]
                before, here = path[layer - 1].astype(float), path[layer].astype(float)
                assert row[f"{prefix}euclidean_distance"] == pytest.approx(euclidean(before, here))
                assert row[f"{prefix}cosine"] == pytest.approx(1 - cosine(before, here))
            second, first = path[3] - path[2], path[2] - path[1]
            assert rows[f"{prefix}step_cosine"].iloc[3] == pytest.approx(
                1 - cosine(first, second), abs=1e-5
            )
            assert np.isnan(rows[f"{prefix}step_cosine"].iloc[1])
            scale = rows[f"{prefix}layer_norm_scale"].to_numpy()
            assert np.array_equal(scale, SCALES[prefix], equal_nan=True)


def test_means_and_extremes_are_over_the_tokens():
    paths = paths_of([1, 2, 3])
    steps, table = step_table(paths, SCALES), layer_table("some", paths)
    assert set(table["tokens"]) == {"some"}
    for row in table.to_dict(orient="records"):
        values = steps.loc[steps["layer"] == row["layer"]]
        for prefix in (TRAINED, RANDOM):
            sizes = values[prefix + row["quantity"]]
            assert row["n"] == 3
            assert row[f"{prefix}mean"] == pytest.approx(sizes.mean())
            assert row[f"{prefix}minimum"] == pytest.approx(sizes.min())
            assert row[f"{prefix}maximum"] == pytest.approx(sizes.max())
    first = table.groupby("quantity")["layer"].min().to_dict()
    assert first["norm"] == 0
    assert first["euclidean_distance"] == 1
    assert first["step_cosine"] == 2


def test_without_random_weights_there_are_no_columns_of_theirs():
    paths = paths_of([1, 2])
    table = layer_table("corpus", TokenPaths(paths.tokens, {TRAINED: paths.states[TRAINED]}))
    assert table["mean"].notna().all()
    assert not [name for name in table if name.startswith(RANDOM)]


@pytest.mark.parametrize(
    ("first", "second", "pairs"),
    [
        ([1, 2, 3], [1, 2, 3], [(0, 0), (1, 1), (2, 2)]),
        ([1, 2, 3, 4], [1, 9, 9, 3, 4], [(0, 0), (2, 3), (3, 4)]),
        ([7, 1, 7, 2], [7, 1, 7, 5], [(0, 0), (1, 1), (2, 2)]),
        ([1], [2], []),
    ],
)
def test_shared_tokens_are_paired_in_their_order(first, second, pairs):
    assert aligned(frame(*first), frame(*second)) == pairs


def test_a_token_that_texts_share_has_one_number():
    by_text = paths_of([1, 2, 3], [1, 8, 3], [9, 2]).by_text()
    assert rotation_groups(by_text).tolist() == [0, 1, 2, 0, 4, 2, 6, 1]


def test_drift_by_hand():
    paths = paths_of([1, 2, 3], [1, 8, 8, 3])
    first, second = paths.by_text().values()
    table = drift_table(first, second)
    assert len(table) == 2 * LAYERS
    assert set(table["first"]) == {"a"}
    assert set(table["second"]) == {"b"}
    moved = table[(table["token"] == "t3") & (table["layer"] == 2)].iloc[0]
    assert (moved["position"], moved["second_position"]) == (2, 3)
    for prefix in (TRAINED, RANDOM):
        x, y = first.states[prefix][2].astype(float), second.states[prefix][2].astype(float)
        distance = euclidean(x[2], y[3])
        pairs = [euclidean(x[i], x[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
        assert moved[f"{prefix}euclidean_distance"] == pytest.approx(distance)
        assert moved[f"{prefix}cosine"] == pytest.approx(1 - cosine(x[2], y[3]))
        assert moved[f"{prefix}relative_distance"] == pytest.approx(distance / np.mean(pairs))


def test_two_of_one_word_are_no_measure_of_distance():
    first, second = paths_of([4, 4, 5], [4]).by_text().values()
    x = first.states[TRAINED][1].astype(float)
    rows = drift_table(first, second)
    row = rows[rows["layer"] == 1].iloc[0]
    scale = row["euclidean_distance"] / row["relative_distance"]
    assert scale == pytest.approx((euclidean(x[0], x[2]) + euclidean(x[1], x[2])) / 2)


def test_texts_that_share_nothing_do_not_drift():
    assert drift_table(*paths_of([1, 2], [3]).by_text().values()).empty


def test_equal_texts_do_not_drift_and_one_word_has_no_scale():
    paths = paths_of([1], [1])
    for x in paths.states.values():
        x[:, 1] = x[:, 0]
    table = drift_table(*paths.by_text().values())
    assert (table["euclidean_distance"] == 0).all()
    assert table["cosine"].to_numpy() == pytest.approx(1)
    assert table["relative_distance"].isna().all()


def test_every_quantity_of_a_right_angle_by_hand():
    # From (3, 0) up to (3, 4), then out to twice that: norms 3, 5, 10.
    way = np.array([[[3.0, 0]], [[3, 4]], [[6, 8]]], dtype=np.float32)
    quantities = quantities_of(way)
    assert set(quantities) == set(QUANTITIES)
    expected = {
        "norm": [3, 5, 10],
        "euclidean_distance": [np.nan, 4, 5],
        "cosine": [np.nan, 3 / 5, 1],
        "norm_change": [np.nan, 2, 5],
        "step_cosine": [np.nan, np.nan, 4 / 5],
    }
    for name, values in expected.items():
        assert quantities[name][:, 0] == pytest.approx(values, nan_ok=True), name
    # The squared share of a step along the state that it starts from or ends in, see PathSteps.
    assert quantities["radial_share"][2, 0] == pytest.approx(1)
    assert quantities["norm_change_share"][2, 0] == pytest.approx(1)


def test_what_is_drawn_for_random_weights_is_in_their_columns():
    paths = paths_of([1, 2, 3], [1, 2, 3])
    first, second = paths.by_text().values()
    swapped = [
        TokenPaths(paths.tokens, {TRAINED: paths.states[RANDOM], RANDOM: paths.states[TRAINED]})
        for paths in (first, second)
    ]
    here, there = drift_table(first, second), drift_table(*swapped)
    for name in ("euclidean_distance", "cosine", "relative_distance"):
        assert here[name].tolist() == there[f"{RANDOM}{name}"].tolist()
        assert here[f"{RANDOM}{name}"].tolist() == there[name].tolist()
    assert here["layer"].tolist() == list(range(LAYERS)) * 3
    assert here["position"].tolist() == np.repeat([0, 1, 2], LAYERS).tolist()
