"""Stage `prepare_texts`: the texts of a corpus, wherever they come from, as one table."""

import logging
from pathlib import Path

import pandas as pd

from embspace.errors import InputError, not_among, within
from embspace.files.remote import is_address, local_path
from embspace.files.rows import save_rows
from embspace.files.texts import MissingColumnError, load_texts
from embspace.prepare.sentences import split_sentences
from embspace.settings.corpus import (
    BuiltinCorpus,
    Corpus,
    Enwik8Corpus,
    FastaCorpus,
    FileCorpus,
    GrammarCorpus,
    HubCorpus,
    LineagesCorpus,
    WikipediaCorpus,
    corpus_file,
    describe_corpus,
)
from embspace.settings.stage import StageConfig, run_stage

COLUMNS = ["id", "document", "domain", "subject", "text"]
# What this stage has in dvc.yaml among its deps.
WATCHED = (
    Path("data/texts"),
    Path("data/published/NC_045512.2.fasta"),
    Path("data/published/sars_cov_2_lineages.csv"),
)


def prepare_texts(name: str, corpus: Corpus) -> pd.DataFrame:
    """One row a text of the corpus `name` that the model reads.

    The columns are id, document, domain, subject, text.

    `document` is what texts share that belong together, where they come with such a column, else
    the id of the text as it came. With `unit: sentence` the id of a sentence is `<id>.<number>`.
    `domain` and `subject` are empty where not known; `subject` is what a `group_column` has.

    Raises:
        InputError: naming the file of the corpus, the key, and the file or address of the texts,
            if they cannot be had or read.
    """
    with within(corpus_file(name)):
        table = load_units(corpus)
    for column in COLUMNS:
        if column not in table:
            table[column] = ""
    return table[COLUMNS].astype(str)


def load_units(corpus: Corpus) -> pd.DataFrame:
    """One row a text or sentence, as the corpus says: id, document, text, what else is known."""
    table = load_corpus(corpus)
    table["document"] = documents_of(table)
    # A grammar gives the sentences that it has made.
    is_split = corpus.unit == "text" or isinstance(corpus, GrammarCorpus)
    return table if is_split else _by_sentence(table)


def local_files(corpus: Corpus) -> dict[str, str]:
    """The paths of the files that a user wrote into the description of a corpus, by their key."""
    if isinstance(corpus, BuiltinCorpus | FileCorpus | FastaCorpus):
        return {"path": corpus.path}
    if isinstance(corpus, LineagesCorpus):
        return {"reference": corpus.reference, "lineages": corpus.lineages}
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
        file = local_path(path)
        # Of the folder alone: DVC follows a link in it to a file elsewhere.
        place = file.parent.resolve() / file.name
        if not any(place.is_relative_to(watched.resolve()) for watched in WATCHED):
            logging.getLogger(__name__).warning(
                "%s: `dvc repro` would not notice a change of %s; it watches %s",
                corpus_file(name),
                path,
                ", ".join(map(str, WATCHED)),
            )


def documents_of(table: pd.DataFrame) -> pd.Series:
    """Return the document of each text; the text itself where none is given."""
    if "document" not in table:
        return table["id"]
    given = table["document"].astype(object)
    return given.where(given.notna() & (given != ""), table["id"])


def _by_sentence(table: pd.DataFrame) -> pd.DataFrame:
    table = table.assign(text=table["text"].map(split_sentences)).explode("text", ignore_index=True)
    number = table.groupby("id").cumcount() + 1
    return table.assign(id=table["id"] + "." + number.astype(str))


def load_corpus(corpus: Corpus) -> pd.DataFrame:
    """The texts of a corpus as they come: id, text, and what else is known of them."""
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
    if isinstance(corpus, FastaCorpus):
        from embspace.prepare.sources.fasta import load_fasta

        return load_fasta(corpus)
    if isinstance(corpus, LineagesCorpus):
        from embspace.prepare.sources.lineages import load_lineages

        return load_lineages(corpus)
    if isinstance(corpus, GrammarCorpus):
        from embspace.prepare.sources.grammar import load_grammar

        return load_grammar(corpus)
    from embspace.prepare.sources.wikipedia import load_wikipedia

    return load_wikipedia(corpus)


def _from_file(corpus: FileCorpus) -> pd.DataFrame:
    try:
        table = load_texts(
            corpus.path,
            corpus.text_column,
            corpus.id_column,
            separator=corpus.separator,
            skip_empty=corpus.skip_empty,
        )
    except MissingColumnError as error:
        key = "text_column" if error.column == corpus.text_column else "id_column"
        raise InputError(f"key '{key}': {error}") from None
    except InputError as error:
        raise InputError(f"key 'path': {error}") from None
    if corpus.group_column is None:
        return table
    if corpus.group_column not in table:
        raise InputError(f"key 'group_column': {not_among(corpus.group_column, [*table])}")
    return table.assign(subject=table[corpus.group_column].fillna(""))


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.corpus_name
    corpus = describe_corpus(name, config.corpus)
    warn_unwatched(name, corpus)
    table = prepare_texts(name, corpus, **config.settings)
    save_rows(table, f"data/prepared/texts/{name}.parquet")


if __name__ == "__main__":
    run_stage(main, prepare_texts, groups=("corpus",))
