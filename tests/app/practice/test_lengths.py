import numpy as np

from embspace.app.practice.lengths import lengths_table, told_of_lengths
from embspace.app.practice.reading import read_corpus


def test_few_texts_or_of_one_length_have_no_thirds():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 8))
    cloud = read_corpus(x).at()  # no texts: all have length 0
    table = lengths_table(cloud, 1e-2, 0.95, rng)
    assert len(table) == 0 and "cosine_high" in table
    assert [*told_of_lengths(table)] == []
