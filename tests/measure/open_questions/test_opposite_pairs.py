from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.measure.open_questions.opposite_pairs import PAIRS, load_opposites

HEAD = "part_of_speech,relation,word,other_word\n"


def test_our_list_is_read_and_has_enough_pairs_of_every_kind(root: Path):
    table = load_opposites(str(root / PAIRS))
    assert table.groupby(["part_of_speech", "relation"]).size().min() >= 120


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("word,other\nhot,cold\n", "expected the columns part_of_speech, relation"),
        (f"{HEAD}adverb,antonym,fast,slowly\n", "line 2: part_of_speech 'adverb', allowed: adj"),
        (f"{HEAD}noun,opposite,cat,dog\n", "line 2: relation 'opposite', allowed: antonym, syn"),
        (f"{HEAD}noun,antonym,cat,\n", "line 2: a word is empty"),
        (f"{HEAD}noun,antonym,cat,dog\nnoun,antonym,dog,sun\n", "line 3: the noun 'dog' stands tw"),
        (f"{HEAD}noun,antonym,cat,cat\n", "line 2: the noun 'cat' stands twice"),
    ],
)
def test_a_wrong_list_is_refused_with_its_line(tmp_path: Path, lines: str, message: str):
    file = tmp_path / "opposites.csv"
    file.write_text(lines, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_opposites(str(file))
