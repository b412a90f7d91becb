import numpy as np
import pandas as pd
import pytest

from embspace.measure.open_questions.islands.labels import (
    Families,
    families_of_islands,
    labels_of_texts,
    most_frequent,
)
from tests.measure.open_questions.islands.planted import group_of, windows_of_source

HOW = Families(n_half_samples=8, share=0.9, n_deals=19, smallest=8)


def windows() -> pd.DataFrame:
    sources = ("articles", "posts")
    return pd.concat([windows_of_source(name).assign(corpus=name) for name in sources])


def test_lengths_are_quarters_and_places_are_thirds_of_the_document():
    labels = labels_of_texts(windows())
    assert labels["length"].value_counts().tolist() == [24] * 4
    assert labels["place"].head(4).tolist() == [0, 0, 1, 2]
    assert labels["source"].value_counts().tolist() == [48, 48]
    alone = windows().drop_duplicates("document")
    assert set(labels_of_texts(alone)["place"]) == {3}


@pytest.mark.parametrize("seed", range(3))
def test_random_islands_are_of_no_family(seed: int):
    islands = np.random.default_rng(seed).integers(-1, 3, 96)
    verdicts, _ = families_of_islands(
        islands, labels_of_texts(windows()), HOW, np.random.default_rng(seed)
    )
    assert verdicts == {"verdict": "undecided", "verdict_inside": "undecided"}


def test_texts_of_no_island_do_not_count():
    labels, group = labels_of_texts(windows()), group_of(windows_of_source("posts"), 0, "length")
    islands = np.append(group, np.full(48, -1))
    verdicts, rows = families_of_islands(islands, labels, HOW, np.random.default_rng(0))
    assert verdicts["verdict"] == "lengths"
    by_label = pd.DataFrame(rows).set_index("label")
    assert by_label.loc["length", "information"] == pytest.approx(1)
    assert by_label.loc["length", "adjusted_rand_index"] == pytest.approx(1)
    assert np.isnan(by_label.loc["source", "information"])


def test_a_stray_text_says_nothing_inside_its_source():
    labels = labels_of_texts(windows())
    islands = labels["source"].to_numpy().copy()
    islands[0] = 1  # of the other source's island
    verdicts, rows = families_of_islands(islands, labels, HOW, np.random.default_rng(0))
    assert verdicts == {"verdict": "sources", "verdict_inside": "undecided"}
    assert all(np.isnan(row.get("information_inside", np.nan)) for row in rows)


@pytest.mark.parametrize("smallest", [1, 8])
def test_halves_without_a_value_are_of_no_family(smallest: int):
    labels = labels_of_texts(windows())
    islands = np.zeros(96, np.int64)
    islands[:smallest] = 1  # in some halves only, where small
    how = HOW._replace(smallest=smallest, n_half_samples=40)
    _, rows = families_of_islands(islands, labels, how, np.random.default_rng(0))
    first = pd.DataFrame(rows).groupby("family")["first"].first()
    assert first.sum() <= 1
    if smallest == 1:
        assert 0 < first.sum() < 0.8
        assert first["sources"] < 0.2


def test_documents_that_are_numbers_are_of_one_corpus():
    table = windows()
    assert labels_of_texts(table.assign(document="1"))["document"].nunique() == 2
    assert labels_of_texts(table.assign(document="one"))["document"].nunique() == 1


def test_one_island_has_no_family():
    verdicts, rows = families_of_islands(
        np.zeros(96, np.int64), labels_of_texts(windows()), HOW, np.random.default_rng(0)
    )
    assert set(verdicts.values()) == {"no islands"}
    assert len(rows) == 6


def test_an_island_has_its_most_frequent_source():
    table = windows().reset_index(drop=True)
    islands = np.where(np.arange(96) < 50, 0, -1)
    [row] = most_frequent(islands, 1, table, ["corpus"])
    assert row["corpus"] == "articles"
    assert row["corpus_share"] == pytest.approx(48 / 50)
