from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.measure.open_questions.words.professions import (
    PROFESSIONS,
    Held,
    Placed,
    along_direction,
    enough_draws,
    load_professions,
    placed_professions,
    profession_rows,
    words_of_vocabulary,
)
from tests.analyses import ROOT
from tests.compare.stitched import tokenizer
from tests.measure.attention.reading import cached_reader

N, DIM = 36, 40
VALUES = np.repeat([-1.0, 0.0, 1.0], N // 3)
N_OTHERS = 30
OTHERS = np.arange(12 + N, 12 + N + N_OTHERS)
PLACED = Placed(np.arange(12, 12 + N), VALUES, np.arange(6), np.arange(6, 12), OTHERS)
HOW = Held(n_deals=199, n_directions=99, n_resamples=40, level=0.95)


def vectors(strength: float, seed: int) -> dict[str, dict[str, np.ndarray]]:
    """Return vectors in which professions lean by their value, and random weights without."""
    made = {}
    rng = np.random.default_rng(seed)
    for name, own in (("trained", strength), ("random", 0.0)):
        x = rng.normal(size=(1, 12 + N + N_OTHERS, DIM))
        x[:, :6, 0] -= 6
        x[:, 6:12, 0] += 6
        x[:, 12 : 12 + N, 0] += own * VALUES
        made[name] = {"state": x}
    return made


def rows(strength: float, seed: int = 0) -> pd.DataFrame:
    made = vectors(strength, seed)
    return pd.DataFrame(profession_rows(made, PLACED, HOW, np.random.default_rng(seed)))


def test_planted_professions_follow_the_direction():
    (row,) = rows(3.0).to_dict("records")
    assert row["n"] == N
    assert row["explained"] > 0.5 > row["null_explained_high"]
    assert row["p_value"] == pytest.approx(1 / 200)
    assert row["correlation_low"] < row["correlation"] < row["correlation_high"]
    assert row["random_weights_p_value"] > 0.05


def test_another_direction_explains_planted_professions_less():
    (row,) = rows(3.0).to_dict("records")
    assert row["directions_p_value"] == pytest.approx(1 / 100)
    assert row["directions_explained_high"] < row["explained"]


def test_where_any_direction_explains_the_professions_this_one_is_nothing_special():
    """Values lie along the axis in which all words differ: dealt values are no null of this."""
    n_dealt = n_both = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(1, 12 + N + N_OTHERS, DIM))
        x[:, :, 0] *= 4
        x[:, 12 : 12 + N, 0] += 6 * VALUES
        made = {"trained": {"state": x}, "random": {"state": rng.normal(size=x.shape)}}
        (row,) = profession_rows(made, PLACED, HOW, rng)
        n_dealt += row["p_value"] < 0.05
        n_both += max(row["p_value"], row["directions_p_value"]) < 0.05
    assert n_dealt > 20 and n_both <= 6  # 2 are expected


def test_words_of_the_vocabulary_are_letters_alone_and_no_parts_of_words():
    words = words_of_vocabulary(tokenizer(), 50, np.random.default_rng(0))
    assert words == []  # its words are w0, w1, ...
    own = cached_reader().tokenizer
    words = words_of_vocabulary(own, 10, np.random.default_rng(0))
    assert len({*words}) == len(words) == 10
    assert all(own.tokenize(word) == [word] for word in words)
    again = words_of_vocabulary(own, 10, np.random.default_rng(0))
    assert again == words != words_of_vocabulary(own, 10, np.random.default_rng(1))


def test_draws_suffice_for_the_smallest_p_value():
    assert enough_draws(299, 8, 0.05) == 299
    for n_layers in (50, 64, 97):
        assert 1 / (1 + enough_draws(299, n_layers, 0.05)) < 0.05 / n_layers


def test_professions_without_a_lean_follow_seldom():
    p_values = pd.concat([rows(0.0, seed) for seed in range(60)])["p_value"]
    assert (p_values < 0.05).sum() <= 7  # 3 are expected


def test_the_place_is_the_cosine_with_the_direction():
    x = np.zeros((12 + N, 2))
    x[:6] = [-2, 0]
    x[6:12] = [3, 0]
    x[12:] = [0.0, 1.0]
    x[12] = [5, 0]
    assert along_direction(x, PLACED)[:2] == pytest.approx([1, 0])


def test_a_word_of_the_direction_is_no_profession():
    words = ["king", "queen", "rose", "said", "oak"]
    sets = pd.DataFrame({"set": ["male", "female", "plant"], "word": words[:3]})
    names = [f"job{number}" for number in range(12)]
    table = pd.DataFrame({"profession": ["king", *names], "value": 1.0})
    known = [*words, *names]
    placed = placed_professions(table, sets, known, ["male", "female"])
    assert placed is not None
    assert len(placed.rows) == 12
    assert placed.others.tolist() == [3, 4]
    few = placed_professions(table, sets, [*words[:4], *names], ["male", "female"])
    assert few is None
    assert placed_professions(table, sets, ["king", "queen"], ["male", "female"]) is None
    assert placed_professions(table, sets, names, ["male", "female"]) is None


def test_the_projects_own_list_has_values_of_three_kinds():
    table = load_professions(str(ROOT / PROFESSIONS))
    assert (table["value"].value_counts() > 15).sum() == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("word,value\nnurse,1\n", "expected the columns profession, value"),
        ("profession,value\nnurse,much\n", "allowed: a number"),
        ("profession,value\nnurse,1\nnurse,0\n", "stands twice"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, text: str, message: str):
    (tmp_path / "own.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        load_professions(str(tmp_path / "own.csv"))
