"""Joins layers of models, and asks what becomes of their output."""

from dataclasses import replace

import numpy as np
import pytest

from embspace.compare.model_stitching_joins import (
    IDENTITY,
    OWN,
    RANDOM,
    SHUFFLED,
    TRAINED,
    TURNED,
    VOCABULARY,
    Join,
    Stitching,
    joins,
)
from embspace.compare.model_stitching_models import OpenModel, WordHead, read_beginnings
from tests.compare.stitched import N_LAYERS, module, opened, strangers, texts, tokenizer

HOW = Stitching(strength=1e-3, n_draws=2, n_first=5, seed=0)


def joined(lower: OpenModel, upper: OpenModel, n_training: int = 30) -> list[Join]:
    rows = texts()["news"]["text"].tolist()
    parts = rows[:20], rows[20 : 20 + n_training]
    read = [read_beginnings(part, tokenizer(), 16) for part in parts]
    return [*joins(lower, upper, *read, HOW, np.random.default_rng(0))]


def test_a_model_below_itself_keeps_everything_at_every_layer() -> None:
    model = opened("one", module(0))
    found = joined(model, model)
    assert [(join.layer, join.upper_layer) for join in found] == [
        (layer, layer) for layer in range(N_LAYERS + 1)
    ]
    for join in found:
        for stitch in (VOCABULARY, IDENTITY):
            kept = join.stitches[stitch, OWN].states
            assert kept.cosine == pytest.approx(1, abs=1e-4) and kept.nearest.all()


def test_every_join_has_all_stitches_and_draws() -> None:
    for join in joined(*strangers()):
        names = {VOCABULARY, IDENTITY, TRAINED}
        assert join.stitches.keys() == {(s, w) for s in names for w in (OWN, RANDOM)}
        assert join.draws.keys() == {TURNED, SHUFFLED}
        for drawn in join.draws.values():
            assert [len(kept.states.cosine) for kept in drawn] == [5, 5]
            assert not np.array_equal(drawn[0].states.cosine, drawn[1].states.cosine)


def test_without_training_texts_nothing_is_trained() -> None:
    join, *_ = joined(*strangers(), n_training=0)
    assert {stitch for stitch, _ in join.stitches} == {VOCABULARY, IDENTITY}


def test_a_model_of_random_weights_is_not_its_own_twin() -> None:
    """Whatever seed the weights have: else nothing could be above its twin."""
    model = opened("one", module(0).__class__(module(0).config))
    join, *_ = joined(model, model)
    assert join.stitches[VOCABULARY, RANDOM].states.cosine.mean() < 0.5


def test_where_the_upper_model_names_words_these_are_compared() -> None:
    lower, upper = strangers()
    assert joined(lower, upper)[0].stitches[VOCABULARY, OWN].same_word is None
    table = upper.embedding
    upper = replace(upper, head=WordHead(None, table))
    same = joined(upper, upper)[1].stitches[IDENTITY, OWN].same_word
    other = joined(lower, upper)[1].stitches[VOCABULARY, OWN].same_word
    assert same is not None and same.all()
    assert other is not None and other.mean() < 0.5
