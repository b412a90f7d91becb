from pathlib import Path
from typing import Any

import pytest

from embspace.cite.description import corpus_phrase, model_sentence
from embspace.models.lock import LockedFile, LockedModel
from embspace.settings.corpus import describe_corpus
from embspace.settings.model import describe_model
from embspace.settings.schema import read_yaml

ABOUT = {"license": "MIT", "language": "English"}
MATRICES = {"matrices": {"input": "a", "positional": None, "segment": None}}
PACKAGE = {"source": "package", "package": "p", "version": "1.2", "folder": "f"}
PIN = {"model.safetensors": "53aa51172d142c89"}
ROOT = Path(__file__).parents[2]
MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            {**PACKAGE, "sha256": PIN, "repository": MINILM},
            f"It is {MINILM} [@wang2020; @reimers2019], taken from the Python package p 1.2 "
            "(SHA-256 of the weights 53aa51172d14…).",
        ),
        (
            {"source": "path", "path": "x", "sha256": PIN},
            "It was taken from local files (SHA-256 of the weights 53aa51172d14…).",
        ),
        (
            {"source": "path", "path": "x", "repository": "nobody/nothing"},
            "It is nobody/nothing, taken from local files (weights not pinned).",
        ),
        (
            {"source": "random", "seed": 7, "config": {"model_type": "bert"}},
            "It: a bert with random weights, seed 7.",
        ),
    ],
)
def test_what_names_the_weights(content: dict[str, Any], expected: str):
    model = describe_model("it", {"label": "It", **ABOUT, **MATRICES, **content})
    assert model_sentence(model) == expected


def test_a_model_of_the_hub_is_named_by_its_commit():
    content = {"source": "hub", "repository": "maker/it"}
    model = describe_model("it", {"label": "It", **ABOUT, **MATRICES, **content})
    assert "taken from the model hub, not fetched yet (weights not pinned)" in model_sentence(model)
    files = {"model.safetensors": LockedFile(sha256="53aa51172d142c89" * 4, size=1)}
    locked = LockedModel(repository="maker/it", revision="main", commit="0f" * 20, files=files)
    expected = "the model hub, at commit 0f0f0f0f0f0f (SHA-256 of the weights 53aa51172d14…)."
    assert model_sentence(model, locked).endswith(expected)


def test_vectors_are_named_by_their_file():
    content = {"label": "It", **ABOUT, "source": "vectors", "path": "x.npy"}
    sentence = model_sentence(describe_model("it", content))
    assert sentence == "It: the vectors of the file x.npy (not pinned)."
    pinned = model_sentence(
        describe_model("it", content | {"sha256": {"path": "53aa51172d142c89"}})
    )
    assert pinned == "It: the vectors of the file x.npy (SHA-256 53aa51172d14…)."


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"source": "builtin", "path": "data/texts/a.jsonl"}, "distributed with embspace"),
        ({"source": "file", "path": "data/texts/a.txt"}, "the file data/texts/a.txt"),
        (
            {"source": "hub", "repository": "o/n", "revision": None, "subset": "s", "split": "t"},
            "o/n, s, t, not pinned",
        ),
        (
            {"source": "hub", "repository": "o/n", "revision": "a" * 40, "split": "t"},
            "o/n, t, revision aaaaaaaaaaaa…",
        ),
        (
            {"source": "wikipedia", "api": "https://x", "pages": "data/texts/p.csv"},
            "pages and revisions of data/texts/p.csv",
        ),
        (
            {"source": "enwik8", "url": "u", "cleaned": True, "characters": 9, "n_texts": 9},
            "enwik8, cleaned",
        ),
        (
            {"source": "fasta", "path": "x.fasta", "k": 3, "stride": 3, "deduplicate": True},
            "the file x.fasta",
        ),
        (
            {**read_yaml(ROOT / "conf/corpus/grammar.yaml"), **ABOUT, "label": "It", "seed": 7},
            "generated from a probabilistic context-free grammar, seed 7",
        ),
    ],
)
def test_where_texts_are_from(content: dict[str, Any], expected: str):
    corpus = describe_corpus("it", {"label": "It", **ABOUT, **content})
    assert corpus_phrase(corpus) == f"It ({expected}; MIT)"


@pytest.mark.parametrize(("label", "path"), [("of my a.csv", "my_a.csv"), ("of b.txt", "b.txt")])
def test_a_file_that_the_label_names_is_said_once(label: str, path: str):
    content = {**ABOUT, "source": "file", "path": f"data/texts/{path}", "license": "unknown"}
    corpus = describe_corpus("it", {"label": label, **content})
    assert corpus_phrase(corpus) == f"{label} (license unknown)"
    other = describe_corpus("it", {**content, "label": "It"})
    assert corpus_phrase(other) == f"It (the file data/texts/{path}; license unknown)"


def test_what_is_simulated_is_said_to_be(root: Path):
    corpus = describe_corpus("spike", read_yaml(root / "conf/corpus/spike.yaml"))
    assert corpus_phrase(corpus) == (
        "simulated spikes (simulated from data/published/NC_045512.2.fasta and "
        "data/published/sars_cov_2_lineages.csv, seed 0; CC0-1.0)"
    )
