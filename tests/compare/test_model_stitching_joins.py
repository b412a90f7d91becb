"""Joins layers of models, and asks what becomes of their output."""

from collections.abc import Mapping

import numpy as np
import pytest

from embspace.compare.model_stitching_joins import (
    IDENTITY,
    NO_BLOCK,
    OWN,
    RANDOM,
    SHUFFLED,
    TRAINED,
    TURNED,
    VOCABULARY,
    Bounds,
    Join,
    Stitching,
    join_rows,
    joins,
)
from embspace.compare.model_stitching_models import OpenModel, read_beginnings
from embspace.files.tables import Row
from embspace.geometry.parameters.stitching import Kept
from tests.compare.stitched import N_LAYERS, module, opened, strangers, texts, tokenizer

HOW = Stitching(strength=1e-3, n_draws=2, n_first=5, seed=0)


def joined(lower: OpenModel, upper: OpenModel, n_training: int = 30) -> list[Join]:
    rows = texts()["news"]["text"].tolist()
    parts = rows[:20], rows[20 : 20 + n_training]
    read = [read_beginnings(part, tokenizer(), 16) for part in parts]
    return [*joins(lower, upper, *read, HOW, np.random.default_rng(0))]


def test_a_model_below_itself_keeps_everything_at_every_layer() -> None:
    model = opened("one", module(0))
    all_joins = joined(model, model)
    assert [(join.layer, join.upper_layer) for join in all_joins] == [
        (layer, layer) for layer in range(N_LAYERS + 1)
    ]
    for join in all_joins:
        for stitch in (VOCABULARY, IDENTITY):
            kept = join.stitches[stitch, OWN]
            assert kept.cosine == pytest.approx(1, abs=1e-4) and kept.nearest.all()


def test_every_join_has_all_stitches_and_draws() -> None:
    for join in joined(*strangers()):
        names = {VOCABULARY, IDENTITY, TRAINED}
        keys = {(stitch, weights) for stitch in names for weights in (OWN, RANDOM)}
        no_block = {(VOCABULARY, NO_BLOCK), (IDENTITY, NO_BLOCK)} if join.layer else set()
        assert join.stitches.keys() == keys | no_block
        assert join.draws.keys() == {TURNED, SHUFFLED}
        for drawn in join.draws.values():
            assert [len(kept.cosine) for kept in drawn] == [5, 5]
            assert not np.array_equal(drawn[0].cosine, drawn[1].cosine)


def test_without_training_texts_nothing_is_trained() -> None:
    join, *_ = joined(*strangers(), n_training=0)
    assert {stitch for stitch, _ in join.stitches} == {VOCABULARY, IDENTITY}


def test_a_model_of_random_weights_is_not_its_own_twin() -> None:
    """Whatever seed the weights have: else nothing could be above its twin."""
    model = opened("one", module(0).__class__(module(0).config))
    join, *_ = joined(model, model)
    assert join.stitches[VOCABULARY, RANDOM].cosine.mean() < 0.5


BOUNDS = Bounds(bar=0.5, n_half_samples=40, level=0.95, seed=0)
N = 40


def kept(cosine: float, nearest: float, *, n: int = N) -> Kept:
    """Return texts of this mean cosine and share found, with a little noise."""
    noise = np.linspace(-0.05, 0.05, n)
    is_nearest = np.arange(n) < round(nearest * n)
    return Kept(cosine + noise, is_nearest)


def rows_of(
    own: Kept,
    twin: Kept,
    drawn: Mapping[str, list[Kept]],
    no_block: Kept | None = None,
) -> dict[tuple[str, str], Row]:
    stitches = {("vocabulary", "own"): own, ("vocabulary", "random"): twin}
    stitches["vocabulary", "no block"] = no_block or NOTHING
    rows = join_rows(Join(1, 2, stitches, drawn), BOUNDS)
    return {(row["stitch"], row["weights"]): row for row in rows}


NOTHING = kept(0.0, 0.0)


@pytest.mark.parametrize(
    ("own", "twin", "draw", "verdict"),
    [
        (kept(0.8, 1.0), NOTHING, NOTHING, "joins"),
        (kept(0.4, 1.0), NOTHING, NOTHING, "does not join"),
        (kept(0.8, 0.2), NOTHING, NOTHING, "does not join"),
        (kept(0.8, 0.55), NOTHING, NOTHING, "open"),
        (kept(0.5, 1.0), NOTHING, NOTHING, "open"),
        (kept(0.8, 1.0), kept(0.9, 0.9), NOTHING, "does not join"),
        (kept(0.8, 1.0), kept(0.795, 0.9), NOTHING, "open"),
        (kept(0.8, 1.0), NOTHING, kept(0.9, 0.9), "does not join"),
        (kept(0.8, 1.0), kept(0.7, 1.0), NOTHING, "does not join"),  # random weights find all
    ],
)
def test_a_join_is_above_the_bar_random_weights_and_random_stitches(
    own: Kept, twin: Kept, draw: Kept, verdict: str
) -> None:
    rows = rows_of(own, twin, {"turned": [NOTHING, draw]})
    assert rows["vocabulary", "own"]["verdict"] == verdict
    assert "verdict" not in rows["vocabulary", "random"]
    assert "verdict" not in rows["turned", "own"]


@pytest.mark.parametrize(
    ("no_block", "verdict"),
    [
        (kept(0.7, 1.0), "joins"),  # embeddings alone may find every text
        (kept(0.795, 1.0), "open"),
        (kept(0.9, 0.0), "does not join"),
    ],
)
def test_a_join_keeps_more_than_embeddings_alone(no_block: Kept, verdict: str) -> None:
    rows = rows_of(kept(0.8, 1.0), NOTHING, {"turned": [NOTHING]}, no_block)
    assert rows["vocabulary", "own"]["verdict"] == verdict
    assert "verdict" not in rows["vocabulary", "no block"]


def test_rows_have_means_with_bounds_and_draws_their_range() -> None:
    draws = {"turned": [kept(0.1, 0.0, n=10), kept(0.3, 0.5, n=10)]}
    rows = rows_of(kept(0.8, 0.75), NOTHING, draws)
    own, drawn = rows["vocabulary", "own"], rows["turned", "own"]
    assert (own["layer"], own["upper_layer"], own["n"]) == (1, 2, N)
    assert own["cosine"] == pytest.approx(0.8) and own["nearest"] == 0.75
    assert own["cosine_low"] < 0.8 < own["cosine_high"]
    assert (drawn["n"], drawn["n_draws"]) == (10, 2)
    values = [drawn[name] for name in ("cosine", "cosine_low", "cosine_high")]
    assert values == pytest.approx([0.2, 0.1, 0.3])
