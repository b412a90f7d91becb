"""The places of a region's k-mers in the gene, and the changes that define classes."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from Bio.Seq import translate
from jaxtyping import Bool, Int

from embspace.files.fasta import read_fasta
from embspace.prepare.sources.changes import read_lineages
from embspace.settings.corpus import LineagesCorpus

CHANGE = ["class", "change", "codon", "codon_to"]


@dataclass(frozen=True, eq=False)
class Gene:
    """The places of a region, one per k-mer, and the defining changes in the region."""

    codons: Int[np.ndarray, "place 2"]
    """The first and last codon of each place, in numbers of the gene."""
    changes: pd.DataFrame
    """A row per class and changed codon: `CHANGE`."""
    covers: Bool[np.ndarray, "change place"]
    """Which places have the whole codon of a change."""
    starts: Int[np.ndarray, "change place"]
    """Where in the k-mer the codon begins."""
    deleting: frozenset[str]
    """Classes that delete codons of the region, so that later places are shifted."""

    @property
    def n_places(self) -> int:
        """Return the number of k-mers of a sequence without deletions."""
        return len(self.codons)

    def present(self, words: list[str]) -> Bool[np.ndarray, " change"]:
        """Return whether a sequence has each change's codon; `words` are its k-mers by place."""
        is_present = []
        for codon_to, covers, starts in zip(
            self.changes["codon_to"], self.covers, self.starts, strict=True
        ):
            place = int(covers.argmax())
            start = int(starts[place])
            is_present.append(bool(covers.any()) and words[place][start : start + 3] == codon_to)
        return np.array(is_present, dtype=bool)

    def places_within(self, first: int, last: int) -> Bool[np.ndarray, " place"]:
        """Return which places have a codon from `first` to `last`."""
        return (self.codons[:, 0] <= last) & (self.codons[:, 1] >= first)


def gene_of(corpus: LineagesCorpus) -> Gene:
    """Return the places and changes of a corpus's region; its tables were checked when it was made.

    As for k-mers, the region is filled up to a multiple of k, and only whole windows are taken, so
    that the last codons may be in none.

    Raises:
        InputError: if a table of the corpus cannot be read.
    """
    gene = read_fasta(corpus.reference)[0].sequence[corpus.gene_start - 1 : corpus.gene_end]
    lineages = read_lineages(corpus.lineages, gene)
    first, last = corpus.first_codon, corpus.last_codon
    length = 3 * (last - first + 1)
    starts = np.arange(0, length + -length % corpus.k - corpus.k + 1, corpus.stride)
    ends = np.minimum(starts + corpus.k, length) - 1
    rows = [
        (lineage.label, _name(gene, change.first, change.codon_to), change.first, change.codon_to)
        for lineage in lineages
        for change in lineage.changes
        if change.codon_to and first <= change.first <= last
    ]
    changes = pd.DataFrame(rows, columns=CHANGE)
    base = 3 * (changes["codon"].to_numpy(dtype=np.int64)[:, np.newaxis] - first)
    deleting = {
        lineage.label
        for lineage in lineages
        for change in lineage.changes
        if not change.codon_to and change.first <= last and change.last >= first
    }
    return Gene(
        codons=first + np.stack([starts, ends], axis=1) // 3,
        changes=changes,
        covers=(base >= starts) & (base + 2 <= ends),
        starts=base - starts,
        deleting=frozenset(deleting),
    )


def _name(gene: str, codon: int, codon_to: str) -> str:
    """Return a change as biologists write it, such as N501Y."""
    return f"{translate(gene[3 * codon - 3 : 3 * codon])}{codon}{translate(codon_to)}"
