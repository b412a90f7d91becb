"""Stage `prepare_texts`: the texts of a corpus from any source, as a single table."""

import logging
from pathlib import Path

import pandas as pd

from embspace.errors import InputError, counted, not_among, within
from embspace.files.remote import is_address, local_path
from embspace.files.rows import save_rows
from embspace.files.texts import MissingColumnError, load_texts
from embspace.prepare.copies import copies_of, joined
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

COLUMNS = ["id", "document", "domain", "subject", "text", "copy_of"]
# Whose design says which texts are independent; that some are equal is chance.
SIMULATED = (GrammarCorpus, LineagesCorpus)
# What this stage has in dvc.yaml among its deps.
WATCHED = (
    Path("data/texts"),
    Path("data/published/NC_045512.2.fasta"),
    Path("data/published/sars_cov_2_lineages.csv"),
)


def prepare_texts(name: str, corpus: Corpus) -> pd.DataFrame:
    """One row per text of the corpus `name` for the model.

    The columns are id, document, domain, subject, text, copy_of.

    `document` is shared by texts that belong together, if the source has the column, else the id of
    the text. With `unit: sentence` the id of a sentence is `<id>.<number>`. `copy_of` is the id of
    the first equal text, for an original the text's own; for a sentence, the sentence at the same
    place of the original text. Documents with copies of one text are merged. `domain` and `subject`
    are empty if unknown; `subject` has the `group_column`.

    Raises:
        InputError: naming the file of the corpus, the key, and the file or address of the texts, if
            the texts cannot be read.
    """
    with within(corpus_file(name)):
        table = load_units(corpus)
    for column in COLUMNS:
        if column not in table:
            table[column] = ""
    return table[COLUMNS].astype(str)


def load_units(corpus: Corpus) -> pd.DataFrame:
    """Return a row per text or sentence, as the corpus says: id, document, text, further facts."""
    table = load_corpus(corpus).reset_index(drop=True)
    table["document"] = documents_of(table).astype(str)
    table["copy_of"] = table["id"].astype(str)
    if not isinstance(corpus, SIMULATED):
        first = copies_of(table["text"].tolist(), corpus.copy_similarity)
        table["copy_of"] = table["copy_of"].to_numpy()[first]
        table["document"] = joined(table["document"].tolist(), first)
    return _by_sentence(table) if _is_to_split(corpus) else table


def lengths_of_units(corpus: Corpus) -> pd.Series:
    """Return the numbers of characters of texts or sentences of `load_units`, copies included."""
    texts = load_corpus(corpus)["text"]
    units = texts.map(split_sentences).explode() if _is_to_split(corpus) else texts
    return units.str.len()


def _is_to_split(corpus: Corpus) -> bool:
    """Return whether texts are to be cut into sentences; a grammar gives its own sentences."""
    return corpus.unit == "sentence" and not isinstance(corpus, GrammarCorpus)


def local_files(corpus: Corpus) -> dict[str, str]:
    """Return the paths of the files in a user's description of a corpus, by key."""
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
    """Warn if the texts lie where `dvc repro` would not notice changes."""
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
    """Return the document of each text; the id of the text where none is given."""
    if "document" not in table:
        return table["id"]
    given = table["document"].astype(object)
    documents = given.where(given.notna() & (given != ""), table["id"])
    if flaw := flaw_of_documents(documents):
        logging.getLogger(__name__).warning("column 'document': %s", flaw)
    return documents


def flaw_of_documents(documents: pd.Series) -> str:
    """Why `documents` are no units, as the end of a sentence; "" if they are."""
    if len(documents) < 2 or documents.nunique() > 1:
        return ""
    return (
        f"is {documents.iloc[0]!r} in all {len(documents):,} rows, so that they are one unit, "
        "which has no folds and no intervals; name the column of what belongs together by "
        "--document-column, or `document_column:`, such as id where each text stands alone"
    )


def copies_told(texts: pd.DataFrame) -> str:
    """Return a sentence on the copies among prepared texts; "" if there is none."""
    n_copies = int((texts["id"] != texts["copy_of"]).sum())
    if not n_copies:
        return ""
    return (
        f"{n_copies:,} of {counted(len(texts), 'text')} repeat another one, word for word or nearly"
        f"; copies count as one unit, of which there are {texts['document'].nunique():,}"
    )


def _by_sentence(table: pd.DataFrame) -> pd.DataFrame:
    table = table.assign(text=table["text"].map(split_sentences)).explode("text", ignore_index=True)
    number = "." + (table.groupby("id").cumcount() + 1).astype(str)
    return table.assign(id=table["id"] + number, copy_of=table["copy_of"] + number)


def load_corpus(corpus: Corpus) -> pd.DataFrame:
    """Return the texts of a corpus from the source: id, text, and what else is known of them."""
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
    for key, column in (("document_column", "document"), ("group_column", "subject")):
        given = getattr(corpus, key)
        if given is not None and given not in table:
            raise InputError(f"key '{key}': {not_among(given, [*table])}")
        if given is not None:
            table[column] = table[given].fillna("")
    return table


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.corpus_name
    corpus = describe_corpus(name, config.corpus)
    warn_unwatched(name, corpus)
    table = prepare_texts(name, corpus, **config.settings)
    if warning := copies_told(table):
        logging.getLogger(__name__).warning("corpus '%s': %s", name, warning)
    save_rows(table, f"data/prepared/texts/{name}.parquet")


if __name__ == "__main__":
    run_stage(main, prepare_texts, groups=("corpus",))
