"""Mean differences: a plain loop, planted directions, the null, and what is refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.live.directions import (
    DirectionCosine,
    compare_directions,
    direction_cosine,
    read_pairs,
)
from embspace.app.live.limits import MOST_PAIRS
from embspace.app.queries.corpus_space import reference_space
from embspace.errors import InputError
from tests.app.queries.extracted import write_extracted


def of(x: np.ndarray, n_first: int, random_x: np.ndarray | None = None) -> DirectionCosine:
    n = len(x) // 2
    category = np.repeat([0, 1], [n_first, n - n_first])
    return direction_cosine(
        x,
        x if random_x is None else random_x,
        category,
        layer=0,
        pooling="mean",
        generator=np.random.default_rng(0),
    )


def planted(strength: float, seed: int) -> np.ndarray:
    """Twelve pairs, whose second texts are moved in one direction."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(24, 40))
    x[1::2, 0] += strength
    return x


def test_the_cosine_is_that_of_a_plain_loop():
    x = planted(1, 3)
    means = [
        np.mean([x[2 * i + 1] - x[2 * i] for i in range(a, b)], axis=0)
        for a, b in ((0, 5), (5, 12))
    ]
    expected = means[0] @ means[1] / np.linalg.norm(means[0]) / np.linalg.norm(means[1])
    comparison = of(x, 5, planted(0, 4))
    assert comparison.cosine == pytest.approx(expected, abs=1e-12)
    assert comparison.n_pairs == (5, 7)
    assert comparison.random_weights_cosine == pytest.approx(of(planted(0, 4), 5).cosine)


def test_a_planted_direction_is_beyond_chance_and_its_reverse_on_the_other_side():
    x = planted(6, 1)
    comparison = of(x, 6)
    assert comparison.cosine > comparison.null_high and comparison.p_value < 0.01
    x[12:] = x[12:].reshape(6, 2, -1)[:, ::-1].reshape(12, -1)
    reverse = of(x, 6)
    assert reverse.cosine == pytest.approx(-comparison.cosine) and reverse.p_value < 0.01


def test_without_a_direction_p_values_are_those_of_chance():
    values = [of(planted(0, seed), 6).p_value for seed in range(40)]
    assert np.mean(np.array(values) < 0.1) < 0.25
    assert 0.3 < np.mean(values) < 0.7


def test_turning_moving_and_scaling_change_nothing():
    x = planted(2, 5)
    turn = np.linalg.qr(np.random.default_rng(9).normal(size=(40, 40)))[0]
    before, after = of(x, 6), of(3 * x @ turn + 7, 6)
    for name in ("cosine", "null_low", "null_high", "p_value"):
        assert getattr(after, name) == pytest.approx(getattr(before, name), abs=1e-9)


def test_one_pair_each_has_a_cosine_and_no_reliability():
    comparison = of(planted(1, 2)[:4], 1)
    assert np.isnan(comparison.reliability).all() and np.isnan(comparison.corrected_cosine)


@pytest.mark.parametrize("seed", range(6))
def test_four_texts_have_three_pairings_of_which_the_given_one_is_as_far(seed: int):
    x = np.random.default_rng(seed).normal(loc=3, size=(4, 384))
    thirds = 3 * of(x, 1).p_value
    assert round(thirds) >= 1 and thirds == pytest.approx(round(thirds), abs=0.06)


def test_equal_texts_in_a_pair_have_no_direction():
    x = planted(1, 2)
    x[3] = x[2]
    with pytest.raises(InputError, match="whose two texts have one vector"):
        of(x, 6)


def test_lines_are_pairs():
    assert read_pairs(" a | b \n\n c d|e", "list 1") == [("a", "b"), ("c d", "e")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a | b\na", "list 1: line 2: found 'a', allowed: first | second"),
        ("a | b | c", "line 1"),
        ("a |", "line 1"),
        ("", "found 0 pairs, allowed: 1 to 50"),
        ("a | b\n" * (MOST_PAIRS + 1), "found 51 pairs"),
        ("a | " + "b" * 3000, "found 3,000 characters"),
        ("a | \ud800", "not UTF-8"),
    ],
)
def test_what_is_no_pair_is_refused(text: str, message: str):
    with pytest.raises(InputError) as error:
        read_pairs(text, "list 1")
    assert message in str(error.value)


TEXTS = pd.DataFrame({"id": ["a", "b"], "text": ["the boat and the tide", "salt and bread"]})
FIRST, SECOND = [("salt", "bread"), ("boat", "tide")], [("rain", "mat"), ("the boat", "the mat")]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_extracted(tmp_path_factory.mktemp("directions"), TEXTS)


def test_vectors_are_those_of_the_corpus_queries(tree: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tree)
    comparison = compare_directions("tiny", FIRST, SECOND, layer=-1, pooling="mean")
    space = reference_space("tiny", "one", -1, "mean")
    texts = [text for pair in [*FIRST, *SECOND] for text in pair]
    x = space.encode(texts).astype(np.float64)
    difference = x[1::2] - x[::2]
    a, b = difference[:2].mean(axis=0), difference[2:].mean(axis=0)
    assert comparison.cosine == pytest.approx(
        a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-6
    )
    assert comparison.layer == 2
    # The weights of `tiny` are themselves those that this seed draws.
    assert comparison.random_weights_cosine == pytest.approx(comparison.cosine, abs=1e-6)
    with pytest.raises(InputError, match="layer: found 3, allowed: 0 to 2"):
        compare_directions("tiny", FIRST, SECOND, layer=3, pooling="mean")
