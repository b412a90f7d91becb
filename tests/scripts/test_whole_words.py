import pandas as pd

from embspace.scripts.whole_words import whole_words


def test_only_whole_words_are_words():
    texts = ["The river's re-run, of don't 7 x"]
    pieces = ["The", " river", "'s", "re", "run", ",", "of", "don", "7", "x"]
    rows, start = [(0, True, 0, 0)], 0
    for piece in pieces:
        at = texts[0].index(piece, start)
        rows.append((0, False, at, at + len(piece)))
        start = at + len(piece)
    tokens = pd.DataFrame(rows, columns=["window", "special", "start", "end"])
    # A byte-level tokenizer's space belongs to the token.
    assert whole_words(tokens, texts) == ["", "the", "", "", "", "", "", "of", "", "", "x"]
    assert whole_words(tokens.iloc[[2]].assign(end=9), texts) == [""]


def test_a_leading_space_is_no_part_of_the_word():
    tokens = pd.DataFrame([(0, False, 3, 9)], columns=["window", "special", "start", "end"])
    assert whole_words(tokens, ["The river ran"]) == ["river"]


def test_a_token_after_the_first_letter_of_a_text_is_part_of_a_word():
    tokens = pd.DataFrame([(0, False, 1, 6)], columns=["window", "special", "start", "end"])
    assert whole_words(tokens, ["triver ran"]) == [""]


def test_words_with_marks_are_whole():
    text = "नमस्ते हिन्दी, नमस"
    tokens = pd.DataFrame(
        [(0, False, 0, 6), (0, False, 7, 13), (0, False, 7, 9), (0, False, 15, 17)],
        columns=["window", "special", "start", "end"],
    )
    assert whole_words(tokens, [text]) == ["नमस्ते", "हिन्दी", "", ""]


def test_bytes_of_a_letter_are_no_words_and_a_long_vowel_belongs_to_its_letter():
    places = [(0, False, 0, 1), (0, False, 0, 1), (0, False, 1, 2), (0, False, 2, 4)]
    places.append((0, False, 2, 3))
    tokens = pd.DataFrame(places, columns=["window", "special", "start", "end"])
    assert whole_words(tokens, ["大河カー"], with_unspaced=True)[:3] == ["", "", "河"]
    assert whole_words(tokens.iloc[[3]], ["大河カー"], with_unspaced=True) == ["カー"]
    assert whole_words(tokens.iloc[[4]], ["大河カー"], with_unspaced=True) == [""]


def test_a_token_of_a_script_without_spaces_is_a_word_where_it_is_asked_for():
    text = "大河 re川กั"
    places = [(0, False, 0, 1), (0, False, 1, 2), (0, False, 3, 5), (0, False, 5, 6)]
    places.append((0, False, 6, 7))  # without its mark
    tokens = pd.DataFrame(places, columns=["window", "special", "start", "end"])
    assert whole_words(tokens, [text]) == [""] * 5
    assert whole_words(tokens, [text], with_unspaced=True) == ["大", "河", "", "川", ""]
