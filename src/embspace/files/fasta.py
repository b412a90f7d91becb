"""FASTA files of nucleotide sequences, plain or gzipped, read with Biopython."""

import gzip
import re
import zlib
from dataclasses import dataclass
from io import StringIO

from Bio.Data.IUPACData import ambiguous_dna_letters
from Bio.SeqIO.FastaIO import SimpleFastaParser

from embspace.errors import InputError
from embspace.files.remote import local_path

NO_NUCLEOTIDE = re.compile(f"[^{ambiguous_dna_letters.lower()}u]")


@dataclass(frozen=True)
class Record:
    """A sequence."""

    header: str  # without the ">"
    sequence: str  # of a, c, g, t and n

    @property
    def name(self) -> str:
        """The header up to the first blank."""
        return self.header.split()[0]


def read_fasta(path: str) -> list[Record]:
    """Return the records of a file, with any line ends and capitals.

    U is read as t, IUPAC's codes for several bases as n. Blanks within a sequence are dropped. A
    path may start with `~`.

    Raises:
        InputError: naming the file and, if possible, the record: no such file, no FASTA, no record,
            an empty header or sequence, a repeated name, a letter for no nucleotide.
    """
    content = _content(path).lstrip()
    if not content.startswith(">"):
        raise InputError(f"{path}: expected '>' as the first character, found {content[:1]!r}")
    records: dict[str, Record] = {}
    # This file object translates all kinds of line ends, as an opened text file does.
    for number, parts in enumerate(SimpleFastaParser(StringIO(content, newline=None)), 1):
        record = _record(*parts, where=f"{path}, record {number}")
        if record.name in records:
            raise InputError(
                f"{path}, record {number}: the name '{record.name}' is that of an earlier record; "
                "a name ends at the first blank of its header"
            )
        records[record.name] = record
    return list(records.values())


def _content(path: str) -> str:
    try:
        content = local_path(path).read_bytes()
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
        return content.decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: not found") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path}: is no whole gzip: {error}") from None
    except OSError as error:  # a folder, a file that may not be read
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no FASTA, which is text: {error}") from None


def _record(header: str, letters: str, *, where: str) -> Record:
    if not header.strip():
        raise InputError(f"{where}: expected a name after '>', found none")
    record = Record(header.strip(), "".join(letters.split()).lower())
    if not record.sequence:
        raise InputError(f"{where}, '{record.name}': has a header and no sequence")
    if wrong := NO_NUCLEOTIDE.search(record.sequence):
        raise InputError(
            f"{where}, '{record.name}': found {wrong[0]!r} as letter {wrong.start() + 1} of the "
            "sequence, allowed: A, C, G, T, U, N and IUPAC's codes for one of several bases; "
            "neither the residues of a protein nor the gaps of an alignment"
        )
    return Record(record.header, re.sub("[^acgt]", "n", record.sequence.replace("u", "t")))
