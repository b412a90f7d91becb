import numpy as np
import pytest

from embspace.geometry.practice.word_contrast import contrast_words


def draw(rng: np.random.Generator, n: int) -> list[list[str]]:
    return [[f"w{number}" for number in rng.integers(30, size=6)] for _ in range(n)]


def test_a_planted_word_is_first():
    rng = np.random.default_rng(0)
    first, second = draw(rng, 80), draw(rng, 120)
    for text in second[:50]:
        text.append("salt")
    made = contrast_words(first, second)
    assert made[0].word == "salt" and made[0].p_value < 1e-6
    assert made[0].first == 0 and made[0].second == pytest.approx(50 / 120)
    assert made[0].log_odds == pytest.approx(np.log(50.5 / 70.5) - np.log(0.5 / 80.5))


def test_null_sets_have_no_word():
    rng = np.random.default_rng(1)
    made = [contrast_words(draw(rng, 40), draw(rng, 40)) for _ in range(40)]
    assert sum(words[0].p_value > 0.05 for words in made) >= 36


def test_no_words_are_no_contrast():
    assert contrast_words([["a"]], [["b"]]) == []
