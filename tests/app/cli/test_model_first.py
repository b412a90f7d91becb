import pytest

from embspace.app.cli.model_first import model_first
from embspace.errors import InputError


def test_the_model_is_the_first_word(capsys: pytest.CaptureFixture[str]):
    assert model_first("cosine", ["m", "a", "b"], None, ["TEXT", "TEXT"]) == ("m", ["a", "b"])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("option", "model"), [(None, "minilm"), ("other", "other")])
def test_the_older_order_works_with_a_line_that_says_what_to_write(
    capsys: pytest.CaptureFixture[str], option: str | None, model: str
):
    assert model_first("search", ["a boat's sail"], option, ["QUERY"]) == (model, ["a boat's sail"])
    said = capsys.readouterr().err
    assert said == f"the model comes first: embspace search {model} 'a boat'\"'\"'s sail'\n"


@pytest.mark.parametrize(
    ("words", "option"), [([], None), (["m", "a", "b"], None), (["m", "a"], "other")]
)
def test_other_numbers_of_words_are_refused(words: list[str], option: str | None):
    with pytest.raises(InputError, match="track: found .*, allowed: MODEL TEXT"):
        model_first("track", words, option, ["TEXT"])
