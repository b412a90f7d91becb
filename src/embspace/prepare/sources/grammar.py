"""Texts of an invented language, generated from a probabilistic grammar."""

from collections import Counter

import pandas as pd

from embspace.grammar.language import make_language, write_sentences
from embspace.settings.corpus import GrammarCorpus


def load_grammar(corpus: GrammarCorpus) -> pd.DataFrame:
    """The corpus: `id`, `document`, `domain`, `subject`, `text`; a document a row.

    With `unit: sentence` a row is a sentence, named `<document>.<number>`, both from 1. `domain`
    is the topic of the sentence, or of most sentences of the document, the first one to come among
    equals. Words stand between single blanks; the end mark of a sentence is one of them.
    """
    sentences = write_sentences(make_language(corpus), 0, corpus.n_documents)
    digits = len(str(corpus.n_documents))
    document = (sentences["document"] + 1).astype(str).str.zfill(digits)
    number = (sentences["sentence"] + 1).astype(str)
    table = pd.DataFrame(
        {
            "id": document + "." + number,
            "document": document,
            "domain": "topic " + (sentences["topic"] + 1).astype(str),
            "subject": "generated",
            "text": sentences["text"],
        }
    )
    return table if corpus.unit == "sentence" else _joined(table)


def _joined(sentences: pd.DataFrame) -> pd.DataFrame:
    documents = sentences.groupby("document", sort=False)
    return pd.DataFrame(
        {
            "id": documents["document"].first(),
            "document": documents["document"].first(),
            "domain": documents["domain"].agg(_most_frequent),
            "subject": documents["subject"].first(),
            "text": documents["text"].agg(" ".join),
        }
    ).reset_index(drop=True)


def _most_frequent(values: pd.Series) -> str:
    # Among equals, Counter keeps the order in which they came.
    return Counter(values).most_common(1)[0][0]
