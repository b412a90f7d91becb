import numpy as np
import pytest

from embspace.errors import InputError
from embspace.project.text_maps import (
    COORDINATES,
    NEIGHBORS,
    QUALITY,
    TextMaps,
    _prepared,
    project_text_maps,
)
from tests.text_corpora import MAP_SETTINGS as SETTINGS
from tests.text_corpora import corpus, no_corpora, three_corpora


@pytest.fixture(scope="module")
def found() -> TextMaps:
    return project_text_maps(three_corpora(), **SETTINGS)


def test_every_text_is_on_every_map(found: TextMaps):
    assert list(found.coordinates) == COORDINATES
    sizes = found.coordinates.groupby(["pooling", "preparation", "method", "corpus"]).size()
    assert len(sizes) == 2 * 3 * 3
    assert set(sizes.xs("posts", level="corpus")) == {16}
    assert "notes" not in set(found.coordinates["corpus"])
    assert (found.coordinates["layer"] == 1).all()
    posts = found.coordinates.query("corpus == 'posts' and method == 'pca' and pooling == 'cls'")
    assert posts["text"].tolist() == three_corpora()["posts"].windows["text"].tolist()


def test_a_corpus_far_away_stands_apart_on_every_map(found: TextMaps):
    for _, rows in found.coordinates.groupby(["pooling", "preparation", "method"]):
        is_post = rows["corpus"] == "posts"
        xy = rows[["x", "y"]].to_numpy()
        apart = np.linalg.norm(xy[is_post].mean(axis=0) - xy[~is_post].mean(axis=0))
        assert apart > 2 * xy[is_post].std(axis=0).max()


def test_quality_stands_beside_chance(found: TextMaps):
    assert list(found.quality)[: len(QUALITY)] == QUALITY
    assert len(found.quality) == 6
    assert (found.quality["trustworthiness"] > found.quality["chance_trustworthiness"]).all()
    assert (found.quality["n"] == 52).all()


def test_neighbors_are_of_the_own_corpus_where_it_stands_apart(found: TextMaps):
    assert list(found.neighbors)[: len(NEIGHBORS)] == NEIGHBORS
    posts = found.neighbors.query("corpus == 'posts'")
    assert set(posts["method"]) == {"space", "pca", "tsne", "umap"}
    assert (posts["same_corpus_share"] > 0.9).all()
    assert posts["chance_same_corpus_share"].to_numpy() == pytest.approx(15 / 51)
    # Articles and sentences are one cloud: a third of the others there are articles.
    articles = found.neighbors.query("corpus == 'articles' and method == 'space'")
    assert articles["same_corpus_share"].to_numpy() == pytest.approx(11 / 35, abs=0.15)
    assert articles["chance_same_document_share"].to_numpy() == pytest.approx(2 / 51)


def test_each_vector_is_a_neighbor_k_times_on_average(found: TextMaps):
    for _, rows in found.neighbors.groupby(["pooling", "preparation", "method"]):
        assert (rows["mean_k_occurrence"] * rows["n"]).sum() == pytest.approx(5 * 52)


def test_short_vectors_in_the_middle_are_hubs_and_unit_length_ends_it():
    rng = np.random.default_rng(0)
    clouds = three_corpora(dim=40)
    for name in ("articles", "sentences"):
        clouds[name].states["mean"][:] = rng.normal(size=clouds[name].states["mean"].shape)
    clouds["articles"].states["mean"][:] *= 0.2
    kept = {name: clouds[name] for name in ("articles", "sentences")}
    preparations = {"mean": ["raw", "unit_length"]}
    maps = project_text_maps(kept, **{**SETTINGS, "preparations": preparations})
    rows = maps.neighbors.query("corpus == 'articles' and method == 'space'")
    occurrence = rows.set_index("preparation")["mean_k_occurrence"]
    assert occurrence["raw"] > 2 * 5
    assert occurrence["unit_length"] == pytest.approx(5, abs=2)


def test_equal_input_gives_equal_maps(found: TextMaps):
    again = project_text_maps(three_corpora(), **SETTINGS)
    assert again.coordinates.equals(found.coordinates)
    assert again.neighbors.equals(found.neighbors)


def test_preparations_by_hand():
    x = np.array([[3.0, 4.0], [0.0, 2.0]], dtype=np.float32)
    assert (_prepared(x, "raw") == x).all()
    assert _prepared(x, "unit_length") == pytest.approx(np.array([[0.6, 0.8], [0, 1]]))
    centered = np.array([[1.5, 1.0], [-1.5, -1.0]]) / np.sqrt(3.25)
    assert _prepared(x, "centered_unit_length") == pytest.approx(centered)


def test_a_model_that_reads_no_text_has_empty_tables():
    nothing = project_text_maps(no_corpora(), **SETTINGS)
    assert nothing.coordinates.empty
    assert list(nothing.coordinates) == COORDINATES
    assert list(nothing.quality) == QUALITY
    assert list(nothing.neighbors) == NEIGHBORS


def test_one_text_many_times_over_has_no_map_and_says_so(caplog: pytest.LogCaptureFixture):
    clouds = {"a": corpus([f"d{number}" for number in range(20)], seed=0)}
    for state in clouds["a"].states.values():
        state[:] = state[:, :1] * (1 + np.linspace(0, 1e-6, 20, dtype=np.float32)[:, np.newaxis])
    maps = project_text_maps(clouds, **SETTINGS)
    assert [len(table) for table in vars(maps).values()] == [0, 0, 0]
    assert caplog.messages == [
        "cls, raw: no map, for all 20 vectors are equal",
        "mean, centered_unit_length: no map, for all 20 vectors are equal",
    ]


def test_vectors_of_one_direction_differ_but_not_at_unit_length():
    clouds = {"a": corpus([f"d{number}" for number in range(20)], seed=0)}
    clouds["a"].states["mean"][:] = np.linspace(1, 2, 20, dtype=np.float32)[:, np.newaxis]
    preparations = {"mean": ["raw", "unit_length"]}
    maps = project_text_maps(clouds, **{**SETTINGS, "preparations": preparations})
    assert set(maps.quality["preparation"]) == {"raw"}


def test_a_layer_that_the_model_has_not_is_refused():
    clouds = {"a": corpus([f"d{number}" for number in range(9)], seed=0)}
    with pytest.raises(InputError, match="'layer': found -3, allowed: -2 to 1"):
        project_text_maps(clouds, **{**SETTINGS, "layer": -3})
