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
    found = with_verdicts(rows)
    assert found[1]["is_parted"] is True
    assert found[1]["largest_random_silhouette"] == found[3]["silhouette"]
    assert "is_parted" not in found[0] and "is_parted" not in found[3]
    rows[3]["silhouette"] = 1.0
    assert with_verdicts(rows)[1]["is_parted"] is False
