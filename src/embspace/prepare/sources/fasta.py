"""Sequences that a user has, of a FASTA file."""

import logging
import re

import pandas as pd

from embspace.errors import InputError, counted, within
from embspace.files.fasta import Record, read_fasta
from embspace.prepare.sources.kmers import kmers
from embspace.settings.corpus import FastaCorpus


def load_fasta(corpus: FastaCorpus) -> pd.DataFrame:
    """Return the records of a file as k-mers: `id`, `domain`, `text`.

    `id` is the header up to the first blank, `domain` the class: the group of `class_pattern` in
    the whole header; empty without a pattern. With a region, codons are counted from the first base
    of a record, with no alignment. With `deduplicate`, of equal sequences of a class only the first
    stays, and a warning counts the rest.

    Raises:
        InputError: naming the key, the file and the record, if the file cannot be read, a record is
            too short for the region, or the header does not match `class_pattern`; see
            `read_fasta`.
    """
    with within("key 'path'"):
        records = read_fasta(corpus.path)
    table = pd.DataFrame(
        {
            "id": [record.name for record in records],
            "domain": [_class(record, corpus) for record in records],
            "text": [
                kmers(_region(record, corpus), k=corpus.k, stride=corpus.stride)
                for record in records
            ],
        }
    )
    return _deduplicated(table, corpus) if corpus.deduplicate else table


def _class(record: Record, corpus: FastaCorpus) -> str:
    if corpus.class_pattern is None:
        return ""
    match = re.search(corpus.class_pattern, record.header)
    if not (match and match[1]):
        raise InputError(
            f"key 'class_pattern': {corpus.path}: finds no class in the header {record.header!r}"
        )
    return match[1]


def _region(record: Record, corpus: FastaCorpus) -> str:
    if corpus.first_codon is None or corpus.last_codon is None:
        return record.sequence
    if len(record.sequence) < 3 * corpus.last_codon:
        raise InputError(
            f"key 'last_codon': {corpus.path}, record '{record.name}': found "
            f"{counted(len(record.sequence), 'base')}, too few for {corpus.last_codon:,} codons"
        )
    return record.sequence[3 * corpus.first_codon - 3 : 3 * corpus.last_codon]


def _deduplicated(table: pd.DataFrame, corpus: FastaCorpus) -> pd.DataFrame:
    kept = table.drop_duplicates(["domain", "text"], ignore_index=True)
    if n := len(table) - len(kept):
        logging.getLogger(__name__).warning(
            "%s: left out %s, whose sequence another one of the class has",
            corpus.path,
            counted(n, "record"),
        )
    return kept
