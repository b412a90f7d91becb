"""Stage `prepare_texts`: the texts of a corpus, wherever they come from, as one table."""

import pandas as pd

from embspace.config import StageConfig, run_stage
from embspace.corpus import (
    BuiltinCorpus,
    Corpus,
    Enwik8Corpus,
    FileCorpus,
    HubCorpus,
    describe_corpus,
)
from embspace.files.rows import save_rows
from embspace.files.texts import load_texts
from embspace.prepare.sentences import split_sentences

COLUMNS = ["id", "document", "domain", "subject", "text"]


def prepare_texts(corpus: Corpus) -> pd.DataFrame:
    """One row a text that the model reads: id, document, domain, subject, text.

    `document` is the id of the text as it came; with `unit: sentence` several rows share one, and
    their ids are `<document>.<number>`. `domain` and `subject` are empty where not known.

    Raises:
        InputError: naming the file, address or key, if the texts cannot be had or read.
    """
    table = _loaded(corpus)
    table["document"] = table["id"]
    for column in COLUMNS:
        if column not in table:
            table[column] = ""
    table = table[COLUMNS].astype(str)
    return _by_sentence(table) if corpus.unit == "sentence" else table


def _by_sentence(table: pd.DataFrame) -> pd.DataFrame:
    table = table.assign(text=table["text"].map(split_sentences)).explode("text", ignore_index=True)
    number = table.groupby("document").cumcount() + 1
    return table.assign(id=table["document"] + "." + number.astype(str))


def _loaded(corpus: Corpus) -> pd.DataFrame:
    if isinstance(corpus, BuiltinCorpus):
        return load_texts(corpus.path)
    if isinstance(corpus, FileCorpus):
        return load_texts(corpus.path, corpus.text_column, corpus.id_column)
    if isinstance(corpus, HubCorpus):
        from embspace.prepare.sources.hub import load_hub_texts

        return load_hub_texts(corpus)
    if isinstance(corpus, Enwik8Corpus):
        from embspace.prepare.sources.enwik8 import load_enwik8

        return load_enwik8(corpus)
    from embspace.prepare.sources.wikipedia import load_wikipedia

    return load_wikipedia(corpus)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    corpus = describe_corpus(config.corpus_name, config.corpus)
    table = prepare_texts(corpus, **config.settings)
    save_rows(table, f"data/prepared/texts/{config.corpus_name}.parquet")


if __name__ == "__main__":
    run_stage(main, prepare_texts, groups=("corpus",))
