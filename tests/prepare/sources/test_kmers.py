import pytest

from embspace.prepare.sources.kmers import kmers


@pytest.mark.parametrize(("n_bases", "n_kmers"), [(3822, 425), (669, 74), (1, 1), (12, 1), (13, 2)])
def test_the_number_of_windows_of_twelve_at_every_ninth(n_bases: int, n_kmers: int):
    words = kmers("a" * n_bases, k=12, stride=9).split(" ")
    assert len(words) == n_kmers
    assert {len(word) for word in words} == {12}


def test_neighbors_share_what_overlaps_and_together_they_are_the_sequence():
    sequence = "acgtgcatttgacagtcagtagcatcgatc"
    words = kmers(sequence, k=12, stride=9).split(" ")
    assert all(left[9:] == right[:3] for left, right in zip(words, words[1:], strict=False))
    assert words[0] + "".join(word[3:] for word in words[1:]) == sequence


def test_the_end_is_filled_up_with_unknown_bases():
    assert kmers("acgta", k=4, stride=4) == "acgt annn"
    assert kmers("acgt", k=4, stride=4) == "acgt"


def test_what_no_whole_window_reaches_is_left_out():
    assert kmers("a" * 12 + "c" * 12, k=12, stride=9) == "a" * 12 + " " + "aaa" + "c" * 9
