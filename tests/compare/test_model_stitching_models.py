"""Loads models to be stitched, refuses others by a reason, and reads beginnings of texts."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from embspace.compare.model_stitching_models import (
    ClosedModel,
    OpenModel,
    choose_texts,
    load_stitched_model,
    read_beginnings,
    reason_against,
)
from tests.compare.stitched import module, opened, texts, tokenizer
from tests.tiny import DIM, POSITIONS, VOCABULARY, write_tiny_model

MINE = "conf/model/mine.yaml"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_tiny_model(Path("models/mine"), Path("conf"), "mine")
    return tmp_path


@pytest.mark.usefixtures("tree")
def test_a_model_comes_with_embeddings_tokens_and_window() -> None:
    model = load_stitched_model(MINE, "")
    assert isinstance(model, OpenModel)
    assert model.embedding.shape == (len(VOCABULARY), DIM)
    assert (model.name, model.tokens, model.window) == ("mine", VOCABULARY, POSITIONS)


def test_at_random_weights_nothing_but_the_architecture_stays() -> None:
    model = opened("one", module(0))
    twin, again = model.untrained(5), model.untrained(5)
    assert twin.embedding.shape == model.embedding.shape
    assert not np.allclose(twin.embedding, model.embedding)
    assert np.array_equal(twin.embedding, again.embedding)
    assert not np.array_equal(twin.embedding, model.untrained(6).embedding)


@pytest.mark.usefixtures("tree")
def test_vectors_alone_and_a_model_without_a_tokenizer_are_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("embspace.compare.model_stitching_models.tokenizer_files", lambda _: None)
    without = load_stitched_model(MINE, "")
    assert without == ClosedModel("mine: reads no text without a tokenizer")
    Path("vectors.csv").write_text("a,b\n1,2\n")
    vectors = {"label": "v", "license": "CC0-1.0", "language": "none", "source": "vectors"}
    Path("words.yaml").write_text(yaml.safe_dump(vectors | {"path": "vectors.csv"}))
    closed = load_stitched_model("words.yaml", "")
    assert closed == ClosedModel("words: vectors alone have no blocks")


@pytest.mark.usefixtures("tree")
def test_a_model_whose_blocks_cannot_be_entered_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("embspace.compare.model_stitching_models.can_be_entered", lambda _: False)
    assert load_stitched_model(MINE, "") == ClosedModel(
        "mine: the blocks of BertModel cannot be entered"
    )


def test_a_pair_has_the_reason_of_either_model() -> None:
    model, closed = opened("one", module(0)), ClosedModel("two: no blocks")
    assert reason_against(model, closed) == reason_against(closed, model) == "two: no blocks"
    assert reason_against(model, opened("two", module(1))) == ""


def test_texts_are_of_the_corpus_with_most_documents() -> None:
    chosen = choose_texts(texts(), n_texts=30, n_training=10, least_texts=20)
    assert (chosen.corpus, len(chosen.compared), len(chosen.training)) == ("news", 30, 10)
    assert not {*chosen.compared} & {*chosen.training}
    few = choose_texts(texts(50), n_texts=30, n_training=40, least_texts=20)
    assert (len(few.compared), len(few.training)) == (25, 25)


def test_a_document_gives_one_text() -> None:
    table = pd.DataFrame({"id": [*"abc"], "document": [*"xxy"], "text": ["one", "two", "three"]})
    chosen = choose_texts({"news": table}, n_texts=9, n_training=9, least_texts=4)
    assert chosen.compared == ["one", "three"] and chosen.training == []


def test_long_texts_are_read_from_their_beginning() -> None:
    read = read_beginnings(["w1 w2", "w1 w2 w3 w4 w5 w6", "w7"], tokenizer(), 6)
    assert read.tokens.mask.sum(axis=1).tolist() == [4, 6, 3]
    assert read.shown.sum(axis=1).tolist() == [2, 4, 1]
    assert not read.shown[:, 0].any()
    assert len(read_beginnings([], tokenizer(), 6).shown) == 0
