import numpy as np
import pandas as pd
import pytest

from embspace.compare.aligned_words import one_of_each, tokens_of_words, words_of

TEXTS = pd.DataFrame({"id": ["a", "b"], "text": ["The cat's mat.", " A well-known sea"]})
WINDOWS = pd.DataFrame({"text": ["a", "b", "b"]})


def tokens(*rows: tuple[int, int, int, bool]) -> pd.DataFrame:
    """Window, start, end and whether the token is in the window before; [CLS] first."""
    table = pd.DataFrame([(0, 0, 0, False), *rows], columns=["window", "start", "end", "repeated"])
    return table.assign(special=table.index == 0)


# The, cat, 's, mat, ., A, well, -known, then a window that begins again with it, and " sea".
PIECES = tokens(
    (0, 0, 3, False),
    (0, 4, 7, False),
    (0, 7, 9, False),
    (0, 10, 13, False),
    (0, 13, 14, False),
    (1, 1, 2, False),
    (1, 3, 7, False),
    (1, 7, 13, False),
    (2, 7, 13, True),
    (2, 13, 17, False),
)


def spelled() -> list[str]:
    words = words_of(TEXTS)
    whole = "".join(TEXTS["text"])
    return [whole[a:b] for a, b in zip(words.start, words.end, strict=True)]


def test_a_word_goes_on_over_apostrophes_and_hyphens():
    assert spelled() == ["The", "cat's", "mat", "A", "well-known", "sea"]
    assert list(words_of(TEXTS).text) == [0, 0, 0, 1, 1, 1]


def test_characters_know_their_word():
    words = words_of(TEXTS)
    for number, (start, end) in enumerate(zip(words.start, words.end, strict=True)):
        assert (words.word_at[start:end] == number).all()
    assert (words.word_at >= 0).sum() == (words.end - words.start).sum()


def test_tokens_belong_to_the_word_that_holds_them():
    word_tokens = tokens_of_words(words_of(TEXTS), PIECES, WINDOWS)
    assert word_tokens.is_whole.all()
    assert list(word_tokens.word) == [0, 1, 1, 2, 3, 4, 4, 5]
    # The repeated one is left out, and the token that begins with a space is there.
    assert list(word_tokens.token) == [1, 2, 3, 4, 6, 7, 8, 10]


def test_a_word_that_a_token_crosses_is_not_whole():
    crossing = tokens((0, 0, 3, False), (0, 4, 14, False), (1, 1, 7, False), (1, 7, 13, False))
    word_tokens = tokens_of_words(words_of(TEXTS), crossing, WINDOWS)
    # One token has "cat's mat." and another "A well"; none has "sea".
    assert list(word_tokens.is_whole) == [True, False, False, False, False, False]


def test_a_mark_beside_a_word_breaks_it_and_by_itself_does_not():
    word_tokens = tokens_of_words(words_of(TEXTS), tokens((0, 10, 14, False)), WINDOWS)
    assert not word_tokens.is_whole[2]
    apart = tokens((0, 10, 13, False), (0, 13, 14, False))
    assert tokens_of_words(words_of(TEXTS), apart, WINDOWS).is_whole[2]


def test_the_state_of_a_word_is_the_mean_of_its_tokens():
    word_tokens = tokens_of_words(words_of(TEXTS), PIECES, WINDOWS)
    states = np.multiply.outer([1, -1], np.arange(11.0))[:, :, np.newaxis]
    means = word_tokens.means(states, np.array([1, 3, 4, 5]))
    assert means[0, :, 0] == pytest.approx([2.5, 6, 7.5, 10])
    assert means[1, :, 0] == pytest.approx([-2.5, -6, -7.5, -10])


def test_a_word_that_tokens_cover_in_part_is_not_whole():
    # The, cat without 's, m and t of mat, well-known without its end.
    part = tokens(
        (0, 0, 3, False), (0, 4, 7, False), (0, 10, 11, False), (0, 12, 13, False), (1, 3, 9, False)
    )
    word_tokens = tokens_of_words(words_of(TEXTS), part, WINDOWS)
    assert list(word_tokens.is_whole) == [True, False, False, False, False, False]


def test_tokens_of_the_same_characters_cover_them_once():
    twice = tokens((0, 0, 2, False), (0, 0, 2, False), (0, 4, 9, False), (0, 4, 9, False))
    word_tokens = tokens_of_words(words_of(TEXTS), twice, WINDOWS)
    assert list(word_tokens.is_whole[:2]) == [False, True]


def test_one_point_of_each_document():
    document = np.repeat(np.arange(5), [1, 2, 3, 4, 10])
    usable = np.ones(20, dtype=bool)
    for largest_n, expected in ((100, 5), (5, 5), (3, 3)):
        rng = np.random.default_rng(0)
        chosen = one_of_each(document, usable, largest_n=largest_n, generator=rng)
        assert len(chosen) == len(set(document[chosen])) == expected
        assert (np.diff(chosen) > 0).all()


def test_every_usable_point_of_a_document_and_every_document_is_as_likely():
    document = np.repeat([0, 1, 2], [2, 4, 1])
    usable = np.array([True, True, True, True, True, False, True])
    counts = np.zeros(7)
    rng = np.random.default_rng(0)
    for _ in range(3000):
        counts[one_of_each(document, usable, largest_n=2, generator=rng)] += 1
    expected = [1 / 3, 1 / 3, 2 / 9, 2 / 9, 2 / 9, 0, 2 / 3]
    assert counts / 3000 == pytest.approx(expected, abs=0.03)


def test_no_usable_point_is_none():
    none = np.zeros(6, dtype=bool)
    rng = np.random.default_rng(0)
    assert len(one_of_each(np.arange(6), none, largest_n=10, generator=rng)) == 0


def test_texts_without_words():
    words = words_of(pd.DataFrame({"id": ["a"], "text": ["... "]}))
    word_tokens = tokens_of_words(words, tokens((0, 0, 3, False)), pd.DataFrame({"text": ["a"]}))
    assert len(word_tokens.is_whole) == len(word_tokens.token) == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("आधुनिक मानक हिन्दी", ["आधुनिक", "मानक", "हिन्दी"]),
        ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
        ("كَتَبَ الدَّرْسَ", ["كَتَبَ", "الدَّرْسَ"]),
        ("cafe\u0301-bar", ["cafe\u0301-bar"]),
        ("日本語の文 and words", ["and", "words"]),  # a clause is no word
        ("ภาษาไทย", []),
    ],
)
def test_letters_with_marks_are_of_a_word(text: str, words: list[str]):
    spans = words_of(pd.DataFrame({"id": ["a"], "text": [text]}))
    assert [text[a:b] for a, b in zip(spans.start, spans.end, strict=True)] == words
