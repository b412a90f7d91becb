"""Simulated sequences of a gene, in classes that the defining changes of lineages make."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from jaxtyping import Int, UInt8

from embspace.errors import InputError, counted, within
from embspace.files.fasta import read_fasta
from embspace.prepare.sources.changes import CodonChange, Lineage, read_lineages
from embspace.prepare.sources.kmers import kmers
from embspace.settings.corpus import LineagesCorpus

Bases = UInt8[np.ndarray, "codon 3"]  # letters, by the codons of the reference
Sites = Int[np.ndarray, " site"]

LETTERS = np.frombuffer(b"acgt", dtype=np.uint8)
UNKNOWN, DELETED = ord("n"), ord("-")


def load_lineages(corpus: LineagesCorpus) -> pd.DataFrame:
    """`n_ancestors` x `n_descendants` simulated sequences a class, as k-mers.

    Columns: `id`; `document`, the ancestor; `domain`, the class; `subject`, "simulated" and the
    lineage; `text`; `half_hidden`, the text of the same sequence with n in half of the codons of
    the region changed by any lineage, drawn per sequence. Split train and test by `document`:
    descendants of an ancestor are near copies.

    The simulation is the simplest with the features of the task: shared changes, exceptions, noise.

    1. An ancestor is the reference gene with the changes of the class; every change is absent,
       independently, with probability `absence_rate`. Then every base is replaced, by any of the
       three further bases, with probability `ancestor_substitution_rate`.
    2. A descendant is the ancestor with further substitutions at `descendant_substitution_rate`.
       Without selection, residues change and stops arise.
    3. As in sequencing gaps, with probability `gap_rate` at every base, `gap_length` bases from
       there on are n.
    4. Deleted codons are left out, and the rest moves up, as in sequences read without an
       alignment. A deletion of no multiple of three codons thus changes, with windows of four
       codons every three, all later k-mers: the deletions of lambda and delta, in the whole spike.
       The region is cut before, by the codons of the reference: without deletions, all codons of
       the region stay in place.
    5. With `deduplicate`, only the first of equal sequences of a class stays: no text of a class is
       in both train and test. Equal sequences of two classes stay: no reader can tell such
       sequences apart, and they bound the attainable accuracy.

    The whole gene is drawn before the region is cut, from one stream of chance an ancestor: corpora
    that differ only in region, k or stride have the same sequences.

    Raises:
        InputError: naming the key and the file, if a file cannot be read, the gene lies outside the
            reference or has unknown codons, the region lies outside the gene, or a change does not
            fit; see `read_fasta`, `read_lineages`.
    """
    gene = _gene(corpus)
    with within("key 'lineages'"):
        lineages = read_lineages(corpus.lineages, gene)
    sites = _sites(lineages, corpus)
    streams = np.random.default_rng(corpus.seed).spawn(len(lineages))
    rows = [
        row
        for lineage, stream in zip(lineages, streams, strict=True)
        for row in _rows(lineage, gene, sites, corpus, stream)
    ]
    table = pd.DataFrame(rows)
    if corpus.deduplicate:
        table = table.drop_duplicates(["domain", "text"], ignore_index=True)
    return table


def _gene(corpus: LineagesCorpus) -> str:
    with within("key 'reference'"):
        records = read_fasta(corpus.reference)
        if len(records) > 1:
            raise InputError(f"{corpus.reference}: found {len(records)} records, expected one")
    length = len(records[0].sequence)
    if not corpus.gene_start < corpus.gene_end <= length:
        raise InputError(
            f"key 'gene_end': found {corpus.gene_end}, allowed: after gene_start, "
            f"{corpus.gene_start}, up to {length}, the length of {corpus.reference}"
        )
    gene = records[0].sequence[corpus.gene_start - 1 : corpus.gene_end]
    if len(gene) % 3 or "n" in gene:
        flaw = "an unknown base" if "n" in gene else counted(len(gene), "base")
        raise InputError(
            f"keys 'gene_start' and 'gene_end': found {flaw}, expected whole codons of known bases"
        )
    if corpus.last_codon > len(gene) // 3:
        raise InputError(
            f"key 'last_codon': found {corpus.last_codon}, allowed: up to {len(gene) // 3}, that "
            "of the gene"
        )
    return gene


def _sites(lineages: list[Lineage], corpus: LineagesCorpus) -> Sites:
    """The codons of the region, from 0, that any lineage changes."""
    changed = {
        codon
        for lineage in lineages
        for change in lineage.changes
        for codon in range(change.first, change.last + 1)
        if corpus.first_codon <= codon <= corpus.last_codon
    }
    return np.array(sorted(changed), dtype=np.int64) - corpus.first_codon


def _rows(
    lineage: Lineage, gene: str, sites: Sites, corpus: LineagesCorpus, rng: np.random.Generator
) -> Iterator[dict[str, str]]:
    for number, stream in enumerate(rng.spawn(corpus.n_ancestors), 1):
        document = f"{lineage.label}-{number}"
        hiding = stream.spawn(1)[0]  # of its own, so that it changes no sequence
        for descendant, region in enumerate(_family(lineage.changes, gene, corpus, stream), 1):
            hidden = region.copy()
            hidden[hiding.choice(sites, (len(sites) + 1) // 2, replace=False)] = UNKNOWN
            yield {
                "id": f"{document}-{descendant}",
                "document": document,
                "domain": lineage.label,
                "subject": f"simulated {lineage.name}",
                "text": _text(region, corpus),
                "half_hidden": _text(np.where(region == DELETED, region, hidden), corpus),
            }


def _text(region: Bases, corpus: LineagesCorpus) -> str:
    sequence = region.tobytes().decode().replace(chr(DELETED), "")
    return kmers(sequence, k=corpus.k, stride=corpus.stride)


def _family(
    changes: tuple[CodonChange, ...], gene: str, corpus: LineagesCorpus, rng: np.random.Generator
) -> Iterator[Bases]:
    """Yield the regions of an ancestor's descendants."""
    present = rng.random(len(changes)) >= corpus.absence_rate
    kept = [change for change, there in zip(changes, present, strict=True) if there]
    ancestor = _substituted(_changed(gene, kept), corpus.ancestor_substitution_rate, rng)
    for _ in range(corpus.n_descendants):
        descendant = _substituted(ancestor, corpus.descendant_substitution_rate, rng)
        descendant = _with_gaps(descendant, corpus.gap_rate, corpus.gap_length, rng)
        yield descendant[corpus.first_codon - 1 : corpus.last_codon]


def _changed(gene: str, changes: list[CodonChange]) -> Bases:
    bases = np.frombuffer(gene.encode(), dtype=np.uint8).reshape(-1, 3).copy()
    for change in changes:
        bases[change.first - 1 : change.last] = DELETED
        if change.codon_to:
            bases[change.first - 1] = list(change.codon_to.encode())
    return bases


def _substituted(bases: Bases, rate: float, rng: np.random.Generator) -> Bases:
    """Return the bases, exchanged with probability `rate`; deleted bases stay deleted."""
    hit = (rng.random(bases.shape) < rate) & (bases != DELETED)
    # One to three letters further on in the circle of four.
    letter = np.searchsorted(LETTERS, bases[hit]) + rng.integers(1, 4, size=int(hit.sum()))
    result = bases.copy()
    result[hit] = LETTERS[letter % 4]
    return result


def _with_gaps(bases: Bases, rate: float, length: int, rng: np.random.Generator) -> Bases:
    starts = (rng.random(bases.size) < rate).cumsum()
    covered = starts - np.concatenate([np.zeros(length, int), starts])[: starts.size] > 0
    return np.where(covered.reshape(bases.shape) & (bases != DELETED), UNKNOWN, bases).astype(
        np.uint8
    )
