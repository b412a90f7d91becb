import numpy as np
import pytest

from embspace.measure.texts import text_cloud_units as text_units
from embspace.measure.texts.text_cloud_units import (
    grouped_vectors,
    interval_over,
    mean_in,
    units_of,
    windows_by_document,
)
from tests.text_corpora import corpus, three_corpora


def test_a_document_has_one_number_in_all_corpora():
    windows = windows_by_document(three_corpora())
    articles, sentences = windows["articles"], windows["sentences"]
    assert articles["document_number"].tolist() == list(range(3, 15))  # after three notes
    assert sentences["document_number"].tolist() == [n for n in range(3, 15) for _ in (0, 1)]
    assert windows["posts"]["document_number"].min() == 15
    for table in windows.values():
        assert (table["unit"] == table["document_number"]).all()


def test_rows_say_which_vector_is_which():
    clouds = three_corpora()
    table = windows_by_document(clouds)["sentences"]
    documents = clouds["sentences"].windows["document"].to_numpy()[table["row"]]
    assert documents.tolist() == [f"d{number}" for number in range(12) for _ in (0, 1)]
    x = clouds["sentences"].states["mean"][1]
    grouped = grouped_vectors(x, table)
    assert grouped.vectors == pytest.approx(x[table["row"]], abs=1e-6)
    assert grouped.groups.tolist() == table["document_number"].tolist()


def test_too_many_documents_share_units_each_corpus_by_itself(monkeypatch):
    monkeypatch.setattr(text_units, "MOST_UNITS", 5)
    windows = windows_by_document(three_corpora())
    # 12 documents three to a unit, 16 posts four to a unit; three notes keep theirs.
    assert windows["notes"]["unit"].tolist() == [0, 1, 2]
    assert windows["articles"]["unit"].tolist() == [3 + n // 3 for n in range(12)]
    assert windows["posts"]["unit"].tolist() == [7 + n // 4 for n in range(16)]
    assert set(windows["sentences"]["unit"]) == {3, 4, 5, 6}


@pytest.mark.parametrize(("n_documents", "n_units"), [(500, 500), (501, 251)])
def test_units_are_500_at_most(n_documents: int, n_units: int):
    clouds = {"many": corpus([f"d{number}" for number in range(n_documents)], seed=0, dim=1)}
    assert windows_by_document(clouds)["many"]["unit"].nunique() == n_units


def test_intervals_draw_halves_of_the_chosen_units():
    seen = []

    def statistic(chosen: np.ndarray) -> np.ndarray:
        seen.append(chosen)
        return np.array(float(chosen.sum()))

    chosen = np.array([False, True, True, False, True, True, True, True])
    interval = interval_over(chosen, n_half_samples=20, level=0.9, rng=np.random.default_rng(0))
    interval(statistic)
    assert (seen[0] == chosen).all()
    assert {int(is_drawn.sum()) for is_drawn in seen[1:]} == {3}
    assert not np.array(seen)[:, ~chosen].any()
    assert np.array(seen[1:])[:, chosen].any(axis=0).all()


def test_means_are_of_vectors_in_chosen_units():
    clouds = {"a": corpus(["x", "x", "y"], seed=0), "b": corpus(["z"], seed=1)}
    windows = windows_by_document(clouds)
    a, b = (grouped_vectors(clouds[name].states["cls"][1], windows[name]) for name in clouds)
    assert units_of(a, b).tolist() == [True, True, True]
    values = np.array([1.0, 3.0, 10.0])
    assert mean_in(np.array([True, False, False]), a, values) == 2
    assert np.isnan(mean_in(np.array([False, False, True]), a, values))
