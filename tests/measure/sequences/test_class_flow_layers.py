"""Holds silhouettes of documents to planted groups, to chance and to one vector for all."""

from typing import Any

import numpy as np
import pytest

from embspace.measure.sequences.class_flow_layers import (
    document_distances,
    separation_rows,
    with_verdicts,
)
from embspace.measure.sequences.class_flow_states import FirstTokenStates
from embspace.measure.sequences.sequence_texts import Sequences

OPTIONS: dict[str, Any] = {"n_resamples": 40, "level": 0.95, "n_shuffles": 99, "seed": 0}
N_DOCUMENTS, N_COPIES, DIM = 32, 3, 6


def sequences() -> Sequences:
    document = np.repeat(np.arange(N_DOCUMENTS), N_COPIES)
    label = document % 4
    return Sequences([""] * len(label), [*"abcd"], label, document)


def states(noise: float, weights: str = "trained") -> FirstTokenStates:
    """Layer 0 has one vector; at layer 1 classes have a direction each, and ancestors noise."""
    rng = np.random.default_rng(1)
    given = sequences()
    x = 5 * np.eye(DIM)[given.label] + noise * rng.normal(size=(N_DOCUMENTS, DIM))[given.document]
    if not noise:
        x = rng.normal(size=(N_DOCUMENTS, DIM))[given.document]  # of no class
    return FirstTokenStates(weights, 0, np.stack([np.ones_like(x), x]).astype(np.float32))


def test_planted_classes_are_parted_and_noise_is_not() -> None:
    _, parted = separation_rows(states(0.1), sequences(), **OPTIONS)
    assert parted["silhouette"] > 0.95
    assert parted["nearest_in_class"] == 1
    assert parted["silhouette_p_value"] == 0.01
    _, noise = separation_rows(states(0.0), sequences(), **OPTIONS)
    assert noise["null_silhouette_low"] < noise["silhouette"] < noise["null_silhouette_high"]
    assert noise["nearest_in_class"] < 0.6


def test_one_vector_for_all_has_no_silhouette() -> None:
    row, _ = separation_rows(states(0.1), sequences(), **OPTIONS)
    assert "silhouette" not in row
    assert row["n_documents"] == N_DOCUMENTS
    assert (row["n"], row["n_classes"]) == (N_DOCUMENTS * N_COPIES, 4)


def test_copies_of_a_document_count_once() -> None:
    given = sequences()
    x = states(0.1).cls[1]
    once = document_distances(x[::N_COPIES], np.arange(N_DOCUMENTS))
    assert document_distances(x, given.document) == pytest.approx(once, abs=1e-6)
    assert document_distances(7 * x, given.document) == pytest.approx(once, abs=1e-6)


def test_the_verdict_needs_the_interval_above_null_and_random_weights() -> None:
    rows = [
        *separation_rows(states(0.1), sequences(), **OPTIONS),
        *separation_rows(states(0.0, "random weights"), sequences(), **OPTIONS),
    ]
    ruled = with_verdicts(rows)
    assert ruled[1]["is_parted"] is True
    assert ruled[1]["largest_random_silhouette"] == ruled[3]["silhouette"]
    assert "is_parted" not in ruled[0] and "is_parted" not in ruled[3]
    rows[3]["silhouette"] = 1.0
    assert with_verdicts(rows)[1]["is_parted"] is False


def test_distances_of_documents_by_hand() -> None:
    vectors = np.array([[1.0, 0], [3, 0], [0, 2], [0, 5], [1, 1], [-4, 0]])
    distances = document_distances(vectors, np.array([0, 0, 1, 1, 2, 3]))
    half = 1 - 0.5**0.5
    expected = [[0, 1, half, 2], [1, 0, half, 1], [half, half, 0, 1 + 0.5**0.5]]
    assert distances == pytest.approx(np.array([*expected, [2, 1, 1 + 0.5**0.5, 0]]), abs=1e-6)
    mean = document_distances(vectors[[1, 2, 4]], np.array([0, 0, 1]))
    assert mean[0, 1] == pytest.approx(1 - 5 / 26**0.5, abs=1e-6)  # of (1.5, 1) and (1, 1)


def test_every_number_of_a_layer() -> None:
    """Two classes of two directions, of which every half and the null by hand are known."""
    document = np.arange(8)
    given = Sequences([""] * 8, ["a", "b"], document % 2, document)
    x = np.eye(2)[document % 2].astype(np.float32)
    model = FirstTokenStates("pretrained", 4, np.stack([0 * x + 1, x]))
    options = {**OPTIONS, "n_shuffles": 400}
    _, row = separation_rows(model, given, **options)
    assert (row["weights"], row["model_seed"], row["layer"]) == ("pretrained", 4, 1)
    assert (row["n"], row["n_documents"], row["n_classes"]) == (8, 8, 2)
    for name in ("silhouette", "nearest_in_class"):
        assert [row[f"{name}{end}"] for end in ("", "_low", "_high")] == pytest.approx([1, 1, 1])
        assert row[f"null_{name}_low"] < row[f"null_{name}"] < row[f"null_{name}_high"]
        # One deal in 35 has the two classes as they are, and one by another name.
        assert row[f"{name}_p_value"] == pytest.approx(2 / 70, abs=0.03)
    # The other three of a direction have the same place; three of seven have one's own class.
    assert row["null_nearest_in_class"] == pytest.approx(3 / 7, abs=0.05)
