"""FASTA: sequences of nucleotides, each under a header, plain or gzipped."""

import gzip
import re
import zlib
from dataclasses import dataclass
from reprlib import repr as shortened

from embspace.errors import InputError
from embspace.files.remote import local_path

# What a letter is read as. Codes for one of several bases (IUPAC) are not known bases, hence n;
# u is the t of RNA.
READ_AS = {**{base: base for base in "acgtn"}, "u": "t", **dict.fromkeys("ryswkmbdhv", "n")}
# Residues that are no code of a base.
PROTEIN = set("efijlopqxz*")


@dataclass(frozen=True)
class Record:
    """One sequence."""

    header: str  # without the ">"
    line: int  # that of the header
    sequence: str  # of a, c, g, t and n

    @property
    def name(self) -> str:
        """The header up to its first blank."""
        return self.header.split()[0]


def read_fasta(path: str) -> list[Record]:
    """The records of a file, plain or gzipped, with any kind of line ends, in capitals or not.

    U is read as t, and IUPAC's codes for one of several bases as n. Blanks within a sequence are
    dropped. A path may start with `~`.

    Raises:
        InputError: naming the file and, where it is about one, the record and line: no such file,
            no FASTA, no record, a header or sequence that is empty, a name that was there before,
            a letter that stands for no nucleotide.
    """
    records: dict[str, Record] = {}
    for header, line, parts in _parts(_content(path), path):
        if not header:
            raise InputError(f"{path}, line {line}: expected a name after '>', found none")
        record = Record(header, line, _sequence(parts, f"{path}, record '{header.split()[0]}'"))
        if record.name in records:
            raise InputError(
                f"{path}, line {line}: the name '{record.name}' is that of line "
                f"{records[record.name].line}; a name ends at the first blank of its header"
            )
        records[record.name] = record
    if not records:
        raise InputError(f"{path}: holds no record")
    return list(records.values())


def _content(path: str) -> str:
    try:
        content = local_path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: not found") from None
    except OSError as error:  # a folder, a file that may not be read
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if content.startswith(b"\x1f\x8b"):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{path}: is no whole gzip: {error}") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no FASTA, which is text: {error}") from None


def _parts(content: str, path: str) -> list[tuple[str, int, list[tuple[int, str]]]]:
    """Of each record the header, its line, and the lines of the sequence with their numbers."""
    parts: list[tuple[str, int, list[tuple[int, str]]]] = []
    # Not splitlines(): it also breaks at characters that a header may hold.
    for number, line in enumerate(re.split(r"\r\n|\r|\n", content), 1):
        if line.startswith(">"):
            parts.append((line[1:].strip(), number, []))
        elif line.strip():
            if not parts:
                raise InputError(
                    f"{path}, line {number}: expected a header, which begins with '>', found "
                    f"{shortened(line)}"
                )
            parts[-1][2].append((number, "".join(line.split()).lower()))
    return parts


def _sequence(lines: list[tuple[int, str]], where: str) -> str:
    if not lines:
        raise InputError(f"{where}: has a header and no sequence")
    for number, line in lines:
        for letter in line:
            if letter not in READ_AS:
                raise InputError(
                    f"{where}, line {number}: found {letter!r}, allowed: A, C, G, T, U, N and "
                    f"IUPAC's codes for one of several bases, {_hint(letter)}"
                )
    return "".join(READ_AS[letter] for _, line in lines for letter in line)


def _hint(letter: str) -> str:
    if letter in PROTEIN:
        return "for these are nucleotides; is it a protein?"
    if letter in "-.~":
        return "but no gaps of an alignment; take them out, or write N for what is not known"
    return "in capitals or not"
