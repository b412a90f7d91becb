import pandas as pd
import pytest

from embspace.measure.learned.vocabulary_id_ranges import (
    COLUMNS,
    KINDS,
    blocks_of_ids,
    range_rows,
    runs_of_ids,
)

SHORT = {"s": "special", "u": "unused", "w": "word", "p": "subword", "c": "ascii_character"}


def runs(letters: str, shortest_run: int) -> list[tuple[str, int, int]]:
    return runs_of_ids([SHORT[letter] for letter in letters], shortest_run)


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("sccccc", [("special", 0, 0), ("ascii_character", 1, 5)]),
        ("suusu", [("special", 0, 0), ("unused", 1, 2), ("special", 3, 3), ("unused", 4, 4)]),
        ("wwpwp", [("mixed", 0, 4)]),
        ("wwwpwwww", [("word", 0, 2), ("subword", 3, 3), ("word", 4, 7)]),
        ("wwwpwppp", [("word", 0, 2), ("mixed", 3, 4), ("subword", 5, 7)]),
        ("wpswp", [("mixed", 0, 1), ("special", 2, 2), ("mixed", 3, 4)]),
        ("ww", [("word", 0, 1)]),
        ("", []),
    ],
)
def test_short_runs_side_by_side_are_one(letters: str, expected: list[tuple[str, int, int]]):
    assert runs(letters, 3) == expected


@pytest.mark.parametrize("shortest_run", [1, 2, 5, 100])
def test_runs_cover_every_id_once(shortest_run: int):
    ranges = runs("ssuwwpwcccccwpsuuwwwwwwp", shortest_run)
    places = [place for _, first, last in ranges for place in range(first, last + 1)]
    assert places == list(range(24))


def test_runs_of_one_are_kept_if_none_is_short():
    assert len(runs("wpwpw", 1)) == 5


def test_blocks_end_with_a_shorter_one():
    assert blocks_of_ids(5, 2) == [("block", 0, 1), ("block", 2, 3), ("block", 4, 4)]
    assert blocks_of_ids(0, 2) == []


def test_a_range_says_what_is_in_it():
    tokens = pd.DataFrame(
        {
            "id": [0, 1, 2, 3],
            "token": ["[CLS]", "the", "##ing", "cats"],
            "kind": ["special", "word", "subword", "word"],
            "n_characters": [float("nan"), 3, 3, 4],
        }
    )
    table = range_rows(tokens, [("special", 0, 0), ("mixed", 1, 3)])
    assert list(table) == COLUMNS
    assert table[["first_token", "last_token", "n"]].to_numpy().tolist() == [
        ["[CLS]", "[CLS]", 1],
        ["the", "cats", 3],
    ]
    assert table["mean_n_characters"][1] == pytest.approx(10 / 3)
    assert table["mean_n_characters_of_words"][1] == 3.5
    assert table["mean_n_characters"].isna()[0]
    assert (table[[f"n_{kind}" for kind in KINDS]].sum(axis=1) == table["n"]).all()
    assert (table["n_word"].tolist(), table["n_subword"].tolist()) == ([0, 2], [0, 1])
