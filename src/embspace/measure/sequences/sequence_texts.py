"""Held-out sequences of a classifying run, with the known changes present."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool, Int

from embspace.analysis import Column, Source
from embspace.errors import InputError
from embspace.files.rows import load_rows
from embspace.measure.sequences.sequence_gene import Gene, gene_of
from embspace.measure.tables.run_corpora import corpus_of
from embspace.measure.tables.runs import RUN_TEXTS
from embspace.settings.corpus import Corpus, FastaCorpus, LineagesCorpus
from embspace.settings.run import CausalLanguageModeling, Run, SequenceClassification, run_file


@dataclass(frozen=True, eq=False)
class Sequences:
    """Sequences with their classes and documents; of a simulation a document is an ancestor."""

    texts: list[str]
    classes: list[str]
    """All names, in the order in which the model numbers them."""
    label: Int[np.ndarray, " text"]
    document: Int[np.ndarray, " text"]

    @property
    def stratum(self) -> Int[np.ndarray, " document"]:
        """The classes of documents, the strata of half-samples."""
        _, first = np.unique(self.document, return_index=True)
        return self.label[first]


@dataclass(frozen=True, eq=False)
class PlacedSequences:
    """One sequence per document, whose k-mers are places of the gene."""

    sequences: Sequences
    gene: Gene
    has: Bool[np.ndarray, "text change"]
    """Whether a text is of the class of a change, and has the codon of the change."""

    @property
    def true_places(self) -> Bool[np.ndarray, "text place"]:
        """Return which places cover a defining change that the text has, of its own class."""
        return np.asarray(self.has.astype(int) @ self.gene.covers.astype(int) > 0)

    @property
    def places_of_any(self) -> Bool[np.ndarray, " place"]:
        """Return which places cover a codon that any class changes."""
        return np.asarray(self.gene.covers.any(axis=0))


def classification_of(run: Run) -> str | None:
    """Return the name of the phase in which an encoder learns classes; None if there is none."""
    phases = list(run.phases.items())
    name, last = phases[-1]
    # What is read from left to right has its class at the last token, not at the first.
    is_decoder = any(isinstance(phase, CausalLanguageModeling) for _, phase in phases)
    return name if isinstance(last, SequenceClassification) and not is_decoder else None


def held_out_sequences(
    name: str, run: Run, corpus: Corpus, texts: pd.DataFrame
) -> Sequences | None:
    """Return the held-out texts of a run that classifies sequences; None for other runs.

    Raises:
        InputError: naming the run's file, if no text is held out, or all are of the same class.
    """
    is_of_sequences = isinstance(corpus, LineagesCorpus | FastaCorpus)
    return held_out_texts(name, run, texts) if is_of_sequences else None


def held_out_texts(name: str, run: Run, texts: pd.DataFrame) -> Sequences | None:
    """Return the held-out texts of a run that classifies texts of any kind; None for other runs.

    Raises:
        InputError: as `held_out_sequences`.
    """
    if classification_of(run) is None:
        return None
    classes = sorted(set(texts.loc[texts["split"] == "train", "label"]))
    tested = texts[texts["split"] == "test"]
    if tested.empty:
        raise InputError(
            f"{run_file(name)}: key 'test_share': found {run.test_share}, but no text is held out"
        )
    if tested["label"].nunique() < 2:
        raise InputError(
            f"{run_file(name)}: key 'label_column': all held-out texts are of one class, "
            f"{tested['label'].iloc[0]!r}; expected two or more"
        )
    label = np.array([classes.index(name) for name in tested["label"]], dtype=np.int64)
    document = pd.factorize(tested["document"])[0].astype(np.int64)
    return Sequences(list(tested["text"]), classes, label, document)


def placed_sequences(
    name: str, sequences: Sequences | None, corpus: Corpus
) -> PlacedSequences | None:
    """The first sequence of a document with k-mers at the gene's places; None for other runs.

    None for sequences of FASTA files, too: the defining sites are unknown.

    Descendants of an ancestor are near copies, and the first stands for all. Left out are classes
    that delete codons of the region, and sequences with a different number of k-mers: the places
    are unknown.

    Raises:
        InputError: naming the run's file, if fewer than two classes are left.
    """
    if sequences is None or not isinstance(corpus, LineagesCorpus):
        return None
    gene = gene_of(corpus)
    words = [text.split() for text in sequences.texts]
    names = np.array(sequences.classes)[sequences.label]
    fits = np.array([len(kmers) == gene.n_places for kmers in words])
    fits &= ~np.isin(names, sorted(gene.deleting))
    rows = np.flatnonzero(fits)
    _, first = np.unique(sequences.document[rows], return_index=True)
    rows = rows[np.sort(first)]
    if len(np.unique(sequences.label[rows])) < 2:
        raise InputError(
            f"{run_file(name)}: of {len(words)} held-out texts {int(fits.sum())} have the "
            f"{gene.n_places} k-mers of the region without a deletion; expected some of two classes"
        )
    kept = Sequences(
        texts=[sequences.texts[row] for row in rows],
        classes=sequences.classes,
        label=sequences.label[rows],
        document=np.arange(len(rows)),
    )
    is_own = gene.changes["class"].to_numpy()[np.newaxis] == names[rows][:, np.newaxis]
    has = np.stack([gene.present(words[row]) for row in rows])
    return PlacedSequences(kept, gene, is_own & has)


def load_sequences(corpora: str, texts: str, name: str, run: Run) -> Sequences | None:
    """Return the held-out sequences of a run; None as `held_out_sequences`.

    Raises:
        InputError: as `held_out_sequences`.
    """
    return held_out_sequences(name, run, corpus_of(corpora, run), load_rows(texts))


def load_placed(corpora: str, texts: str, name: str, run: Run) -> PlacedSequences | None:
    """Return the held-out sequences of a run at the places of the gene; None as `placed_sequences`.

    Raises:
        InputError: as `held_out_sequences` and `placed_sequences`.
    """
    sequences = load_sequences(corpora, texts, name, run)
    return placed_sequences(name, sequences, corpus_of(corpora, run))


PLACE: dict[str, Column] = {"place": "row", "first_codon": "setting", "last_codon": "setting"}
PLACE |= {"n_changes": "count"}
CORPUS_AND_TEXTS = ("conf/corpus", RUN_TEXTS)
SEQUENCES = Source(load_sequences, CORPUS_AND_TEXTS, described=True)
PLACED = Source(
    load_placed,
    CORPUS_AND_TEXTS,
    described=True,
    # The gene and the changes of its classes, which the corpus names.
    named=("data/published/NC_045512.2.fasta", "data/published/sars_cov_2_lineages.csv"),
)
