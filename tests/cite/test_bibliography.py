import re
from importlib.metadata import version
from pathlib import Path

import pytest

from embspace.cite.bibliography import (
    DATA,
    REQUIRED,
    Reference,
    has_balanced_braces,
    load_references,
    parse_bibtex,
    read_citation,
)
from embspace.cite.command import CLOSING
from embspace.cite.methods import all_methods, all_papers
from embspace.cite.wording import reference_keys
from embspace.errors import InputError

ENTRY = "@article{one2001,\n  author = {One, A.},\n  title = {T},\n  journal = {J},\n"
ENTRY += "  year = {2001},\n}\n"


@pytest.fixture
def references(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Reference]:
    monkeypatch.chdir(root)
    return load_references()


def test_every_reference_is_cited_and_every_one_cited_is_there(references: dict[str, Reference]):
    texts = [CLOSING, *(methods.template for methods in all_methods().values())]
    cited = {key for text in texts for key in reference_keys(text)} | set(all_papers())
    assert sorted(set(references) - cited) == []
    assert sorted(cited - set(references)) == []


def test_the_file_is_well_formed_and_printed_as_it_stands(references: dict[str, Reference]):
    stored = (DATA / "references.bib").read_text(encoding="utf-8")
    printed = [reference.bibtex for key, reference in references.items() if key in stored]
    assert "\n".join(printed) == stored
    assert has_balanced_braces(stored)


def test_keys_are_the_first_author_and_the_year(references: dict[str, Reference]):
    for key, reference in references.items():
        if key != "embspace":
            name = re.sub(
                r"[^a-z]", "", reference.authors.partition(" & ")[0].lower().split(" et al")[0]
            )
            assert key.startswith(name[:4]), key
            assert key.endswith(reference.year), key


def test_every_kind_has_its_fields(references: dict[str, Reference]):
    assert {reference.kind for reference in references.values()} == set(REQUIRED)
    for reference in references.values():
        assert REQUIRED[reference.kind] <= set(reference.fields)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  journal = {J},\n", "", "lacks journal"),
        ("{T}", "{{T}", "title: its braces do not match"),
        ("{T}", "{}T{}}", "title: its braces do not match"),
        ("{T}", "{ }", "title is empty"),
        ("{2001}", "{2OO1}", "year: found"),
        ("@article", "@atricle", "key 'kind'"),
        ("one2001", "One", "key 'key'"),
        ("  year = {2001},", "  year = 2001,", "is no entry: @article"),
        ("}\n", "}\n}\n", "is no entry"),
    ],
)
def test_what_is_malformed_is_named(old: str, new: str, message: str):
    assert parse_bibtex(ENTRY, "x.bib")[0].bibtex == ENTRY
    before, _, after = ENTRY.rpartition(old)
    with pytest.raises(InputError, match="x.bib") as caught:
        parse_bibtex(before + new + after, "x.bib")
    assert message in str(caught.value)


def test_a_key_that_is_there_twice_is_named():
    with pytest.raises(InputError, match="there twice: one2001"):
        parse_bibtex(f"{ENTRY}\n{ENTRY}", "x.bib")


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ("One, A.", "One"),
        ("van der One, A. and Two, B.", "van der One & Two"),
        ("One, A. and Two, B. and Three, C.", "One et al."),
        ("One, A. and others", "One et al."),
        ("{The authors}", "The authors"),
    ],
)
def test_authors_in_short(author: str, expected: str):
    fields = {"author": author, "title": "T"}
    assert Reference(kind="misc", key="x", fields=fields).authors == expected


def test_an_address_of_the_citation_file_is_in_the_entry(root: Path, tmp_path: Path):
    text = (root / "CITATION.cff").read_text(encoding="utf-8")
    file = tmp_path / "CITATION.cff"
    file.write_text(f"{text}repository-code: https://code.invalid/embspace\n", encoding="utf-8")
    assert read_citation(file)[0].fields["url"] == "https://code.invalid/embspace"


def test_embspace_and_the_thesis_are_those_of_the_citation_file(root: Path):
    own, thesis = read_citation(root / "CITATION.cff")
    assert own.fields["author"] == "{The embspace authors}"
    assert own.fields["title"].startswith("{embspace}: a checked")
    assert "{BERT}-family" in own.fields["title"]
    assert f"version {version('embspace')}," in own.fields["note"]
    assert own.year == "2026"
    assert "url" not in own.fields  # there is no public address yet
    assert (thesis.kind, thesis.key) == ("mastersthesis", "luisto2024")
    assert thesis.fields == {
        "author": "Luisto, Rami",
        "title": "A study on the embedding spaces of the {BERT} language model",
        "school": "University of Jyväskylä",
        "year": "2024",
    }


def test_without_the_citation_file_one_clear_error(tmp_path: Path):
    with pytest.raises(InputError, match="CITATION.cff: not found"):
        read_citation(tmp_path / "CITATION.cff")
