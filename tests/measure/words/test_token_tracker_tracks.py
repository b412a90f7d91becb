"""`read_tracks`: each number is that of a plain loop over the texts."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from embspace.measure.words.token_tracker_texts import FollowedTexts
from embspace.measure.words.token_tracker_tracks import QUANTITIES, Tracks, read_tracks
from embspace.models.stream.tracked_states import POINTS
from tests.measure.words.followed import vocabulary_of
from tests.models.stream.plain_tracker import IDS, plain_rank, plain_states
from tests.models.stream.tiny import tiny

OTHER = np.array([2, 21, 22])
TEXTS = FollowedTexts(
    [OTHER, IDS],
    np.array([0, 1]),
    np.array([0, 1, 1]),
    np.array([1, 2, 5]),
    np.array(["content", "function", "content"], dtype=object),
    np.array(["river", "of", "table"], dtype=object),
    [np.zeros(len(OTHER), bool), np.zeros(len(IDS), bool)],
)


@pytest.fixture(scope="module")
def tracks() -> Tracks:
    return read_tracks(
        bert(),
        vocabulary_of(bert()),
        TEXTS,
        points=POINTS,
        positions=("none", "own", "first"),
    )


@cache
def bert() -> Any:
    return tiny("bert")


def test_ranks_and_cosines_are_those_of_a_plain_loop(tracks: Tracks):
    vocabulary, states = vocabulary_of(bert()), plain_states(bert())
    assert vocabulary.positional is not None
    for positions in ("none", "own", "first"):
        for at, place in enumerate(tracks.places[positions]):  # type: ignore[index]
            for token, position in ((1, 2), (2, 5)):
                added = {
                    "none": 0 * vocabulary.positional[0],
                    "own": vocabulary.positional[position],
                }
                rows = vocabulary.rows + added.get(positions, vocabulary.positional[0])
                cosine, rank = plain_rank(states[place][position], rows, int(IDS[position]))
                values = tracks.values[positions][at, :, token]  # type: ignore[index]
                assert values[QUANTITIES.index("cosine")] == pytest.approx(cosine, abs=1e-5)
                assert values[QUANTITIES.index("log_rank")] == pytest.approx(np.log10(1 + rank))
                assert values[QUANTITIES.index("nearest")] == (rank == 0)


def test_points_and_vocabularies_are_those_asked_for(tracks: Tracks):
    assert len(tracks.places["none"]) == 1 + 3 * 3
    assert tracks.places["own"] == [(0, "embedding"), *((n, "attention_sum") for n in (1, 2, 3))]
    assert tracks.of("cosine").shape == (4, 3) == tracks.of("cosine", "own").shape
    assert tracks.point == "attention_sum"


def test_steps_and_texts_are_measured(tracks: Tracks):
    states = plain_states(bert())
    before, after = states[1, "output"], states[2, "output"]
    assert tracks.step[1, 1] == pytest.approx(np.linalg.norm(after[2] - before[2]), rel=1e-4)
    unit = after / np.linalg.norm(after, axis=1, keepdims=True)
    different = IDS[:, None] != IDS
    expected = (unit @ unit.T)[different].mean()
    assert tracks.together[2, 0, 1] == pytest.approx(expected, abs=1e-5)
    assert np.isnan(tracks.together[0, 1]).all() and tracks.together.shape == (4, 2, 2)


def test_tokens_of_some_units_are_inside(tracks: Tracks):
    assert tracks.inside(np.array([1])).tolist() == [False, True, True]
