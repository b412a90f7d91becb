from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.prepare.sources.fasta import load_fasta
from embspace.settings.corpus import FastaCorpus, describe_corpus


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.fasta").write_text(
        ">s1|B.1.1.7|2021\nATGTTTGTT\n"
        ">s2|P.1|2021\r\natgtttgtc\r\n"
        ">s3|P.1|2022\nATGTTTGTC\n"
        ">s4|BA.1|2022\nATGTTTGTC\n"
    )


def corpus(**given: object) -> FastaCorpus:
    head = {"label": "x", "license": "unknown", "language": "nucleotides", "source": "fasta"}
    least = {"path": "x.fasta", "k": 3, "stride": 3, "deduplicate": False}
    described = describe_corpus("x", {**head, **least, **given})
    assert isinstance(described, FastaCorpus)
    return described


def test_each_record_is_a_text_of_kmers():
    table = load_fasta(corpus())
    assert table["id"].tolist() == ["s1|B.1.1.7|2021", "s2|P.1|2021", "s3|P.1|2022", "s4|BA.1|2022"]
    assert table["text"].tolist() == ["atg ttt gtt", *["atg ttt gtc"] * 3]
    assert table["domain"].tolist() == [""] * 4
    assert load_fasta(corpus(k=4, stride=3))["text"][0] == "atgt tttg gttn"


def test_the_class_is_what_the_group_of_the_pattern_finds():
    table = load_fasta(corpus(class_pattern=r"\|([^|]+)\|"))
    assert table["domain"].tolist() == ["B.1.1.7", "P.1", "P.1", "BA.1"]


@pytest.mark.parametrize("pattern", [r"\|(B\.1\.[^|]*)\|", "(x*)"])
def test_a_header_without_a_class_is_named(pattern: str):
    message = r"key 'class_pattern': x\.fasta: finds no class in the header 's[12]\|"
    with pytest.raises(InputError, match=message):
        load_fasta(corpus(class_pattern=pattern))


def test_a_region_is_cut_by_codons_from_the_first_base():
    assert load_fasta(corpus(first_codon=2, last_codon=3))["text"][0] == "ttt gtt"
    assert load_fasta(corpus(first_codon=3, last_codon=3))["text"][0] == "gtt"
    message = r"key 'last_codon': x\.fasta, record 's1\|B\.1\.1\.7\|2021': found 9 bases, too few "
    with pytest.raises(InputError, match=message):
        load_fasta(corpus(first_codon=1, last_codon=4))


def test_of_equal_sequences_of_a_class_the_first_stays_and_a_warning_counts_the_others(caplog):
    load_fasta(corpus(class_pattern=r"\|([^|]+)\|"))
    assert not caplog.text
    table = load_fasta(corpus(class_pattern=r"\|([^|]+)\|", deduplicate=True))
    assert [name[:2] for name in table["id"]] == ["s1", "s2", "s4"]
    assert "x.fasta: left out 1 record, whose sequence another one of the class has" in caplog.text
    assert [name[:2] for name in load_fasta(corpus(deduplicate=True))["id"]] == ["s1", "s2"]


def test_a_file_that_does_not_fit_names_the_key():
    with pytest.raises(InputError, match=r"^key 'path': none\.fasta: not found"):
        load_fasta(corpus(path="none.fasta"))
