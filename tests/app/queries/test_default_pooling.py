"""Without a pooling, a query takes what the makers of the model take."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.queries.corpus_space import CorpusSpace, reference_space
from embspace.app.queries.cosine import compare_texts
from embspace.app.queries.default_pooling import default_pooling
from embspace.app.queries.search import search
from embspace.errors import InputError
from embspace.models.architecture import load_config
from embspace.settings.model import describe_model
from tests.app.queries.extracted import write_extracted
from tests.models.sentence.folders import Module
from tests.tiny import tiny_description
from tests.zoo import build_animal

LONG = "rain on the mat . " * 20
TEXTS = pd.DataFrame(
    {
        "id": ["sea", "bakery", "long", "day"],
        "text": ["the boat and the tide", "salt and bread", LONG, "the sun and the light"],
    }
).assign(document=lambda table: table["id"])
MODULES: list[Module] = [("Pooling", {"pooling_mode": "max"}), ("Normalize", {})]


@pytest.fixture(scope="module")
def sentences(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_extracted(tmp_path_factory.mktemp("sentences"), TEXTS, MODULES, max_seq_length=14)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_extracted(tmp_path_factory.mktemp("plain"), TEXTS)


def space(pooling: str | None, layer: int = -1) -> CorpusSpace:
    return reference_space("tiny", "one", layer, pooling)


def test_of_a_sentence_model_it_is_its_own_vector(sentences: Path, monkeypatch):
    monkeypatch.chdir(sentences)
    own = space(None)
    assert own.pooling == "sentence"
    assert len(own.vectors) == len(TEXTS) == len(own.rows) < len(own.windows)
    encoded = own.encode(TEXTS["text"].tolist())
    assert np.allclose(encoded, own.vectors, atol=1e-5)


def test_search_and_cosine_go_by_it(sentences: Path, monkeypatch):
    monkeypatch.chdir(sentences)
    hits = search("tiny", "one", LONG, layer=-1, pooling=None, n_hits=9)
    assert [hit.text for hit in hits][0] == "long"
    assert {hit.text for hit in hits} == {*TEXTS["id"]} and hits[0].cosine == pytest.approx(1)
    comparison = compare_texts("tiny", "one", *TEXTS["text"][:2], layer=-1, pooling=None)
    x = space(None).vectors[:2].astype(np.float64)
    assert comparison.as_is.cosine == pytest.approx(
        x[0] @ x[1] / np.prod(np.linalg.norm(x, axis=1))
    )
    assert str(comparison).startswith("tiny, sentence, among 6 pairs of 4 documents of one")


def test_another_layer_of_a_sentence_model_has_the_mean(sentences: Path, monkeypatch):
    monkeypatch.chdir(sentences)
    assert space(None, 1).pooling == "mean"


def test_of_an_encoder_it_is_the_mean(plain: Path, monkeypatch):
    monkeypatch.chdir(plain)
    assert space(None).pooling == "mean"


def test_a_sentence_model_s_vector_has_no_layer(sentences: Path, plain: Path, monkeypatch):
    monkeypatch.chdir(sentences)
    assert space("sentence", 2).pooling == "sentence"  # the last one
    with pytest.raises(InputError, match="--layer: found 1, allowed: none beside 'sentence'"):
        space("sentence", 1)
    monkeypatch.chdir(plain)
    with pytest.raises(InputError, match="--pooling: found 'sentence', allowed: cls, mean"):
        space("sentence")


@pytest.mark.parametrize("pooling", ["last", "weightedmean", "mean_sqrt_len_tokens", "first_last"])
def test_texts_have_the_vectors_of_their_windows(plain: Path, monkeypatch, pooling: str):
    monkeypatch.chdir(plain)
    corpus_space = space(pooling)
    encoded = corpus_space.encode(TEXTS["text"].tolist()[:2])
    assert np.allclose(encoded, corpus_space.vectors[:2], atol=1e-5)


def test_the_mean_of_the_first_and_the_last_layer(plain: Path, monkeypatch):
    monkeypatch.chdir(plain)
    expected = (space("mean", 1).vectors + space("mean", 2).vectors) / 2
    assert np.allclose(space("first_last").vectors, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("gpt2", "last"), ("llama", "last"), ("bert", "mean"), ("modernbert", "mean")],
)
def test_where_states_do_not_tell_a_decoder_its_config_does(
    name: str, expected: str, tmp_path: Path
):
    folder = build_animal(name, tmp_path / name)
    model = describe_model("tiny", tiny_description(folder))
    x = np.random.default_rng(0).normal(size=(3, 4, 8)).astype(np.float32)
    states = {"cls": x, "mean": x}
    assert default_pooling(states, lambda: load_config("tiny", model)) == expected


@pytest.mark.parametrize(("is_seen", "expected"), [(True, "mean"), (False, "last")])
def test_states_of_texts_that_begin_alike_tell_a_decoder(is_seen: bool, expected: str):
    x = np.random.default_rng(0).normal(size=(2, 4, 8)).astype(np.float32)
    first = x.copy()
    first[0] = first[0, 0]
    if not is_seen:
        first[1] = first[1, 0]
    assert default_pooling({"cls": first, "mean": x}, lambda: None) == expected


def test_equal_texts_tell_nothing_of_a_decoder(tmp_path: Path):
    x = np.ones((2, 4, 8), np.float32)
    model = describe_model("tiny", tiny_description(build_animal("bert", tmp_path / "bert")))
    config = load_config("tiny", model)
    assert default_pooling({"cls": x, "mean": x}, lambda: config) == "mean"
