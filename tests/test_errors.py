import pytest

from embspace.errors import InputError, counted, did_you_mean, not_among, within


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
    ("found", "message"),
    [
        ("artcles", "found 'artcles', allowed: articles, posts; did you mean 'articles'?"),
        ("xyz", "found 'xyz', allowed: articles, posts"),
        (None, "found None, allowed: articles, posts"),
        (["posts"], "found ['posts'], allowed: articles, posts; did you mean 'posts'?"),
    ],
)
def test_what_is_not_among_the_allowed_is_told_with_the_likeliest(found: object, message: str):
    assert not_among(found, ["articles", "posts"]) == message


def test_where_nothing_is_alike_nothing_is_proposed():
    assert did_you_mean("n_pairs", []) == ""


@pytest.mark.parametrize(("n", "text"), [(0, "0 files"), (1, "1 file"), (3211, "3,211 files")])
def test_counted_things_are_in_their_number(n: int, text: str):
    assert counted(n, "file") == text
