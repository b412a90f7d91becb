from typing import Any

import numpy as np
import pytest

from embspace.analysis import Outcome
from embspace.errors import InputError
from embspace.project.text_maps import (
    COORDINATES,
    KEYS,
    project_text_maps,
)
from tests.text_corpora import MAP_SETTINGS as SETTINGS
from tests.text_corpora import corpus, no_corpora, three_corpora

FEW = SETTINGS
# Vectors are drawn, and layouts begin at random.
DECIDED_BY_SEED = ("trustworthiness", "continuity", "neighbor_recall", "mean_k_occurrence")
DECIDED_BY_SEED += tuple(f"same_{kind}_share" for kind in ("corpus", "document", "domain"))
DECIDED_BY_SEED += ("chance_same_document_share", "chance_same_domain_share")
DECIDED_BY_SEED += ("text", "document", "domain", "subject", "x", "y")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"clouds": no_corpora() if is_empty else three_corpora()}


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return project_text_maps(three_corpora(), **SETTINGS)


def test_every_text_is_on_every_map(outcome: Outcome):
    assert list(outcome["parquet"]) == COORDINATES
    whole = outcome["parquet"].query("map == 'all_corpora'")
    sizes = whole.groupby(["pooling", "preparation", "method", "corpus"]).size()
    assert len(sizes) == 2 * 3 * 3
    assert set(sizes.xs("posts", level="corpus")) == {16}
    assert "notes" not in set(outcome["parquet"]["corpus"])
    assert (outcome["parquet"]["layer"] == 1).all()
    posts = whole.query("corpus == 'posts' and method == 'pca' and pooling == 'cls'")
    assert posts["text"].tolist() == three_corpora()["posts"].windows["text"].tolist()


def test_a_map_of_named_corpora_has_as_many_vectors_of_each(outcome: Outcome):
    two = outcome["parquet"].query("map == 'two_sources'")
    assert len(two) == 2 * 3 * (12 + 12)
    sizes = two.groupby(["pooling", "preparation", "method", "corpus"]).size()
    assert sizes.index.unique("corpus").tolist() == ["articles", "posts"]
    assert set(sizes) == {12}
    shown = two.query("method == 'pca' and pooling == 'cls'")
    texts = shown[shown["corpus"] == "posts"]["text"].tolist()
    all_texts = three_corpora()["posts"].windows["text"].tolist()
    assert [text for text in all_texts if text in texts] == texts  # in their order, each once
    articles = shown[shown["corpus"] == "articles"]["text"].tolist()
    assert articles == three_corpora()["articles"].windows["text"].tolist()  # the smallest is whole


def test_the_seed_draws_the_vectors_and_they_keep_their_states():
    settings = {**SETTINGS, "preparations": {"mean": ["raw"]}}
    drawn = {}
    for seed in (0, 1):
        coordinates = project_text_maps(three_corpora(), **{**settings, "seed": seed})["parquet"]
        rows = coordinates.query("map == 'two_sources' and method == 'pca'")
        drawn[seed] = rows[rows["corpus"] == "posts"]["text"].tolist()
        # Two components of these vectors, whatever was drawn, keep the distances of far apart ones.
        clouds = three_corpora()
        x = {
            text: state
            for name in ("articles", "posts")
            for text, state in zip(
                clouds[name].windows["text"], clouds[name].states["mean"][-1], strict=True
            )
        }
        chosen = np.array([x[text] for text in rows["text"]])
        centered = chosen - chosen.mean(axis=0)
        first = np.linalg.svd(centered, full_matrices=False)[2][0]
        assert np.abs(centered @ first) == pytest.approx(np.abs(rows["x"].to_numpy()), abs=1e-4)
    assert drawn[0] != drawn[1]


def test_chance_on_a_map_of_two_sources_is_a_half(outcome: Outcome):
    rows = outcome["neighbors"].query("map == 'two_sources'")
    assert rows["chance_same_corpus_share"].to_numpy() == pytest.approx(11 / 23)
    assert set(outcome["quality"].query("map == 'two_sources'")["n"]) == {24}


def test_a_map_whose_corpora_there_are_not_is_left_out_and_said(caplog: pytest.LogCaptureFixture):
    maps = {"some": ["articles", "notes"], "all_corpora": None}
    outcome = project_text_maps(three_corpora(), **{**SETTINGS, "maps": maps})
    assert set(outcome["quality"]["map"]) == {"all_corpora"}
    assert caplog.messages == ["some: no map, for there are not enough texts of notes"]


def test_a_corpus_far_away_stands_apart_on_every_map(outcome: Outcome):
    for _, rows in outcome["parquet"].groupby(KEYS):
        is_post = rows["corpus"] == "posts"
        xy = rows[["x", "y"]].to_numpy()
        apart = np.linalg.norm(xy[is_post].mean(axis=0) - xy[~is_post].mean(axis=0))
        assert apart > 2 * xy[is_post].std(axis=0).max()


def test_quality_stands_beside_chance(outcome: Outcome):
    assert len(outcome["quality"]) == 2 * 6
    assert (
        outcome["quality"]["trustworthiness"] > outcome["quality"]["chance_trustworthiness"]
    ).all()
    assert set(outcome["quality"].query("map == 'all_corpora'")["n"]) == {52}


def test_neighbors_are_of_the_own_corpus_where_it_stands_apart(outcome: Outcome):
    whole = outcome["neighbors"].query("map == 'all_corpora'")
    posts = whole.query("corpus == 'posts'")
    assert set(posts["method"]) == {"space", "pca", "tsne", "umap"}
    assert (posts["same_corpus_share"] > 0.9).all()
    assert posts["chance_same_corpus_share"].to_numpy() == pytest.approx(15 / 51)
    assert (posts["shuffled_same_corpus_share_high"] < 0.6).all()
    # Articles and sentences are one cloud: a third of the others there are articles.
    articles = whole.query("corpus == 'articles' and method == 'space'")
    assert articles["same_corpus_share"].to_numpy() == pytest.approx(11 / 35, abs=0.15)
    assert articles["chance_same_document_share"].to_numpy() == pytest.approx(2 / 51)


def test_a_band_of_level_0_is_the_median():
    settings = {**SETTINGS, "preparations": {"mean": ["raw"]}, "level": 0.0}
    shares = project_text_maps(three_corpora(), **settings)["neighbors"]
    low, high = (shares[f"shuffled_same_corpus_share_{end}"] for end in ("low", "high"))
    assert low.equals(high)


def test_shuffled_corpora_give_a_band_about_chance(outcome: Outcome):
    shares = outcome["neighbors"]
    low, high = (shares[f"shuffled_same_corpus_share_{end}"] for end in ("low", "high"))
    assert (low <= shares["chance_same_corpus_share"]).all()
    assert (high >= shares["chance_same_corpus_share"]).all()


def test_each_vector_is_a_neighbor_k_times_on_average(outcome: Outcome):
    for _, rows in outcome["neighbors"].groupby(KEYS):
        expected = 5 * rows["n"].sum()
        assert (rows["mean_k_occurrence"] * rows["n"]).sum() == pytest.approx(expected)


def test_short_vectors_in_the_middle_are_hubs_and_unit_length_ends_it():
    rng = np.random.default_rng(0)
    clouds = three_corpora(dim=40)
    for name in ("articles", "sentences"):
        clouds[name].states["mean"][:] = rng.normal(size=clouds[name].states["mean"].shape)
    clouds["articles"].states["mean"][:] *= 0.2
    kept = {name: clouds[name] for name in ("articles", "sentences")}
    preparations = {"mean": ["raw", "unit_length"]}
    maps = project_text_maps(kept, **{**SETTINGS, "preparations": preparations})
    rows = maps["neighbors"].query("corpus == 'articles' and method == 'space'")
    occurrence = rows.set_index("preparation")["mean_k_occurrence"]
    assert occurrence["raw"] > 2 * 5
    assert occurrence["unit_length"] == pytest.approx(5, abs=2)


def test_equal_input_gives_equal_maps(outcome: Outcome):
    assert project_text_maps(three_corpora(), **SETTINGS)["parquet"].equals(outcome["parquet"])


def test_one_text_many_times_over_has_no_map_and_says_so(caplog: pytest.LogCaptureFixture):
    clouds = {"a": corpus([f"d{number}" for number in range(20)], seed=0)}
    for state in clouds["a"].states.values():
        state[:] = state[:, :1] * (1 + np.linspace(0, 1e-6, 20, dtype=np.float32)[:, np.newaxis])
    maps = project_text_maps(clouds, **SETTINGS)
    assert [len(table) for table in maps.values()] == [0, 0, 0]
    assert caplog.messages == [
        "two_sources: no map, for there are not enough texts of articles and posts",
        "all_corpora, cls, raw: no map, for all 20 vectors are equal",
        "all_corpora, mean, centered_unit_length: no map, for all 20 vectors are equal",
    ]


def test_vectors_of_one_direction_differ_but_not_at_unit_length():
    clouds = {"a": corpus([f"d{number}" for number in range(20)], seed=0)}
    clouds["a"].states["mean"][:] = np.linspace(1, 2, 20, dtype=np.float32)[:, np.newaxis]
    preparations = {"mean": ["raw", "unit_length"]}
    maps = project_text_maps(clouds, **{**SETTINGS, "preparations": preparations})
    assert set(maps["quality"]["preparation"]) == {"raw"}


def test_a_layer_that_the_model_has_not_is_refused():
    clouds = {"a": corpus([f"d{number}" for number in range(9)], seed=0)}
    with pytest.raises(InputError, match="'layer': found -3, allowed: -2 to 1"):
        project_text_maps(clouds, **{**SETTINGS, "layer": -3})


def test_the_map_of_two_sources_has_the_corpora_that_have_the_roles(outcome: Outcome):
    names = {"articles": "wikipedia", "posts": "emotion", "notes": "notes"}
    clouds = {names[name]: cloud for name, cloud in three_corpora().items() if name in names}
    roles = {"long_texts": "wikipedia", "short_texts": "emotion"}
    others = project_text_maps(clouds, **{**SETTINGS, "roles": roles})
    assert set(others["neighbors"].query("map == 'two_sources'")["corpus"]) == {
        "wikipedia",
        "emotion",
    }


def test_without_its_roles_there_is_no_map_of_two_sources(caplog: pytest.LogCaptureFixture):
    outcome = project_text_maps(three_corpora(), **{**SETTINGS, "roles": {"short_texts": "posts"}})
    assert set(outcome["quality"]["map"]) == {"all_corpora"}
    assert caplog.messages == [
        "two_sources: no map, for there are not enough texts of {long_texts}"
    ]
