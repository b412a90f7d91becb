"""Holds curves of hidden places to the planted model, where they are known."""

from typing import Any

import numpy as np
import pytest

from embspace.geometry.attribution.recall import ranking
from embspace.measure.sequences.attribution_seeds import (
    _curve,
    known_order,
    random_orders,
    scored_model,
)
from embspace.measure.sequences.sequence_classifiers import (
    encode_sequences,
    last_checkpoints,
    load_classifier,
    logits_of,
    probabilities,
)
from tests.measure.sequences.small import (
    SITES,
    planted_classifier,
    planted_sequences,
)


def test_hiding_the_sites_leaves_a_guess_and_showing_them_alone_suffices() -> None:
    placed, encoded = planted_sequences(10)
    module, label = planted_classifier(), placed.sequences.label
    order = ranking(np.tile(np.isin(np.arange(12), SITES) * 1.0, (10, 1)))
    deletion = _curve(module, encoded, label, order, [0, 3, 12], "deletion")
    insertion = _curve(module, encoded, label, order, [0, 3, 12], "insertion")
    assert deletion[0] == pytest.approx(insertion[2])  # nothing hidden
    assert deletion[0].min() > 0.9
    assert deletion[1] == pytest.approx(0.5, abs=1e-3)
    assert insertion[1] == pytest.approx(deletion[0], abs=1e-3)
    assert insertion[0] == pytest.approx(0.5, abs=1e-3)
    worst = order[:, ::-1].copy()
    late = _curve(module, encoded, label, worst, [9], "deletion")
    assert late[0] == pytest.approx(deletion[0], abs=1e-3)  # the other nine places do not matter


def test_the_known_order_begins_with_the_true_places_of_each_text() -> None:
    placed, _ = planted_sequences(10)
    order = known_order(placed, np.random.default_rng(0))
    planted = placed.sequences.label == 1
    assert {*map(tuple, np.sort(order[planted, :3], axis=1).tolist())} == {SITES}
    assert sorted(order[0].tolist()) == list(range(12))
    first, second = random_orders(placed, 2, np.random.default_rng(0))
    assert (first != second).any()


def test_a_trained_seed_has_curves_and_random_weights_have_none(learned: Any) -> None:
    n_texts = len(learned.placed.sequences.texts)
    orders = {"given": random_orders(learned.placed, 2, np.random.default_rng(0))}
    arguments = (learned.run, learned.root, 0, learned.placed, orders, [2, 4])
    trained, at_random = scored_model(*arguments, None), scored_model(*arguments, 0)
    assert trained.scores.keys() == at_random.scores.keys()
    assert not at_random.curves
    curve = trained.curves["given", "deletion"]
    assert curve.shape == (4, n_texts)
    has = learned.placed.has.any(axis=1)
    assert (np.isnan(curve).all(axis=0) == ~has).all()
    checkpoint = last_checkpoints(learned.root, learned.run, "classification")[0]
    encoded = encode_sequences(learned.run, checkpoint, learned.placed.sequences.texts)
    logits = logits_of(load_classifier(learned.run, checkpoint), encoded.ids)
    whole = probabilities(logits)[np.arange(n_texts), learned.placed.sequences.label]
    assert curve[0, has] == pytest.approx(whole[has], rel=3e-6)
    assert np.abs(curve[-1, has] - whole[has]).max() > 5e-6  # so that the ends are told apart
    every = [trained.curves[method, "insertion"] for method, kind in trained.curves if kind != "x"]
    assert all(np.array_equal(insertion[-1], every[0][-1], equal_nan=True) for insertion in every)
