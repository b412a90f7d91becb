import pandas as pd
import pytest

from embspace.prepare.sentences import split_halves, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ('He said "Go." Then he went.', ['He said "Go."', "Then he went."]),
        ("It cost 3.50. Dr. Who and J. Watt paid.", ["It cost 3.50.", "Dr. Who and J. Watt paid."]),
        ("No mark at the end\n\nA new paragraph", ["No mark at the end", "A new paragraph"]),
        ("salt, e.g. sea salt. 12 sacks", ["salt, e.g. sea salt.", "12 sacks"]),
        ("wait... what", ["wait... what"]),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]):
    assert split_sentences(text) == sentences


def test_nothing_but_space_is_lost():
    text = 'A first. "A second?" she said; a third, No. 7!\n\nB (see Fig. 2). End'
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


def halves(*texts: str) -> pd.DataFrame:
    names = [f"d{number}" for number in range(len(texts))]
    return split_halves(pd.DataFrame({"id": names, "document": names, "text": texts}))


def test_halves_are_whole_sentences_of_about_like_length():
    table = halves("A long first sentence it is. Two. Three. Four. A long fifth sentence it is.")
    assert table["text"].tolist() == [
        "A long first sentence it is. Two. Three.",
        "Four. A long fifth sentence it is.",
    ]
    assert table["half"].tolist() == [1, 2]
    assert table["id"].tolist() == ["d0.half1", "d0.half2"]


def test_a_text_of_three_sentences_has_no_halves():
    table = halves("One. Two. Three.", "One. Two. Three. Four.")
    assert set(table["document"]) == {"d1"}
    assert list(halves("One.")) == ["id", "document", "half", "text"]
