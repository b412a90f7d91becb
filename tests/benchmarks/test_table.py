import numpy as np
import pytest

from benchmarks.contest import contest
from benchmarks.contestants import CONTESTANTS, histograms, sklearn_graph, sklearn_histogram
from benchmarks.table import COMPARISONS, NAMES, comparisons_table


def vectors(n: int = 700) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, 24)).astype(np.float32)


def side(seconds: float) -> dict[str, float]:
    return {"seconds": seconds, "peak_rss_mib": 100.0}


def test_every_comparison_has_both_its_sides():
    for comparison in COMPARISONS:
        assert comparison.ours in CONTESTANTS
        assert comparison.peer in CONTESTANTS
        assert comparison.peer in NAMES


def test_a_target_is_met_or_missed_by_the_ratio():
    measured = {"histograms": side(3.0), "graph": side(2.0), "bare_product": side(2.0)}
    table = comparisons_table(measured).set_index("what")
    assert table.loc["three exact histograms with moments", "time, ratio"] == "1.50"
    assert table.loc["three exact histograms with moments", "met"] == "no"
    assert table.loc["exact graph of 90 neighbors", "met"] == "yes"
    assert len(table) == 2


def test_seconds_have_a_digit_and_below_one_two():
    sides = {"histograms": side(0.04), "bare_product": side(2.0)}
    assert comparisons_table(sides)["seconds"].tolist() == ["0.04 : 2.0"]


def test_a_fast_map_that_is_worse_or_greedy_has_missed():
    good = {"trustworthiness": 0.7, "continuity": 0.8, "neighbor_recall": 0.2}
    sides = {"tsne": side(1.0) | good, "sklearn_tsne": side(9.0) | good}
    assert comparisons_table(sides)["met"].tolist() == ["yes"]
    worse = {"tsne": sides["tsne"] | {"neighbor_recall": 0.19}}
    assert comparisons_table(sides | worse)["met"].tolist() == ["no"]
    greedy = {"tsne": sides["tsne"] | {"peak_rss_mib": 1100.0}}
    assert comparisons_table(sides | greedy)["met"].tolist() == ["no"]


def test_an_estimate_in_time_that_is_another_has_missed():
    sides = {"two_nn": side(1.0) | {"dimension": 13.0}}
    sides["dadapy_two_nn"] = side(2.0) | {"dimension": 13.0 + 1e-6}
    assert comparisons_table(sides)["met"].tolist() == ["yes"]
    other = {"two_nn": sides["two_nn"] | {"dimension": 13.1}}
    assert comparisons_table(sides | other)["met"].tolist() == ["no"]
    assert comparisons_table(sides | other)["quality"].tolist() == ["d 13.100 : d 13.000"]


def test_both_sides_do_the_same_work():
    counts = histograms(vectors()).distributions["cosine"].counts
    theirs = sklearn_histogram(vectors())[0]
    # Theirs has each pair twice and each vector with itself; rounding moves a pair or two.
    assert np.abs(np.cumsum(theirs) - 2 * np.cumsum(counts))[:-1].max() <= 4
    exact = CONTESTANTS["graph"](vectors()).indices
    assert (np.sort(exact) == np.sort(sklearn_graph(vectors()))).mean() > 0.9999


@pytest.mark.parametrize(
    "name",
    [
        *("bare_product", "histograms_and_graph", "two_nn", "pca"),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("tsne", "umap")),
    ],
)
def test_a_contest_tells_time_memory_and_quality(name):
    measured = contest(name, vectors())
    assert measured["seconds"] > 0
    assert measured["peak_rss_mib"] > 10
    assert ("trustworthiness" in measured) == (name in ("tsne", "umap"))
    assert ("dimension" in measured) == (name == "two_nn")
    assert ("variance" in measured) == (name == "pca")


def test_principal_components_of_both_keep_the_same_variance():
    ours, theirs = (contest(name, vectors())["variance"] for name in ("pca", "sklearn_pca"))
    assert 10 / 24 < ours < 1
    assert ours == pytest.approx(theirs, rel=1e-6)
