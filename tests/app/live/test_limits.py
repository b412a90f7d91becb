"""Bounds of length and rate."""

import pytest

from embspace.app.live.limits import MOST_CHARACTERS, RateLimit, check_length
from embspace.errors import InputError


def test_a_text_of_a_megabyte_is_refused_by_its_length():
    assert check_length("a" * MOST_CHARACTERS, "text") == "a" * MOST_CHARACTERS
    with pytest.raises(InputError, match="text: found 1,000,000 characters, allowed: 2,000"):
        check_length("a" * 1_000_000, "text")


def test_a_visitor_waits_until_the_seconds_are_over_and_others_do_not():
    now = 0.0
    limit = RateLimit(2, 10, lambda: now)
    limit.take("a")
    now = 4
    limit.take("a")
    with pytest.raises(InputError, match="more than 2 requests in 10 seconds; wait 6 seconds"):
        limit.take("a")
    limit.take("b")
    now = 10
    limit.take("a")


def test_visitors_are_forgotten(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("embspace.app.live.limits.MOST_VISITORS", 3)
    limit = RateLimit(1, 10)
    for visitor in "abcd":
        limit.take(visitor)
    assert len(limit._times) == 3
