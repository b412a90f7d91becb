import pytest

from embspace.scripts.script_of import SCRIPTS, script_of


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("tide", "Latin"),
        ("déjà", "Latin"),
        ("прилив", "Cyrillic"),
        ("\u0906\u0927\u0941\u0928\u093f\u0915", "Devanagari"),
        ("潮", "Han"),
        ("しお", "Hiragana"),
        ("мир and tide", "Latin"),
        ("1999 !?", "none"),
        ("", "none"),
        ("\u13f0\u2d30\u2d31", "other"),
    ],
)
def test_most_letters_decide(text: str, script: str):
    assert script_of(text) == script


def test_scripts_stand_once():
    assert len(set(SCRIPTS)) == len(SCRIPTS)
