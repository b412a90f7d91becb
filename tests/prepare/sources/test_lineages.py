import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from Bio.Seq import translate
from scipy.stats import binom
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from embspace.errors import InputError
from embspace.files.fasta import read_fasta
from embspace.prepare.sources.changes import Lineage, read_lineages
from embspace.prepare.sources.kmers import kmers
from embspace.prepare.sources.lineages import load_lineages
from embspace.settings.corpus import LineagesCorpus, describe_corpus
from embspace.settings.schema import read_yaml

WHOLE = {"first_codon": 1, "last_codon": 1274}
PLAIN = {"k": 3, "stride": 3, "deduplicate": False}  # a k-mer a codon
RATES = (
    "absence_rate",
    "ancestor_substitution_rate",
    "descendant_substitution_rate",
    "gap_rate",
)
EXACT = dict.fromkeys(RATES, 0.0)


@pytest.fixture(autouse=True)
def in_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def corpus(**given: Any) -> LineagesCorpus:
    """The one of the receptor-binding domain with other settings."""
    described = describe_corpus("x", {**read_yaml(Path("conf/corpus/spike_rbd.yaml")), **given})
    assert isinstance(described, LineagesCorpus)
    return described


def sequences(**given: Any) -> pd.DataFrame:
    """Of the whole spike if nothing else is said, with the bases in the place of the k-mers."""
    table = load_lineages(corpus(**{**EXACT, **WHOLE, **PLAIN, **given}))
    return table.assign(text=table["text"].str.replace(" ", ""))


@pytest.fixture(scope="module")
def spike(root: Path) -> str:
    (record,) = read_fasta(str(root / "data/published/NC_045512.2.fasta"))
    return record.sequence[21562:25384]


@pytest.fixture(scope="module")
def lineages(root: Path, spike: str) -> list[Lineage]:
    return read_lineages(str(root / "data/published/sars_cov_2_lineages.csv"), spike)


def by_hand(lineage: Lineage, residues: str) -> str:
    """The protein of a lineage, from the table alone."""
    changed = list(residues)
    for change in lineage.changes:
        changed[change.first - 1 : change.last] = [
            translate(change.codon_to),
            *[""] * (change.last - change.first),
        ]
    return "".join(changed)


def within_chance(n_hits: int, n: int, rate: float) -> bool:
    """Whether a count lies in the central 99.98 % of its binomial distribution."""
    return bool(binom.ppf(1e-4, n, rate) <= n_hits <= binom.ppf(1 - 1e-4, n, rate))


def differences(text: str, expected: str) -> int:
    return sum(map(str.__ne__, text, expected))


# What is simulated.


def test_without_chance_a_sequence_has_the_changes_of_the_table_and_no_other(
    spike: str, lineages: list[Lineage]
):
    table = sequences(n_ancestors=1, n_descendants=1)
    assert table["domain"].tolist() == [lineage.label for lineage in lineages]
    for lineage, bases in zip(lineages, table["text"], strict=True):
        assert translate(bases) == by_hand(lineage, translate(spike))
    lengths = dict(zip(table["domain"], table["text"].str.len(), strict=True))
    deleted = {"lambda": 7, "alpha": 3, "beta": 3, "delta": 2, "omicron": 6}
    assert {label: (3822 - n) // 3 for label, n in lengths.items() if n < 3822} == deleted


def test_gh_is_the_reference_but_for_one_base_and_in_the_binding_domain_the_reference(spike: str):
    gh = sequences(n_ancestors=1, n_descendants=1)["text"][0]
    assert [n for n in range(3822) if gh[n] != spike[n]] == [3 * 614 - 2]
    region = sequences(n_ancestors=1, n_descendants=1, first_codon=319, last_codon=541)["text"]
    assert region[0] == spike[3 * 318 : 3 * 541]
    assert region.nunique() == 8


def test_codons_that_become_one_leave_the_others_out(spike: str, tmp_path: Path):
    path = tmp_path / "lineages.csv"
    path.write_text(
        "class,lineage,change,codons,reference,alternate,codon_to\na,A,F2_V3delinsY,2-3,FV,Y,TAT\n"
    )
    (bases,) = sequences(lineages=str(path), n_ancestors=1, n_descendants=1)["text"]
    assert bases == "atgtat" + spike[9:]


def test_a_region_has_its_codons_in_place_whatever_was_deleted_before_it():
    region = sequences(n_ancestors=1, n_descendants=1, first_codon=501, last_codon=501)
    codons = dict(zip(region["domain"], region["text"], strict=True))
    tyrosine = {"mu", "alpha", "beta", "gamma", "omicron"}
    assert {label for label, codon in codons.items() if codon == "tat"} == tyrosine
    assert {label for label, codon in codons.items() if codon == "aat"} == set(codons) - tyrosine


def test_the_numbers_of_kmers():
    domain = load_lineages(corpus(n_ancestors=2, n_descendants=2))
    assert set(domain["text"].str.split().map(len)) == {74}
    whole = load_lineages(corpus(**EXACT, **WHOLE, n_ancestors=1, n_descendants=1))
    lengths = dict(zip(whole["domain"], whole["text"].str.split().map(len), strict=True))
    assert [lengths[label] for label in ("gh", "mu", "gamma")] == [425] * 3
    assert lengths == {
        **dict.fromkeys(("gh", "mu", "gamma"), 425),
        **dict.fromkeys(("lambda", "omicron"), 422),
        **dict.fromkeys(("alpha", "beta", "delta"), 423),
    }


def test_a_deletion_moves_all_windows_after_it_unless_it_is_of_whole_strides(spike: str):
    table = load_lineages(corpus(**EXACT, **WHOLE, n_ancestors=1, n_descendants=1))
    words = table.set_index("domain")["text"].str.split()
    reference = set(kmers(spike, k=12, stride=9).split())
    shared = {label: np.mean([word in reference for word in words[label]]) for label in words.index}
    assert max(shared["lambda"], shared["delta"]) < 0.3
    assert min(shared[label] for label in ("gh", "mu", "alpha", "beta", "gamma")) > 0.9


# Chance.


def test_changes_are_absent_at_their_rate_and_alike_in_all_descendants(lineages: list[Lineage]):
    settings = {"n_ancestors": 400, "n_descendants": 2, "absence_rate": 0.3}
    table = sequences(**settings, first_codon=319, last_codon=541)
    assert table.groupby("document")["text"].nunique().max() == 1
    ancestors = table.drop_duplicates("document")
    for lineage in lineages:
        bases = ancestors.loc[ancestors["domain"] == lineage.label, "text"]
        for change in lineage.changes:
            if 319 <= change.first <= 541:
                start = 3 * (change.first - 319)
                absent = sum(text[start : start + 3] != change.codon_to for text in bases)
                assert within_chance(absent, 400, 0.3)


def test_changes_are_absent_independently_of_each_other():
    both = {"first_codon": 452, "last_codon": 478}
    table = sequences(n_ancestors=500, n_descendants=1, absence_rate=0.5, **both)
    delta = table.loc[table["domain"] == "delta", "text"]
    l452, t478 = (delta.str[:3] == "ctg"), (delta.str[-3:] == "aca")
    assert within_chance(int((l452 & t478).sum()), 500, 0.25)


def test_bases_of_ancestors_and_of_descendants_are_substituted_at_their_rates(spike: str):
    settings = {"n_ancestors": 60, "n_descendants": 2, "first_codon": 800, "last_codon": 949}
    region = spike[3 * 799 : 3 * 949]  # in which gh has no change
    table = sequences(**settings, ancestor_substitution_rate=0.02)
    gh = table[table["domain"] == "gh"]
    assert (gh.groupby("document")["text"].nunique() == 1).all()
    n = sum(differences(text, region) for text in gh["text"].unique())
    assert within_chance(n, gh["text"].nunique() * 450, 0.02)
    table = sequences(**settings, descendant_substitution_rate=0.02)
    gh = table[table["domain"] == "gh"]
    assert (gh.groupby("document")["text"].nunique() == 2).all()
    assert within_chance(sum(differences(text, region) for text in gh["text"]), 120 * 450, 0.02)


def test_a_base_becomes_each_of_the_others_as_often(spike: str):
    settings = {"n_ancestors": 1, "n_descendants": 40, "descendant_substitution_rate": 0.1}
    table = sequences(**settings)
    pairs = pd.Series(
        [
            old + new
            for text in table.loc[table["domain"] == "gh", "text"]
            for old, new in zip(spike, text, strict=True)
            if old != new
        ]
    )
    counts = pairs.value_counts()
    assert len(counts) == 12
    for old in "acgt":
        from_old = counts[[pair for pair in counts.index if pair[0] == old]]
        assert all(within_chance(int(n), int(from_old.sum()), 1 / 3) for n in from_old)


def test_gaps_begin_at_their_rate_and_have_their_length(spike: str):
    settings = {"n_ancestors": 50, "n_descendants": 4}
    table = sequences(**settings, gap_rate=0.0005, gap_length=50)
    gh = table.loc[table["domain"] == "gh", "text"]
    # Runs of unknown bases, but for one at the end, which may be cut: gaps that may overlap.
    lengths = [len(run) for text in gh for run in re.findall("n+(?!n|$)", text)]
    assert min(lengths) == 50
    # A run begins at a base that begins a gap while none of the fifty before it does.
    places = len(gh) * (3822 - 50)
    assert within_chance(len(lengths), places, 0.0005 * (1 - 0.0005) ** 50)
    # And at no other place is anything changed.
    known = [(old, new) for text in gh for old, new in zip(spike, text, strict=True) if new != "n"]
    assert {pair for pair in known if pair[0] != pair[1]} == {("a", "g")}
    assert sum(old != new for old, new in known) <= len(gh)


def test_what_is_deleted_stays_so_under_substitutions_and_gaps():
    settings = {"n_ancestors": 2, "n_descendants": 4, "descendant_substitution_rate": 0.5}
    table = sequences(**settings, gap_rate=0.01, gap_length=30)
    assert set(table.loc[table["domain"] == "alpha", "text"].str.len()) == {3822 - 9}


# Documents, copies, seeds.


def test_documents_are_ancestors_of_one_class_each():
    table = load_lineages(corpus(n_ancestors=3, n_descendants=2, deduplicate=False))
    assert table["id"].is_unique
    assert (table.groupby("document").size() == 2).all()
    assert (table.groupby("document")["domain"].nunique() == 1).all()
    assert (table.groupby("domain")["document"].nunique() == 3).all()
    assert table["id"].tolist()[:3] == ["gh-1-1", "gh-1-2", "gh-2-1"]


def test_all_are_called_simulated():
    table = load_lineages(corpus(n_ancestors=1, n_descendants=1))
    assert table["subject"].str.startswith("simulated ").all()
    assert table["subject"].tolist()[0] == "simulated B.1"
    for name in ("spike", "spike_rbd"):
        described = describe_corpus(name, read_yaml(Path(f"conf/corpus/{name}.yaml")))
        assert "simulated" in described.label
        assert "simulated" in described.language


def test_of_equal_sequences_of_a_class_one_stays_and_those_of_two_classes_all():
    settings = {**EXACT, "absence_rate": 0.9, "n_ancestors": 20, "n_descendants": 2}
    everything = load_lineages(corpus(**settings, deduplicate=False))
    table = load_lineages(corpus(**settings))
    assert not table.duplicated(["domain", "text"]).any()
    assert table.duplicated("text").any()
    assert table["domain"].nunique() == 8
    first = everything.drop_duplicates(["domain", "text"])
    assert table["id"].tolist() == first["id"].tolist()


def test_the_same_seed_gives_the_same_and_another_seed_another():
    settings = {"n_ancestors": 3, "n_descendants": 2, "deduplicate": False}
    table = load_lineages(corpus(**settings))
    assert table.equals(load_lineages(corpus(**settings)))
    other = load_lineages(corpus(**settings, seed=1))
    assert other["id"].equals(table["id"])
    assert (other["text"] != table["text"]).mean() > 0.5


def test_more_ancestors_or_a_wider_region_change_none_of_the_others():
    settings = {"n_descendants": 2, "absence_rate": 0.05, "ancestor_substitution_rate": 0.002}
    some = sequences(**settings, n_ancestors=2).set_index("id")["text"]
    more = sequences(**settings, n_ancestors=3).set_index("id")["text"]
    assert more[some.index].equals(some)
    region = sequences(**settings, n_ancestors=2, first_codon=319, last_codon=541)
    assert all(text in some[name] for name, text in region[["id", "text"]].to_numpy())


def test_the_task_is_neither_trivial_nor_hopeless():
    """Of the settings as they are, for a linear reader of which k-mers there are."""
    table = load_lineages(corpus())
    number = table["document"].str.rpartition("-")[2].astype(int)
    test = number % 4 == 0
    reader = CountVectorizer(token_pattern=r"\S+", binary=True)
    known = reader.fit_transform(table.loc[~test, "text"])
    model = LogisticRegression(tol=0.01).fit(known, table.loc[~test, "domain"])
    predicted = model.predict(reader.transform(table.loc[test, "text"]))
    right = pd.Series(predicted == table.loc[test, "domain"]).groupby(table["domain"]).mean()
    assert 0.85 < (predicted == table.loc[test, "domain"]).mean() < 0.99
    assert right["omicron"] == 1.0  # of fifteen changes enough are always there
    assert right["gh"] < 1.0


# What does not fit.


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"reference": "none.fasta"}, r"^key 'reference': none\.fasta: not found"),
        ({"lineages": "none.csv"}, r"^key 'lineages': none\.csv: not found"),
        ({"lineages": "data/published/NC_045512.2.fasta"}, "key 'lineages': .* found the ending"),
        ({"gene_end": 29904}, r"key 'gene_end': found 29904, allowed: .* up to 29903, the length"),
        ({"gene_end": 21563}, "key 'gene_end': found 21563, allowed: after gene_start, 21563"),
        ({"gene_end": 25383}, "'gene_start' and 'gene_end': found 3,821 bases, expected whole"),
        ({"last_codon": 1275}, "key 'last_codon': found 1275, allowed: up to 1274"),
        ({"gene_start": 21566}, "key 'lineages': .* column 'reference': found 'D', but the gene"),
    ],
)
def test_a_setting_that_does_not_fit_the_files_is_named(given: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        load_lineages(corpus(**given))


def test_a_reference_is_one_record_of_known_bases(tmp_path: Path):
    file = tmp_path / "x.fasta"
    file.write_text(">a\nATGTTT\n>b\nATGTTT\n")
    given = {"reference": str(file), "gene_start": 1, "gene_end": 6, "first_codon": 1}
    with pytest.raises(InputError, match=r"key 'reference': .*: found 2 records, expected one"):
        load_lineages(corpus(**given, last_codon=2))
    file.write_text(">a\nATGTRT\n")
    with pytest.raises(InputError, match="found an unknown base, expected whole codons of known"):
        load_lineages(corpus(**given, last_codon=2))


def test_half_of_the_codons_that_tell_classes_apart_are_hidden_and_no_other(
    lineages: list[Lineage],
):
    """In the receptor-binding domain, where nothing is deleted."""
    table = load_lineages(corpus(**EXACT, **PLAIN))
    region = range(319, 542)
    sites = {
        codon - 319
        for lineage in lineages
        for change in lineage.changes
        for codon in range(change.first, change.last + 1)
        if codon in region
    }
    hidden_sites = set()
    for text, hidden in zip(
        table["text"].str.split(), table["half_hidden"].str.split(), strict=True
    ):
        differ = {n for n, (a, b) in enumerate(zip(text, hidden, strict=True)) if a != b}
        assert {hidden[n] for n in differ} == {"nnn"}
        assert len(differ) == (len(sites) + 1) // 2
        assert differ <= sites
        hidden_sites |= differ
    assert hidden_sites == sites


def test_what_is_hidden_changes_no_sequence_and_follows_from_the_seed():
    first, again, other = (load_lineages(corpus(seed=seed)) for seed in (0, 0, 1))
    assert first["half_hidden"].equals(again["half_hidden"])
    assert not first["half_hidden"].equals(other["half_hidden"])
