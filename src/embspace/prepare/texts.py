"""Stage `prepare_texts`: the texts of a corpus, wherever they come from, as one table."""

import logging
from pathlib import Path

import pandas as pd

from embspace.config import StageConfig, run_stage
from embspace.corpus import (
    BuiltinCorpus,
    Corpus,
    Enwik8Corpus,
    FileCorpus,
    GrammarCorpus,
    HubCorpus,
    WikipediaCorpus,
    corpus_file,
    describe_corpus,
)
from embspace.errors import InputError, within
from embspace.files.remote import is_address, local_path
from embspace.files.rows import save_rows
from embspace.files.texts import MissingColumnError, load_texts
from embspace.prepare.sentences import split_sentences

COLUMNS = ["id", "document", "domain", "subject", "text"]
WATCHED = Path("data/texts")  # what this stage has in dvc.yaml among its deps


def prepare_texts(name: str, corpus: Corpus) -> pd.DataFrame:
    """One row a text of the corpus `name` that the model reads.

    The columns are id, document, domain, subject, text.

    `document` is what the texts say, else the id of the text as it came; with `unit: sentence`
    several rows share one, and their ids are `<document>.<number>`. `domain` and `subject` are
    empty where not known.

    Raises:
        InputError: naming the file of the corpus, the key, and the file or address of the texts,
            if they cannot be had or read.
    """
    with within(corpus_file(name)):
        table = _loaded(corpus)
    if "document" not in table:
        table["document"] = table["id"]
    for column in COLUMNS:
        if column not in table:
            table[column] = ""
    table = table[COLUMNS].astype(str)
    return _by_sentence(table) if corpus.unit == "sentence" else table


def local_files(corpus: Corpus) -> dict[str, str]:
    """The paths of the files that a user wrote into the description of a corpus, by their key."""
    if isinstance(corpus, BuiltinCorpus | FileCorpus):
        return {"path": corpus.path}
    if isinstance(corpus, WikipediaCorpus):
        return {"pages": corpus.pages}
    if isinstance(corpus, Enwik8Corpus) and not is_address(corpus.url):
        return {"url": corpus.url}
    return {}


def warn_unwatched(name: str, corpus: Corpus) -> None:
    """Say so if the texts lie where `dvc repro` would not notice that they change."""
    if getattr(corpus, "sha256", None):
        return  # other texts in the same place would be refused
    for path in local_files(corpus).values():
        # Of the folder alone: DVC follows a link in it to a file elsewhere.
        if not local_path(path).parent.resolve().is_relative_to(WATCHED.resolve()):
            logging.getLogger(__name__).warning(
                "%s: `dvc repro` would not notice a change of %s; it watches %s",
                corpus_file(name),
                path,
                WATCHED,
            )


def _by_sentence(table: pd.DataFrame) -> pd.DataFrame:
    table = table.assign(text=table["text"].map(split_sentences)).explode("text", ignore_index=True)
    number = table.groupby("document").cumcount() + 1
    return table.assign(id=table["document"] + "." + number.astype(str))


def _loaded(corpus: Corpus) -> pd.DataFrame:
    if isinstance(corpus, BuiltinCorpus):
        with within("key 'path'"):
            return load_texts(corpus.path)
    if isinstance(corpus, FileCorpus):
        return _from_file(corpus)
    if isinstance(corpus, HubCorpus):
        from embspace.prepare.sources.hub import load_hub_texts

        return load_hub_texts(corpus)
    if isinstance(corpus, Enwik8Corpus):
        from embspace.prepare.sources.enwik8 import load_enwik8

        return load_enwik8(corpus)
    if isinstance(corpus, GrammarCorpus):
        from embspace.prepare.sources.grammar import load_grammar

        return load_grammar(corpus)
    from embspace.prepare.sources.wikipedia import load_wikipedia

    return load_wikipedia(corpus)


def _from_file(corpus: FileCorpus) -> pd.DataFrame:
    try:
        return load_texts(corpus.path, corpus.text_column, corpus.id_column)
    except MissingColumnError as error:
        key = "text_column" if error.column == corpus.text_column else "id_column"
        raise InputError(f"key '{key}': {error}") from None
    except InputError as error:
        raise InputError(f"key 'path': {error}") from None


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.corpus_name
    corpus = describe_corpus(name, config.corpus)
    warn_unwatched(name, corpus)
    table = prepare_texts(name, corpus, **config.settings)
    save_rows(table, f"data/prepared/texts/{name}.parquet")


if __name__ == "__main__":
    run_stage(main, prepare_texts, groups=("corpus",))
