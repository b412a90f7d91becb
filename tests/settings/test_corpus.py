from pathlib import Path
from typing import Any

import pytest

from embspace.errors import InputError
from embspace.files.texts import load_texts
from embspace.prepare.texts import prepare_texts
from embspace.settings.corpus import (
    SOURCES,
    BuiltinCorpus,
    FileCorpus,
    GrammarCorpus,
    GrammarProbabilities,
    HubCorpus,
    LineagesCorpus,
    describe_corpus,
)
from embspace.settings.schema import read_yaml

HEAD = {"label": "x", "license": "CC0-1.0", "language": "English"}
PROBABILITIES = dict.fromkeys(GrammarProbabilities.model_fields, 0.3)
# The least that each source must say.
LEAST: dict[str, dict[str, Any]] = {
    "builtin": {"path": "data/texts/x.jsonl"},
    "file": {"path": "data/texts/x.csv"},
    "hub": {"repository": "someone/tiny", "revision": "a" * 40, "split": "train"},
    "wikipedia": {"api": "https://en.wikipedia.org/w/api.php", "pages": "data/texts/x.csv"},
    "enwik8": {"url": "enwik8.zip", "cleaned": True, "characters": 512, "n_texts": 128},
    "fasta": {"path": "data/texts/x.fasta", "k": 12, "stride": 9, "deduplicate": True},
    "lineages": {
        "reference": "data/published/NC_045512.2.fasta",
        "lineages": "data/published/sars_cov_2_lineages.csv",
        **{"gene_start": 21563, "gene_end": 25384, "first_codon": 319, "last_codon": 541},
        **{"k": 12, "stride": 9, "n_ancestors": 2, "n_descendants": 2, "absence_rate": 0.1},
        **{"ancestor_substitution_rate": 0.001, "descendant_substitution_rate": 0.001},
        **{"gap_rate": 0.0, "gap_length": 30, "deduplicate": True, "seed": 0},
    },
    "grammar": {
        "n_documents": 9,
        "n_sentences": {"fewest": 2, "most": 3},
        "n_topics": 2,
        "n_nouns": 3,
        "n_verbs": 3,
        "n_adjectives": 3,
        "n_adverbs": 3,
        "n_determiners": 1,
        "n_demonstratives": 1,
        "n_prepositions": 1,
        "zipf_exponent": 1,
        "probabilities": PROBABILITIES,
        "seed": 0,
    },
}


def content(source: str, **given: Any) -> dict[str, Any]:
    return {**HEAD, "source": source, **LEAST[source], **given}


def test_each_source_is_tested_here():
    assert LEAST.keys() == SOURCES.keys()


@pytest.mark.parametrize("source", LEAST)
def test_a_corpus_of_each_source_is_described_without_a_word(source: str, caplog):
    corpus = describe_corpus("x", content(source))
    assert type(corpus) is SOURCES[source]
    assert not caplog.text


@pytest.mark.parametrize("source", LEAST)
def test_a_wrong_key_names_the_file(source: str):
    with pytest.raises(InputError, match=r"conf/corpus/x\.yaml: key 'pfad' is unknown; allowed"):
        describe_corpus("x", content(source, pfad="b"))


@pytest.mark.parametrize(
    ("source", "key"), [(source, key) for source, keys in LEAST.items() for key in keys]
)
def test_a_missing_key_names_the_file(source: str, key: str):
    given = content(source)
    del given[key]
    with pytest.raises(InputError, match=rf"conf/corpus/x\.yaml: key '{key}' is missing"):
        describe_corpus("x", given)


@pytest.mark.parametrize("source", ["Hub", None, 1, ["file"]])
def test_a_source_that_there_is_not_names_those_that_there_are(source: object):
    with pytest.raises(InputError, match=r"x\.yaml: key 'source': found .*llowed: builtin, file"):
        describe_corpus("x", {**HEAD, "source": source})


@pytest.mark.parametrize(
    ("source", "given", "message"),
    [
        ("hub", {"revision": "main"}, "key 'revision': .*found 'main'"),
        ("hub", {"revision": "A" * 40}, "key 'revision'"),
        ("hub", {"repository": "tiny"}, "key 'repository': .*found 'tiny'"),
        ("hub", {"repository": "../../etc/x"}, "key 'repository'"),
        ("hub", {"n_texts": 0}, "key 'n_texts': .*found 0"),
        ("wikipedia", {"seconds_between_requests": 0.0}, "key 'seconds_between_requests'"),
        ("wikipedia", {"contact": "me\r\nHost: x"}, "key 'contact'"),
        ("enwik8", {"sha256": "abc"}, "key 'sha256': .*found 'abc'"),
        ("enwik8", {"cleaned": "yes"}, "key 'cleaned': .*found 'yes'"),
        ("enwik8", {"characters": 0}, "key 'characters': .*found 0"),
        ("enwik8", {"n_texts": 1.5}, "key 'n_texts': .*found 1.5"),
        ("grammar", {"n_sentences": {"fewest": 3, "most": 2}}, "key 'n_sentences': most may not"),
        ("grammar", {"n_topics": 1}, "key 'n_topics': .*found 1"),
        ("grammar", {"halves": True}, "key 'halves': .*found True"),
        ("grammar", {"seed": None}, "key 'seed': .*found None"),
        (
            "grammar",
            {"probabilities": PROBABILITIES | {"stay": 1.1}},
            "key 'probabilities.stay': .*found 1.1",
        ),
        (
            "grammar",
            {"probabilities": PROBABILITIES | {"stacked": 1.0}},
            "key 'probabilities.stacked': .*found 1.0",
        ),
        (
            "grammar",
            {"probabilities": PROBABILITIES | {"object_relative": 0.5}},
            "key 'probabilities': .* may sum to one, not to 1.1",
        ),
        ("grammar", {"probabilities": {}}, "key 'probabilities.stay' is missing"),
        ("file", {"text_column": None}, "key 'text_column': .*found None"),
        ("fasta", {"k": 0}, "key 'k': .*found 0"),
        ("fasta", {"class_pattern": "("}, r"key 'class_pattern': A regular .*found '\("),
        ("fasta", {"class_pattern": "a"}, "key 'class_pattern': .* with one group .*found 'a'"),
        ("fasta", {"class_pattern": "(a)(b)"}, "key 'class_pattern': .* with one group"),
        ("fasta", {"first_codon": 1}, "keys 'first_codon' and 'last_codon': expected both"),
        ("fasta", {"first_codon": 3, "last_codon": 2}, "key 'last_codon': found 2, allowed: from"),
        ("fasta", {"stride": 13}, "key 'stride': found 13, allowed: up to k, 12"),
        ("lineages", {"stride": 13}, "key 'stride': found 13, allowed: up to k, 12"),
        ("lineages", {"last_codon": 318}, "key 'last_codon': found 318, allowed: from first_codon"),
        ("lineages", {"absence_rate": 1.5}, "key 'absence_rate': .*found 1.5"),
        ("lineages", {"n_ancestors": 0}, "key 'n_ancestors': .*found 0"),
        ("lineages", {"gap_length": 0}, "key 'gap_length': .*found 0"),
        ("lineages", {"seed": -1}, "key 'seed': .*found -1"),
    ],
)
def test_a_wrong_value_names_the_key(source: str, given: dict[str, Any], message: str):
    with pytest.raises(InputError, match=rf"conf/corpus/x\.yaml: {message}"):
        describe_corpus("x", content(source, **given))


def test_a_revision_may_be_left_open_if_one_says_so():
    corpus = describe_corpus("x", content("hub", revision=None))
    assert isinstance(corpus, HubCorpus)
    assert corpus.revision is None


def test_a_source_that_was_mistyped_is_proposed():
    with pytest.raises(InputError, match=r"found 'wikpedia'; did you mean 'wikipedia'\?"):
        describe_corpus("x", {**HEAD, "source": "wikpedia"})


def test_sentences_have_no_halves():
    describe_corpus("x", content("file", unit="text", halves=True))
    with pytest.raises(InputError, match=r"x\.yaml: key 'halves': found True, allowed: False with"):
        describe_corpus("x", content("file", unit="sentence", halves=True))


def test_the_corpora_that_come_with_embspace_can_be_read(root: Path, monkeypatch):
    monkeypatch.chdir(root)
    for path in (root / "conf/corpus").glob("*.yaml"):
        corpus = describe_corpus(path.stem, read_yaml(path))
        # The others need a network.
        if isinstance(corpus, BuiltinCorpus | FileCorpus | LineagesCorpus | GrammarCorpus):
            assert len(prepare_texts(path.stem, corpus)) > 1


def test_one_article_is_longer_than_a_window(root: Path, monkeypatch):
    # So that the default run goes through the windows too.
    monkeypatch.chdir(root)
    assert load_texts("data/texts/articles.jsonl")["text"].str.split().map(len).max() > 512
