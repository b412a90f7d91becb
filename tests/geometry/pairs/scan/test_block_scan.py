"""Holds the counts of blocks to more pairs than 32 bits can count."""

from embspace.geometry.pairs.scan._block_scan import MOST_COUNTS, Counts


def test_counts_go_on_where_32_bits_end() -> None:
    counts = Counts(n_metrics=1, n_bins=2)
    counts.room_for(MOST_COUNTS)[0, 1] += MOST_COUNTS
    for _ in range(3):
        counts.room_for(1)[0, 1] += 1
    assert counts.total().tolist() == [[0, MOST_COUNTS + 3]]
