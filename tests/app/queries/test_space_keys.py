from typing import Any

import pytest

from embspace.app.queries.space_keys import keys_of, place_of

LAYERS = {"token": 3, "mean": 3}
NORMED = {**LAYERS, "final_norm_token": 1}


@pytest.mark.parametrize(
    ("key", "place"),
    [
        (("layer", 2), ("", 2, "token")),
        (("layer", -1, "mean"), ("", -1, "mean")),
        (("layer", 0, "word"), ("", 0, "word")),
        ("first_last", ("", 0, "first_last")),
        (("layer", 3), None),
        (("layer", -4), None),
        (("layer", 1, "median"), None),
        (("layer", True), None),
        ("sentence", None),
        ("final_norm", None),
        (["layer", 1], None),
        (1.5, None),
    ],
)
def test_a_key_has_its_place_or_none(key: Any, place: tuple[str, int, str] | None):
    assert place_of(key, LAYERS) == place


def test_a_norm_at_the_end_and_vectors_of_sentences_have_keys_where_they_are():
    assert place_of("final_norm", NORMED) == ("final_norm_", 0, "token")
    assert place_of(("final_norm", "mean"), NORMED) == ("final_norm_", 0, "mean")
    assert place_of(("final_norm", "word"), NORMED) is None
    assert place_of("sentence", {**LAYERS, "sentence": 1}) == ("", 0, "sentence")
    assert place_of("first_last", {"token": 1}) is None  # layer 0 alone


def test_keys_are_listed_with_their_ranges():
    keys = keys_of(["segment", "other", "input"], {**NORMED, "sentence": 1})
    assert keys[:4] == ["'input'", "'segment'", "'other'", "('layer', 0 to 2)"]
    assert keys[-2:] == ["'first_last'", "'sentence'"] and "'final_norm'" in keys
