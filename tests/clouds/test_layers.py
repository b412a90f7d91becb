"""Holds the clouds of a layer to which tokens they have, and each change to its definition."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.clouds.layers import (
    SPACES,
    Change,
    CorpusStates,
    LayerCloud,
    after_final_norm,
    changed,
    layer_clouds,
    load_corpora_states,
)
from embspace.files.rows import save_rows
from embspace.files.tensors import save_tensors
from embspace.geometry.measures.dimension_shares import outlier_dimensions
from embspace.geometry.pairs.distinct import distinct_rows
from tests.measure.layer_corpora import corpus

ALL: list[Change] = [
    "as_is",
    "ordinary_tokens",
    "standardized",
    "no_outlier_dimensions",
    "all_but_the_top",
    "whitened",
]
CORPUS = corpus(6)


def clouds(
    states: CorpusStates = CORPUS, changes: list[Change] = ALL, layer: int = 1
) -> dict[tuple[str, str], LayerCloud]:
    return {
        (space, change): cloud
        for space, change, cloud in layer_clouds(states, layer, changes, n_top=2)
    }


def test_every_space_and_change_but_ordinary_first_tokens() -> None:
    expected = {(space, change) for space in SPACES for change in ALL}
    assert set(clouds()) == expected - {("cls", "ordinary_tokens")}
    assert set(clouds(changes=["whitened"])) == {(space, "whitened") for space in SPACES}


def test_tokens_that_the_window_before_has_are_left_out() -> None:
    tokens, cloud = CORPUS.tokens, clouds()["token", "as_is"]
    kept = [row for row, is_repeated in enumerate(tokens["repeated"]) if not is_repeated]
    assert 0 < len(kept) < len(tokens)
    assert (cloud.x == CORPUS.states["token"][1][kept]).all()
    assert cloud.x.dtype == np.float64
    assert cloud.word is not None and cloud.position is not None
    assert cloud.word.tolist() == tokens["id"].iloc[kept].tolist()
    assert cloud.position.tolist() == tokens["position"].iloc[kept].tolist()
    assert cloud.text.tolist() == CORPUS.document[tokens["window"].iloc[kept]].tolist()


def test_ordinary_tokens_are_neither_special_nor_the_first() -> None:
    # A decoder has no special token at position 0, which is no token like others all the same.
    decoder = replace(CORPUS, tokens=CORPUS.tokens.assign(special=CORPUS.tokens["position"] == 8))
    cloud = clouds(decoder)["token", "ordinary_tokens"]
    assert cloud.position is not None
    assert set(cloud.position.tolist()) == {1, 2, 3, 4, 5, 6, 7}
    assert len(cloud.x) == 6 * (7 + 5)


def test_pooled_vectors_are_as_they_were_pooled() -> None:
    for space in ("cls", "mean"):
        cloud = clouds()[space, "as_is"]
        assert (cloud.x == CORPUS.states[space][1]).all()
        assert cloud.text.tolist() == CORPUS.document.tolist()
        assert cloud.word is None and cloud.position is None


def test_the_mean_of_ordinary_tokens_is_that_of_each_window() -> None:
    tokens = CORPUS.tokens
    # One window has none but special ones.
    states = replace(
        CORPUS, tokens=tokens.assign(special=tokens["special"] | tokens["window"].eq(4))
    )
    cloud = clouds(states)["mean", "ordinary_tokens"]
    windows = [window for window in range(12) if window != 4]
    expected = []
    for window in windows:
        rows = [
            row
            for row, token in enumerate(tokens.itertuples())
            if token.window == window and not token.special and not token.repeated
        ]
        expected.append(CORPUS.states["token"][1][rows].astype(float).mean(axis=0))
    assert cloud.x == pytest.approx(np.array(expected))
    assert cloud.text.tolist() == CORPUS.document[windows].tolist()


def test_a_corpus_without_states_of_tokens_has_pooled_clouds() -> None:
    by_name = clouds(corpus(6, with_tokens=False))
    assert {space for space, _ in by_name} == {"cls", "mean"}
    assert "ordinary_tokens" not in {change for _, change in by_name}


def test_fewer_than_four_documents_are_no_cloud() -> None:
    assert not clouds(corpus(3))
    assert clouds(corpus(4))
    # Four documents, of which one has no ordinary token.
    states = corpus(4)
    states.tokens.loc[states.tokens["window"] < 2, "special"] = True
    assert set(clouds(states, ["as_is", "ordinary_tokens"])) == {(s, "as_is") for s in SPACES}


def vectors(n: int = 60, dim: int = 5) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, dim)) @ rng.normal(size=(dim, dim)) + 3


@pytest.mark.parametrize("change", ["as_is", "ordinary_tokens"])
def test_what_is_of_rows_leaves_coordinates(change: Change) -> None:
    assert (changed(vectors().astype(np.float32), change, 2) == vectors().astype(np.float32)).all()


def test_standardized_coordinates_have_mean_0_and_variance_1() -> None:
    x = vectors()
    x[:, 2] = 7.0
    moved = changed(x, "standardized", 2)
    assert moved.mean(axis=0) == pytest.approx(np.zeros(5), abs=1e-12)
    assert moved.var(axis=0) == pytest.approx([1, 1, 0, 1, 1])
    assert (moved[:, 2] == 0).all()
    assert np.corrcoef(moved[:, 0], x[:, 0])[0, 1] == pytest.approx(1)


@pytest.mark.parametrize("value", [0.1, 0.3, -0.7])
def test_a_standardized_coordinate_that_does_not_vary_is_exactly_0(value: float) -> None:
    x = np.random.default_rng(0).normal(size=(1003, 3))
    x[:, 1] = value  # whose mean rounding moves
    assert (changed(x, "standardized", 0)[:, 1] == 0).all()


def test_outlier_dimensions_are_gone_and_no_other() -> None:
    x = np.random.default_rng(0).normal(size=(60, 40))
    x[:, 17] += 50
    assert outlier_dimensions(x).tolist() == [17]
    moved = changed(x, "no_outlier_dimensions", 2)
    assert (moved == np.delete(x, 17, axis=1)).all()


def test_all_but_the_top_has_the_other_principal_components() -> None:
    x = vectors()
    centered = x - x.mean(axis=0)
    left, values, right = np.linalg.svd(centered, full_matrices=False)
    values[:2] = 0
    assert changed(x, "all_but_the_top", 2) == pytest.approx(left * values @ right, abs=1e-9)


@pytest.mark.parametrize("shape", [(60, 5), (8, 20), (20, 20)])
def test_whitened_vectors_have_the_identity_as_covariance(shape: tuple[int, int]) -> None:
    moved = changed(vectors(*shape), "whitened", 2)
    rank = min(shape[0] - 1, shape[1])
    assert moved.shape == (shape[0], rank)
    assert moved.mean(axis=0) == pytest.approx(np.zeros(rank), abs=1e-9)
    assert moved.T @ moved / len(moved) == pytest.approx(np.eye(rank), abs=1e-6)


def test_a_change_of_a_cloud_is_that_of_its_vectors() -> None:
    by_name = clouds()
    for change in ALL[2:]:
        expected = changed(by_name["token", "as_is"].x, change, 2)
        assert (by_name["token", change].x == expected).all()
        assert by_name["token", change].text is not None


def test_some_of_the_vectors_keep_what_they_are_of() -> None:
    cloud, rows = clouds()["token", "as_is"], np.array([5, 1])
    part = cloud.among(rows)
    assert cloud.word is not None and part.word is not None and part.position is not None
    assert (part.x == cloud.x[rows]).all() and (part.word == cloud.word[rows]).all()
    assert part.text.tolist() == cloud.text[rows].tolist()
    pooled = clouds()["cls", "as_is"].among(rows)
    assert pooled.word is None and len(pooled.x) == 2


def test_documents_and_layers_are_counted() -> None:
    assert CORPUS.n_documents == 6 and CORPUS.n_layers == 2


@pytest.mark.parametrize("with_tokens", [True, False])
def test_files_are_read_with_the_document_of_each_window(with_tokens: bool, tmp_path: Path) -> None:
    states = corpus(5, with_tokens=with_tokens)
    texts = [f"{'edcba'[number]}{half}" for number in range(5) for half in "12"]
    save_tensors(states.states, f"{tmp_path}/notes.safetensors")
    save_rows(states.tokens, f"{tmp_path}/notes.tokens.parquet")
    save_rows(pd.DataFrame({"text": texts}), f"{tmp_path}/notes.windows.parquet")
    prepared = pd.DataFrame({"id": texts, "document": [text[0] for text in texts]})
    save_rows(prepared.sort_values("id"), f"{tmp_path}/texts/notes.parquet")
    read = load_corpora_states(str(tmp_path), f"{tmp_path}/texts", ["notes"])["notes"]
    assert read.document.tolist() == states.document.tolist()
    assert set(read.states) == set(states.states)
    assert all((read.states[kind] == tensor).all() for kind, tensor in states.states.items())
    pd.testing.assert_frame_equal(read.tokens, states.tokens)
    assert not read.final_norm


def test_what_the_final_norm_makes_is_read_where_it_is(tmp_path: Path) -> None:
    states = corpus(5)
    normed = {kind: 2 * tensor[-1:] for kind, tensor in states.states.items()}
    named = {f"final_norm_{kind}": tensor for kind, tensor in normed.items()}
    save_tensors(states.states | named, f"{tmp_path}/notes.safetensors")
    save_rows(states.tokens, f"{tmp_path}/notes.tokens.parquet")
    names = [str(number) for number in range(10)]
    save_rows(pd.DataFrame({"text": names}), f"{tmp_path}/notes.windows.parquet")
    prepared = pd.DataFrame({"id": names, "document": [str(int(name) // 2) for name in names]})
    save_rows(prepared, f"{tmp_path}/texts/notes.parquet")
    read = load_corpora_states(str(tmp_path), f"{tmp_path}/texts", ["notes"])["notes"]
    assert set(read.states) == set(read.final_norm) == set(states.states)
    one = after_final_norm(read)
    assert one.n_layers == 1 and read.n_layers == 2 and not one.final_norm
    ((_, _, cloud),) = layer_clouds(one, 0, ["as_is"], n_top=0, spaces=["token"])
    ((_, _, last),) = layer_clouds(read, 1, ["as_is"], n_top=0, spaces=["token"])
    assert (cloud.x == 2 * last.x).all() and (cloud.text == last.text).all()


def one_first_token(rounding: float = 6e-8) -> CorpusStates:
    """A corpus whose first tokens at layer 0 are one vector, but for rounding."""
    states = corpus(6, seed=4, dim=12)
    noise = 1 + rounding * np.random.default_rng(5).normal(size=states.states["cls"][0].shape)
    cls = states.states["cls"].copy()
    cls[0] = (cls[0, :1] * noise).astype(np.float32)
    return replace(states, states=states.states | {"cls": cls})


def test_what_only_rounding_tells_apart_is_equal_under_every_change() -> None:
    states = one_first_token()
    assert len(np.unique(states.states["cls"][0], axis=0)) > 1
    for (space, change), cloud in clouds(states, layer=0).items():
        if space == "cls":
            assert (cloud.x == cloud.x[0]).all(), change
            assert change == "as_is" or change == "no_outlier_dimensions" or not cloud.x.any()
    # At the next layer they differ, and are as they were.
    assert (clouds(states)["cls", "as_is"].x == states.states["cls"][1]).all()


def test_each_vector_once_is_the_first_of_equal_ones() -> None:
    states = one_first_token()
    token = states.states["token"].copy()
    token[1, 30:40] = token[1, 3]
    states = replace(states, states=states.states | {"token": token})
    once = {
        (space, change): cloud
        for space, change, cloud in layer_clouds(states, 1, ALL, n_top=2, each_once=True)
    }
    every = clouds(states)
    cloud, whole = once["token", "as_is"], every["token", "as_is"]
    rows = distinct_rows(whole.x)
    assert 0 < cloud.n_equal == len(whole.x) - len(rows) and whole.n_equal == 0
    assert (cloud.x == whole.x[rows]).all() and (cloud.text == whole.text[rows]).all()
    assert (once["token", "standardized"].x == changed(cloud.x, "standardized", 2)).all()
    (first,) = (
        cloud
        for space, _, cloud in layer_clouds(states, 0, ["as_is"], n_top=2, each_once=True)
        if space == "cls"
    )
    assert (len(first.x), first.n_equal) == (1, 11)


def test_which_of_all_vectors_are_left_is_known_of_a_part_too() -> None:
    token = one_first_token().states["token"].copy()
    token[1, 30:40] = token[1, 3]
    states = replace(one_first_token(), states=one_first_token().states | {"token": token})
    (once,) = (
        cloud
        for space, _, cloud in layer_clouds(states, 1, ["as_is"], n_top=2, each_once=True)
        if space == "token"
    )
    whole = clouds(states)["token", "as_is"]
    assert whole.kept is None and once.kept is not None
    assert (whole.x[once.kept] == once.x).all()
    for cloud in (whole, once):
        part = cloud.among(np.array([2, 5, 40]))
        assert part.kept is not None and (whole.x[part.kept] == cloud.x[[2, 5, 40]]).all()
