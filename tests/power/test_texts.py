"""Claims on clouds, maps and search of texts, where sources and halves are dealt anew."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from embspace.geometry.pairs.group_pairs import GroupedVectors, scan_group_pairs
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.measure.tables.text_halves import Halves
from embspace.measure.texts.search import measure_search
from embspace.measure.texts.text_cloud_alike import alike_table
from embspace.measure.texts.text_cloud_dealt import dealt_table
from embspace.prepare.sentences import split_halves
from embspace.project.text_map_neighbors import Draws, rows_of_neighbors
from tests.power.rules import DRAWS, Tables, claim_that_begins, decided, hold_seldom

SOURCES = "Texts of two sources are less alike"
SHAPES = "Articles have more of a shape"
MAPS = [f"On {method}'s map posts lie" for method in ("PCA", "t-SNE", "UMAP")]
SEARCHES = ["Search by [CLS]", "Search by the mean", "Search by the maximum"]
AT_LAST: dict[str, Any] = {"pooling": "cls", "layer": 0}
N, DIM = 40, 24
WORDS = [f"word{number}" for number in range(60)]


def alike(x: np.ndarray, y: np.ndarray, seed: int) -> Tables:
    """The cosines of articles and of posts, each of a document of its own."""
    clouds = {"articles": grouped(x, 0), "posts": grouped(y, len(x))}
    a, b = clouds.values()
    scans = {
        ("articles", "articles"): (a,),
        ("posts", "posts"): (b,),
        ("articles", "posts"): (a, b),
    }
    pairs = {names: scan_group_pairs(*scanned, n_bins=20) for names, scanned in scans.items()}
    rng = np.random.default_rng(seed)
    table = alike_table(clouds, pairs, n_half_samples=100, level=0.95, rng=rng)
    shapes = dealt_table(clouds, equal_n=N, n_deals=100, level=0.95, rng=rng)
    tables = {"text_clouds/separation": table, "text_clouds/shapes": shapes}
    return {folder: table.assign(**AT_LAST) for folder, table in tables.items()}


def grouped(x: np.ndarray, first: int) -> GroupedVectors:
    numbers = np.arange(len(x)) + first
    return GroupedVectors.of(x, numbers, numbers)


def sources_dealt_anew(seed: int) -> Tables:
    """Texts of eight places and of several lengths, each as often an article as a post."""
    rng = np.random.default_rng(seed)
    x = 1 + rng.normal(size=(8, DIM))[np.arange(2 * N) % 8] + rng.normal(size=(2 * N, DIM))
    x = rng.permutation(x)
    return alike(x[:N], x[N:], seed)


def one_wide_source(seed: int) -> Tables:
    """Posts that lie wide about the place of the articles: alike are only articles."""
    rng = np.random.default_rng(seed)
    return alike(1 + 0.2 * rng.normal(size=(N, DIM)), 1 + 2 * rng.normal(size=(N, DIM)), seed)


def maps(layout: np.ndarray, seed: int) -> Tables:
    """The neighbors on one map, articles first, for every method, pooling and preparation."""
    corpora = np.repeat(["articles", "posts"], len(layout) // 2)
    about = pd.DataFrame({"corpus": corpora, "document": np.arange(len(layout)), "domain": corpora})
    draws = Draws(60, 100, 0.95, *np.random.default_rng(seed).spawn(2))
    nearest = scan_pairs(layout.astype(np.float32), n_neighbors=15).neighbors
    assert nearest is not None
    rows = pd.DataFrame(
        rows_of_neighbors(about, nearest, {"map": "two_sources", "layer": 0}, draws)
    )
    settings = [("cls", "raw"), ("cls", "centered_unit_length"), ("mean", "centered_unit_length")]
    parts = [
        rows.assign(method=method, pooling=pooling, preparation=preparation)
        for method in ("pca", "tsne", "umap")
        for pooling, preparation in settings
    ]
    return {"text_maps/neighbors": pd.concat(parts)}


def map_dealt_anew(seed: int) -> Tables:
    """A map of six places, on each of which there are as many articles as posts."""
    rng = np.random.default_rng(seed)
    layout = 3 * rng.normal(size=(6, 2))[np.arange(2 * N) % 6] + rng.normal(size=(2 * N, 2))
    return maps(rng.permutation(layout), seed)


def search(vectors: Callable[[np.random.Generator], np.ndarray], seed: int) -> Tables:
    """Texts of words at random; one second half in two, at random, has the words of the first."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(N):
        first, second = rng.choice(WORDS, (2, 8))
        shared = first if rng.random() < 0.5 else second
        texts.append(f"First {' '.join(first)}. Then. Last {' '.join(shared)}. End.")
    names = [f"t{number}" for number in range(N)]
    table = split_halves(pd.DataFrame({"id": names, "document": names, "text": texts}))
    windows = pd.DataFrame({"text": table["id"], "window": 0})
    x = vectors(rng)[np.newaxis]
    given = Halves(table, windows, dict.fromkeys(("cls", "mean", "max"), x))
    options: dict[str, Any] = {"stop_words": None, "n_resamples": 100, "level": 0.95}
    options["fewest_documents"] = 1
    return {"search": measure_search({"articles": given}, **options, seed=seed)["csv"]}


def as_good_as_words(rng: np.random.Generator) -> np.ndarray:
    """One text in two, at random, has halves in one direction, and is found at once."""
    base = rng.normal(size=(N, DIM))
    x = rng.normal(size=(2 * N, DIM))
    x[::2] = base
    chosen = np.flatnonzero(rng.random(N) < 0.5)
    x[2 * chosen + 1] = base[chosen]
    return x


@DRAWS
def test_sources_dealt_anew_are_no_less_alike(root: Path, n_draws: int):
    hold_seldom(root, [SOURCES, SHAPES], sources_dealt_anew, n_draws)


@DRAWS
def test_a_source_that_is_wide_is_seen(root: Path, n_draws: int):
    hold_seldom(root, [SOURCES], one_wide_source, n_draws)


@DRAWS
def test_sources_dealt_anew_lie_nowhere_on_a_map(root: Path, n_draws: int):
    hold_seldom(root, MAPS, map_dealt_anew, n_draws)


@DRAWS
def test_a_search_as_good_as_words_has_no_promise(root: Path, n_draws: int):
    hold_seldom(root, SEARCHES, lambda seed: search(as_good_as_words, seed), n_draws)


def test_what_is_so_matches(root: Path):
    rng = np.random.default_rng(0)
    place = rng.normal(size=(2, DIM))
    near = [place[side] + 0.3 * rng.normal(size=(N, DIM)) for side in (0, 1)]
    assert decided(claim_that_begins(root, SOURCES), alike(*near, 0)).verdict == "matches"
    flat = rng.normal(size=(N, DIM)) * np.linspace(0.1, 2, DIM) ** 2
    both = alike(flat, rng.normal(size=(N, DIM)), 0)
    assert decided(claim_that_begins(root, SHAPES), both).verdict == "matches"
    apart = np.repeat([[-9.0, 0], [9.0, 0]], N, axis=0) + rng.normal(size=(2 * N, 2))
    for words in MAPS:
        assert decided(claim_that_begins(root, words), maps(apart, 0)).verdict == "matches"
    every = search(lambda rng: np.repeat(rng.normal(size=(N, DIM)), 2, axis=0), 0)
    for words in SEARCHES:
        assert decided(claim_that_begins(root, words), every).verdict == "matches"
