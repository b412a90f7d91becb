from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.measure.open_questions.word_sets import (
    SETS,
    check_frames,
    check_tests,
    load_word_sets,
)
from embspace.settings.schema import read_yaml
from tests.analyses import ROOT


def test_our_sets_are_of_eight_words_or_more_and_serve_our_tests():
    sets = load_word_sets(str(ROOT / SETS))
    assert sets.groupby("set").size().min() >= 8
    conf = read_yaml(ROOT / "conf/measure/open_questions/associations.yaml")
    check_tests(conf["tests"], sets)
    check_frames(conf["frames"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("set,term\nold,a\n", "expected the columns set, word"),
        ("set,word\nold,a\nold,a\n", "line 3: 'a' stands twice in 'old'"),
        ("set,word\nold,\n", "line 2: word is empty"),
    ],
)
def test_a_wrong_file_is_refused_by_its_line(text: str, message: str, tmp_path: Path):
    file = tmp_path / "sets.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_word_sets(str(file))


def test_tests_have_four_known_sets_and_frames_one_word():
    sets = load_word_sets(str(ROOT / SETS))
    with pytest.raises(InputError, match="'tests.one'.*two target sets"):
        check_tests({"one": ["male", "female"]}, sets)
    with pytest.raises(InputError, match="'tests.one': 'robots', allowed: flowers"):
        check_tests({"one": ["male", "female", "arts", "robots"]}, sets)
    with pytest.raises(InputError, match="'frames'.*one {word}"):
        check_frames(["a {word} and a {word}"])
