import unicodedata
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embspace.prepare.copies import copies_of, jaccard, joined, plain_text, runs_of

WORDS = [f"word{number}" for number in range(4000)]


def text_of(numbers: np.ndarray) -> str:
    return " ".join(WORDS[number] for number in numbers)


def by_all_pairs(texts: list[str], similarity: float) -> list[int]:
    """The same by comparing each with each."""
    plain = [plain_text(text) for text in texts]
    runs, first = [runs_of(text) for text in plain], list(range(len(texts)))
    for i in range(len(texts)):
        for j in range(i):
            if plain[i] == plain[j] or jaccard(runs[i], runs[j]) >= similarity:
                low, high = sorted((first[i], first[j]))
                first = [low if group == high else group for group in first]
    return first


@pytest.mark.parametrize(
    "copy",
    [
        "Caf\u00e9 in Gro\u00dfstadt",
        "  caf\u00e9\tin\n gro\u00dfstadt ",
        "CAF\u00c9 IN GROSSSTADT",
        unicodedata.normalize("NFD", "Caf\u00e9 in Gro\u00dfstadt"),
        "Caf\u00e9\u00a0in\u3000Gro\u00dfstadt",
    ],
)
def test_equal_after_nfc_case_folding_and_space(copy: str):
    texts = ["Caf\u00e9 in Gro\u00dfstadt", "another", copy]
    assert copies_of(texts, None).tolist() == copies_of(texts, 0.9).tolist() == [0, 1, 0]


def test_the_bound_is_the_jaccard_index_of_runs_of_five_words():
    """Of 100 words the last is another: 95 runs of 97 are common."""
    numbers = np.arange(100)
    other = np.append(numbers[:-1], 200)
    texts = [text_of(numbers), text_of(other)]
    assert jaccard(*map(runs_of, texts)) == pytest.approx(95 / 97)
    assert copies_of(texts, 95 / 97).tolist() == [0, 0]
    assert copies_of(texts, 0.98).tolist() == [0, 1]
    assert copies_of(texts, None).tolist() == [0, 1]


def test_short_texts_are_copies_only_where_they_are_equal():
    assert copies_of(["Nice", "Nice!", "nice", "so nice"], 0.1).tolist() == [0, 1, 0, 3]


def test_texts_without_spaces_are_compared_by_their_letters():
    text = "".join(chr(0x4E00 + number) for number in range(200))
    assert copies_of([text, text[1:], text[100:]], 0.9).tolist() == [0, 0, 2]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.3, 0.5, 0.8, 0.9, 1.0]))
def test_the_search_finds_what_all_pairs_find(seed: int, similarity: float):
    rng = np.random.default_rng(seed)
    bases = [rng.integers(60, size=rng.integers(5, 40)) for _ in range(6)]
    texts = []
    for _ in range(30):
        numbers = bases[rng.integers(6)].copy()
        changed = rng.integers(len(numbers), size=rng.integers(3))
        numbers[changed] = rng.integers(60, size=len(changed))
        texts.append(text_of(numbers))
    assert copies_of(texts, similarity).tolist() == by_all_pairs(texts, similarity)


def test_thousands_of_texts_and_of_near_copies_take_seconds():
    rng = np.random.default_rng(0)
    different = [text_of(rng.integers(4000, size=60)) for _ in range(4000)]
    base = rng.integers(4000, size=60)
    near = [text_of(np.append(base, number)) for number in range(1000)]
    start = process_time()
    first = copies_of([*different, *near], 0.9)
    assert process_time() - start < 4
    assert (first[:4000] == np.arange(4000)).all()
    assert (first[4000:] == 4000).all()


def test_units_with_copies_of_one_text_are_one():
    names = ["x", "y", "y", "z", "z", "w"]
    assert joined(names, np.array([0, 1, 2, 3, 4, 5])) == names
    assert joined(names, np.array([0, 1, 0, 3, 4, 5])) == ["x", "x", "x", "z", "z", "w"]
    assert joined(names, np.array([0, 1, 2, 2, 4, 4])) == ["x", "y", "y", "y", "y", "y"]
