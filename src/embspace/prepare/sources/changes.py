"""The changes that define lineages: a table that people write, checked against the gene."""

import re
from dataclasses import dataclass

from embspace.errors import InputError, not_among
from embspace.files.texts import load_texts
from embspace.prepare.sources.codons import CODE, nearest_codon, translate

COLUMNS = (
    *("class", "lineage", "change", "kind", "codons", "reference", "alternate", "codon_to"),
    "source",
)
KINDS = ("substitution", "deletion")


@dataclass(frozen=True)
class Change:
    """One or more codons that become another one, or none."""

    first: int  # codon, from 1
    last: int
    codon_to: str  # "" if they are deleted


@dataclass(frozen=True)
class Lineage:
    """A class of sequences, and what sets it apart from the reference."""

    label: str  # of the class
    name: str  # Pango's
    changes: tuple[Change, ...]


def read_lineages(path: str, gene: str) -> list[Lineage]:
    """The classes of a table, in the order of their first rows.

    The table has one row a change and the columns `COLUMNS`. `codons` is a number, or two with a
    dash between. `codon_to` may be left empty: then it is the codon of the alternate residue with
    the fewest other bases, of several the first by alphabet. `gene` is of whole codons.

    Raises:
        InputError: naming the file, the class and the change, if the reference residues are not
            those of the gene, or anything else does not fit.
    """
    table = load_texts(path, text_column="change")
    if lacking := [column for column in COLUMNS if column not in table]:
        raise InputError(f"{path}: no column '{lacking[0]}'; expected {', '.join(COLUMNS)}")
    names: dict[str, str] = {}
    changes: dict[str, list[Change]] = {}
    for values in table[list(COLUMNS)].astype(str).to_numpy():
        row = dict(zip(COLUMNS, values, strict=True))
        where = f"{path}, class '{row['class']}', change '{row['change']}'"
        for column in ("class", "lineage", "source"):
            if not row[column].strip():
                raise InputError(f"{where}: the column '{column}' is empty")
        if names.setdefault(row["class"], row["lineage"]) != row["lineage"]:
            raise InputError(
                f"{where}: found the lineage {row['lineage']!r}, but that of the class is "
                f"{names[row['class']]!r}; expected one"
            )
        change = _change(row, gene, where)
        for other in changes.setdefault(row["class"], []):
            if change.first <= other.last and other.first <= change.last:
                raise InputError(f"{where}: another change of this class is of the same codon")
        changes[row["class"]].append(change)
    return [Lineage(label, names[label], tuple(each)) for label, each in changes.items()]


def _change(row: dict[str, str], gene: str, where: str) -> Change:
    if row["kind"] not in KINDS:
        raise InputError(f"{where}: column 'kind': {not_among(row['kind'], KINDS)}")
    first, last = _codons(row["codons"], len(gene) // 3, where)
    found = translate(gene[3 * first - 3 : 3 * last])
    if row["reference"] != found:
        raise InputError(
            f"{where}: column 'reference': found {row['reference']!r}, but the gene has {found!r} "
            f"at {row['codons']}"
        )
    if row["kind"] == "deletion":
        codon_to, spelled = _none(row, where), _spelled_deletion(first, last, found)
    else:
        codon_to = _codon_to(row, gene[3 * first - 3 : 3 * last], where)
        spelled = f"{found}{first}{row['alternate']}"
    if row["change"] != spelled:
        raise InputError(f"{where}: its other columns say {spelled!r}")
    return Change(first, last, codon_to)


def _codons(written: str, n_codons: int, where: str) -> tuple[int, int]:
    match = re.fullmatch(r"([1-9][0-9]*)(?:-([1-9][0-9]*))?", written)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last <= n_codons:
        raise InputError(
            f"{where}: column 'codons': found {written!r}, allowed: a number, or two such as "
            f"69-70, from 1 to {n_codons}"
        )
    return first, last


def _none(row: dict[str, str], where: str) -> str:
    for column in ("alternate", "codon_to"):
        if row[column]:
            raise InputError(
                f"{where}: column '{column}': found {row[column]!r}, allowed of a deletion: nothing"
            )
    return ""


def _spelled_deletion(first: int, last: int, residues: str) -> str:
    end = f"_{residues[-1]}{last}" if last > first else ""
    return f"{residues[0]}{first}{end}del"


def _codon_to(row: dict[str, str], codon: str, where: str) -> str:
    residue, written = row["alternate"], row["codon_to"].lower()
    if len(codon) != 3:
        raise InputError(
            f"{where}: column 'codons': found {row['codons']!r}, allowed of a substitution: one"
        )
    if residue not in set(CODE.values()) - {row["reference"]}:
        raise InputError(
            f"{where}: column 'alternate': found {residue!r}, allowed of a substitution: the "
            "letter of another residue"
        )
    if written and CODE.get(written) != residue:
        raise InputError(
            f"{where}: column 'codon_to': found {row['codon_to']!r}, which is no codon of {residue}"
        )
    return written or nearest_codon(codon, residue)
