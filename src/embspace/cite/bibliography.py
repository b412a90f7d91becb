"""The references: those of references.bib, and embspace itself, from CITATION.cff."""

import re
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from embspace.cite.methods import DATA
from embspace.cite.wording import KEY
from embspace.errors import InputError
from embspace.settings.schema import Strict, read_yaml, validate

CITATION = Path("CITATION.cff")
OWN_KEY = "embspace"
REQUIRED = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "mastersthesis": {"author", "title", "school", "year"},
    "misc": {"author", "title"},
}
# The file is written in one form, and what has another form is no entry.
ENTRY = re.compile(r"@(\w+)\{(\w+),\n((?:  \w+ = \{.*\},\n)+)\}\n")
FIELD = re.compile(r"  (\w+) = \{(.*)\},\n")


class Reference(Strict):
    """An entry of a bibliography."""

    kind: Literal["article", "inproceedings", "mastersthesis", "misc"]
    key: str = Field(pattern=rf"^{KEY}$")
    fields: dict[str, str]

    @field_validator("fields")
    @classmethod
    def _well_formed(cls, fields: dict[str, str]) -> dict[str, str]:
        for name, value in fields.items():
            if not value.strip():
                raise ValueError(f"{name} is empty")
            if not has_balanced_braces(value):
                raise ValueError(f"{name}: its braces do not match")
        if not re.fullmatch(r"\d{4}", fields.get("year", "2000")):
            raise ValueError(f"year: found {fields['year']!r}")
        return fields

    @model_validator(mode="after")
    def _complete(self) -> "Reference":
        if lacking := REQUIRED[self.kind] - set(self.fields):
            raise ValueError(f"@{self.kind} {self.key} lacks {', '.join(sorted(lacking))}")
        return self

    @property
    def bibtex(self) -> str:
        """The entry as BibTeX."""
        lines = [f"  {name} = {{{value}}},\n" for name, value in self.fields.items()]
        return f"@{self.kind}{{{self.key},\n{''.join(lines)}}}\n"

    @property
    def authors(self) -> str:
        """First & Second, or First et al."""
        names = [_family_name(author) for author in self.fields["author"].split(" and ")]
        if len(names) > 2 or names[-1] == "others":
            return f"{names[0]} et al."
        return " & ".join(names)

    @property
    def year(self) -> str:
        """Empty if there is none."""
        return self.fields.get("year", "")


def has_balanced_braces(text: str) -> bool:
    """Return whether every brace that opens is closed again."""
    depth = 0
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def load_references() -> dict[str, Reference]:
    """All references by key: of references.bib, then embspace and its theses, of CITATION.cff."""
    stored = parse_bibtex((DATA / "references.bib").read_text(encoding="utf-8"), "references.bib")
    return {reference.key: reference for reference in [*stored, *read_citation(CITATION)]}


def parse_bibtex(text: str, file: str) -> list[Reference]:
    """The entries of a file in a fixed form: a field per line, indented by two, in braces.

    Raises:
        InputError: naming anything but an entry, or an incomplete or repeated entry.
    """
    rest = ENTRY.sub("", text).strip()
    if rest:
        raise InputError(f"{file}: is no entry: {rest.splitlines()[0]}")
    references = []
    for kind, key, body in ENTRY.findall(text):
        content = {"kind": kind, "key": key, "fields": dict(FIELD.findall(body))}
        references.append(validate(Reference, content, f"{file}, '{key}'"))
    keys = [reference.key for reference in references]
    if repeated := sorted({key for key in keys if keys.count(key) > 1}):
        raise InputError(f"{file}: there twice: {', '.join(repeated)}")
    return references


def read_citation(path: Path) -> list[Reference]:
    """Entries for embspace, in the installed version, and for the cited theses.

    The year comes from `date-released`, the address from `repository-code`, if present.
    """
    content = read_yaml(path)
    own = {
        "author": _people(content["authors"]),
        "title": _protected(content["title"]),
        "year": str(content["date-released"])[:4],
        "note": f"Software, version {version('embspace')}, {content['license']}",
    }
    # An address, once there is a public one.
    if "repository-code" in content:
        own["url"] = content["repository-code"]
    theses = [entry for entry in content.get("references", []) if entry["type"] == "thesis"]
    return [
        validate(Reference, {"kind": "misc", "key": OWN_KEY, "fields": own}, str(path)),
        *(validate(Reference, _thesis(thesis), str(path)) for thesis in theses),
    ]


def _thesis(cited: dict[str, Any]) -> dict[str, Any]:
    family = re.sub("[^a-z]", "", cited["authors"][0]["family-names"].lower())
    return {
        "kind": "mastersthesis",
        "key": f"{family}{cited['year']}",
        "fields": {
            "author": _people(cited["authors"]),
            "title": _protected(cited["title"]),
            "school": cited["institution"]["name"],
            "year": str(cited["year"]),
        },
    }


def _people(authors: list[dict[str, str]]) -> str:
    return " and ".join(
        f"{{{author['name']}}}"
        if "name" in author
        else f"{author['family-names']}, {author['given-names']}"
        for author in authors
    )


def _protected(title: str) -> str:
    """Names in braces, for styles of BibTeX write titles in lower case."""
    return re.sub(r"\b(\w*[A-Z]{2,}\w*|embspace)\b", r"{\1}", title)


def _family_name(author: str) -> str:
    return author.partition(",")[0].strip("{} ")
