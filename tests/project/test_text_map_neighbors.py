"""Holds the neighbors of texts on a map, and their intervals, to clouds whose answer is known."""

import numpy as np
import pandas as pd
import pytest

from embspace.geometry.pairs.pairs import scan_pairs
from embspace.project.text_map_neighbors import Draws, rows_of_neighbors

N, K = 40, 3


def about(n_documents: int) -> pd.DataFrame:
    """Two corpora of N vectors each, in so many documents each."""
    corpus = np.repeat(["articles", "posts"], N)
    number = np.tile(np.arange(N) * n_documents // N, 2)
    document = [f"{name}_{place}" for name, place in zip(corpus, number, strict=True)]
    return pd.DataFrame({"corpus": corpus, "document": document, "domain": corpus})


def rows(x: np.ndarray, n_documents: int = N, level: float = 0.95) -> pd.DataFrame:
    draws = Draws(20, 200, level, *np.random.default_rng(0).spawn(2))
    graph = scan_pairs(x, n_neighbors=K).neighbors
    assert graph is not None
    return pd.DataFrame(rows_of_neighbors(about(n_documents), graph, {}, draws))


def cloud(gap: float) -> np.ndarray:
    x = np.random.default_rng(1).normal(size=(2 * N, 2))
    x[N:, 0] += gap
    return x.astype(np.float32)


def test_two_clouds_far_apart_have_a_share_of_one_without_doubt() -> None:
    shares = rows(cloud(100))
    for column in ("same_corpus_share", "same_corpus_share_low", "same_corpus_share_high"):
        assert shares[column].tolist() == [1, 1]


def test_one_cloud_of_two_names_has_chance_within_its_interval() -> None:
    shares = rows(cloud(0))
    low, high = shares["same_corpus_share_low"], shares["same_corpus_share_high"]
    assert (low < shares["chance_same_corpus_share"]).all()
    assert (high > shares["chance_same_corpus_share"]).all()
    assert (low < shares["same_corpus_share"]).all() and (high > shares["same_corpus_share"]).all()


def test_vectors_of_fewer_documents_tell_less() -> None:
    x = cloud(0)
    x[:, 1] += 10 * np.tile(np.arange(N) * 5 // N, 2)  # texts of a document lie together
    many, few = rows(x), rows(x, n_documents=5)
    widths = [
        table["same_corpus_share_high"] - table["same_corpus_share_low"] for table in (many, few)
    ]
    assert widths[1].mean() > widths[0].mean()


def test_three_documents_have_no_interval() -> None:
    shares = rows(cloud(0), n_documents=3)
    assert shares[["same_corpus_share_low", "same_corpus_share_high"]].isna().all(axis=None)


def test_the_interval_is_no_wider_at_a_lower_level() -> None:
    narrow, wide = rows(cloud(0), level=0.5), rows(cloud(0))
    assert (narrow["same_corpus_share_low"] > wide["same_corpus_share_low"]).all()
    assert narrow["same_corpus_share"].to_numpy() == pytest.approx(wide["same_corpus_share"])
