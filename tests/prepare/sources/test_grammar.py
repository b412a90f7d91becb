import pandas as pd
import pytest

from embspace.grammar.language import make_language, split_at_marks, write_sentences
from embspace.grammar.lexicon import END_MARK
from embspace.prepare.sentences import split_sentences
from embspace.prepare.sources.grammar import load_grammar
from tests.grammar.languages import corpus

N_DOCUMENTS = 30


@pytest.fixture(scope="module")
def documents() -> pd.DataFrame:
    """Texts by document; treat them as read-only."""
    return load_grammar(corpus(n_documents=N_DOCUMENTS))


@pytest.fixture(scope="module")
def sentences() -> pd.DataFrame:
    """The same by sentence; treat them as read-only."""
    return load_grammar(corpus(n_documents=N_DOCUMENTS, unit="sentence"))


def test_a_row_is_a_document_or_a_sentence(documents, sentences):
    assert list(documents) == list(sentences) == ["id", "document", "domain", "subject", "text"]
    assert documents["id"].tolist() == [f"{number:02d}" for number in range(1, N_DOCUMENTS + 1)]
    assert documents["document"].equals(documents["id"])
    assert sentences["document"].unique().tolist() == documents["id"].tolist()
    number = sentences.groupby("document").cumcount() + 1
    assert sentences["id"].equals(sentences["document"] + "." + number.astype(str))
    assert set(documents["subject"]) == set(sentences["subject"]) == {"generated"}


def test_both_have_the_same_words(documents, sentences):
    joined = sentences.groupby("document", sort=False)["text"].agg(" ".join)
    assert joined.tolist() == documents["text"].tolist()
    assert not documents["text"].str.contains(r"\s\s|^\s|\s$").any()


def test_a_documents_sentences_end_at_its_marks_alone(documents, sentences):
    split = [" ".join(words) for text in documents["text"] for words in split_at_marks(text)]
    assert split == sentences["text"].tolist()
    assert sentences["text"].str.split().str[-1].eq(END_MARK).all()
    # By rules for English, which look for a capital letter, there is one sentence only.
    assert all(split_sentences(text) == [text] for text in documents["text"])


def test_the_domain_is_the_topic(documents, sentences):
    written = write_sentences(make_language(corpus()), 0, N_DOCUMENTS)
    assert sentences["domain"].tolist() == [f"topic {topic + 1}" for topic in written["topic"]]
    for document, domain in documents[["document", "domain"]].to_numpy():
        counts = sentences.loc[sentences["document"] == document, "domain"].value_counts()
        assert counts[domain] == counts.max()


def test_among_topics_of_as_many_sentences_the_first_to_come_is_the_domain():
    given = {"n_sentences": {"fewest": 2, "most": 2}, "probabilities": {"stay": 0.0}}
    whole = load_grammar(corpus(n_documents=9, **given))
    split = load_grammar(corpus(n_documents=9, unit="sentence", **given))
    assert whole["domain"].tolist() == split["domain"].tolist()[::2]


def test_more_documents_leave_the_first_as_they_are(documents):
    more = load_grammar(corpus(n_documents=N_DOCUMENTS + 5))
    assert more.iloc[:N_DOCUMENTS].equals(documents)
