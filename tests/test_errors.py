import pytest

from embspace.errors import (
    InputError,
    counted,
    did_you_mean,
    not_among,
    one_line,
    reason_of,
    shortened,
    visible,
    within,
)


def test_the_place_of_an_error_stands_before_it():
    with (
        pytest.raises(InputError, match=r"^x\.yaml: key 'path': x\.csv: not found$"),
        within("x.yaml"),
        within("key 'path'"),
    ):
        raise InputError("x.csv: not found")


def test_other_errors_stay_as_they_are():
    with pytest.raises(ValueError, match="^no$"), within("x.yaml"):
        raise ValueError("no")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("artcles", "found 'artcles'; did you mean 'articles'? allowed: articles, posts"),
        ("xyz", "found 'xyz', allowed: articles, posts"),
        (None, "found None, allowed: articles, posts"),
        (["posts"], "found ['posts']; did you mean 'posts'? allowed: articles, posts"),
    ],
)
def test_what_is_not_among_the_allowed_is_told_with_the_likeliest(name: object, message: str):
    assert not_among(name, ["articles", "posts"]) == message


def test_names_too_many_for_a_message_are_left_to_a_command():
    assert not_among("x", ["posts"], "embspace models") == "found 'x'; `embspace models` lists all"
    assert not_among("post", ["posts"], "embspace models") == (
        "found 'post'; did you mean 'posts'? `embspace models` lists all"
    )


def test_where_nothing_is_alike_nothing_is_proposed():
    assert did_you_mean("n_pairs", []) == ""


@pytest.mark.parametrize(("n", "text"), [(0, "0 files"), (1, "1 file"), (3211, "3,211 files")])
def test_counted_things_are_in_their_number(n: int, text: str):
    assert counted(n, "file") == text


def test_what_would_steer_a_terminal_is_shown():
    text = "a\x1b]0;title\x07\x1b[31m\r\x9b2J\tb\nä…"
    assert visible(text) == "a\\x1b]0;title\\x07\\x1b[31m\\r\\x9b2J\tb\nä…"


def test_a_line_stays_one():
    assert one_line("a\r\n\x1b[31m\tb\u2028c  d") == "a [31m b c  d"
    assert one_line("ä…") == "ä…"


def test_an_error_of_others_is_told_in_one_line():
    assert reason_of(ValueError("no\n  such\tthing ")) == "no such thing"
    assert reason_of(TimeoutError()) == "TimeoutError"


def test_what_was_found_is_cut():
    assert shortened(["a", 1]) == "['a', 1]"
    assert len(shortened("x" * 9999)) == 200
    nested: object = "x"
    for _ in range(99):
        nested = [nested] * 9
    assert len(shortened(nested)) < 1000
