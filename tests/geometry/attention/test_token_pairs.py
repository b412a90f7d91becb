import numpy as np
import pytest

from embspace.geometry.attention.token_pairs import pair_mass
from tests.geometry.attention.heads import previous, random_heads, uniform

QUERIES, KEYS = np.array([3, 8, 12]), np.array([2, 6, 11])
ORDINARY = np.ones(24, bool)


def test_a_head_of_articles_has_mass_there_and_none_elsewhere():
    head = np.eye(24)
    head[QUERIES] = 0
    head[QUERIES, KEYS] = 1
    masses = pair_mass(head, QUERIES, KEYS, ORDINARY)
    assert masses.mass == 1
    assert masses.elsewhere == 0


def test_a_head_of_the_previous_token_has_as_much_elsewhere():
    masses = pair_mass(previous(), QUERIES, KEYS, ORDINARY)
    assert masses.mass == masses.elsewhere == pytest.approx(2 / 3)


def test_uniform_and_random_attention_knows_no_articles():
    masses = pair_mass(
        np.concatenate([uniform()[None], random_heads(300)]), QUERIES, KEYS, ORDINARY
    )
    assert masses.mass[0] == pytest.approx(masses.elsewhere[0])
    assert (masses.mass - masses.elsewhere)[1:].mean() == pytest.approx(0, abs=0.005)


def test_special_tokens_are_not_elsewhere():
    head = previous()
    head[1] = head[2] = 0
    ordinary = ORDINARY.copy()
    ordinary[0] = False
    with_special = pair_mass(head, QUERIES[:1], KEYS[:1], ORDINARY).elsewhere
    without = pair_mass(head, QUERIES[:1], KEYS[:1], ordinary).elsewhere
    assert without > with_special


def test_without_a_pair_nothing_is_defined_and_elsewhere_may_be_nowhere():
    nothing = np.zeros(0, int)
    assert np.isnan(pair_mass(previous(), nothing, nothing, ORDINARY).mass)
    all_queries = np.arange(1, 24)
    assert np.isnan(pair_mass(previous(), all_queries, all_queries - 1, ORDINARY).elsewhere)


def test_elsewhere_reaches_both_ends_of_the_text():
    maps = np.array([[0.5, 0.3, 0.2], [0.7, 0.2, 0.1], [0.1, 0.5, 0.4]])
    back = pair_mass(maps, np.array([2]), np.array([1]), np.ones(3, bool))
    assert (back.mass, back.elsewhere) == pytest.approx((0.5, 0.7))
    forward = pair_mass(maps, np.array([0]), np.array([1]), np.ones(3, bool))
    assert (forward.mass, forward.elsewhere) == pytest.approx((0.3, 0.1))
