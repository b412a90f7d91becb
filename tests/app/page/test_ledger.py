"""What the page of a report says of the thesis, on the default model and on one of a user's own."""

import shutil
from pathlib import Path

import pytest
import yaml

from embspace.app.page.ledger import (
    DECIDED,
    Reader,
    decided_tables,
    own_finding,
    reader_of,
)
from embspace.app.page.texts_read import UnknownShare
from embspace.files.tables import load_table, save_table
from embspace.published.sources import read_source
from embspace.settings.schema import read_yaml

# Claims that BERT's config decides, whatever the model is.
REFERENCES = ("Queries and keys of BERT have 64", "The matrix of queries of one head has 49,152")


@pytest.fixture
def tree(root: Path, tmp_path: Path) -> Path:
    """The default model's ledger, and the same as that of a model that nobody has published."""
    copied = ("conf/model", "conf/draw/compare", "conf/measure", "data/published")
    shutil.copy(root / "params.yaml", tmp_path)
    for folder in copied:
        shutil.copytree(root / folder, tmp_path / folder)
    ledger = load_table(str(root / "results/ledger/minilm.csv"))
    unread = ledger["row"] == ledger.loc[ledger["kind"] == "claim", "row"].max()
    ledger.loc[unread, "verdict"] = "not checkable"
    ledger.loc[unread, "reason"] = "results/text_clouds/spectrum/minilm.csv has no such row"
    for name in ("minilm", "mine"):
        save_table(ledger, str(tmp_path / f"results/ledger/{name}.csv"))
    described = read_yaml(root / "conf/model/minilm.yaml")
    own = {key: described[key] for key in ("license", "language", "matrices")}
    own |= {"label": "my BERT", "source": "path", "path": "models/mine"}
    (tmp_path / "conf/model/mine.yaml").write_text(yaml.safe_dump(own))
    return tmp_path


def test_it_has_the_decided_claims_and_counts_the_rest(tree: Path):
    text = decided_tables(tree, "mine")
    ledger = load_table(str(tree / "results/ledger/mine.csv"))
    claims = ledger[ledger["kind"] == "claim"]
    toys = claims["statement"].str.contains(r"cube|circles|linked|\brings", case=False)
    references = claims["statement"].str.startswith(REFERENCES)
    assert references.sum() == len(REFERENCES)
    n_decided = int((claims["verdict"].isin(DECIDED) & ~toys & ~references).sum())
    assert text.startswith("# What was published, held against my BERT\n")
    assert "\n## Counts, and claims against random weights\n" in text
    assert sum(line.startswith("|") for line in text.splitlines()) == n_decided + 4
    left = len(claims) - n_decided
    assert f"Not shown: {left} claims that are not decided here, or by toys and references" in text
    assert f"{len(ledger) - len(claims)} printed numbers" in text
    assert text.count("Not shown: ") == 1


def test_no_message_for_developers_and_no_number_of_another_model(tree: Path):
    text = decided_tables(tree, "mine")
    for absent in ("no such row", "is about", "not checkable", "## Numbers", "blocks of BERT"):
        assert absent not in text


def test_a_number_of_the_very_model_is_there(tree: Path):
    file = str(tree / "results/ledger/minilm.csv")
    ledger = load_table(file)
    first = ledger["row"] == ledger["row"].min()
    source = read_source(tree / "data/published/minilm_model_card.yaml")
    ledger.loc[first, "statement"] = f"{source.entries[0].quantity}: value"
    ledger.loc[first, "verdict"] = "matches"
    save_table(ledger[first | (ledger["kind"] == "claim")], file)
    rows = decided_tables(tree, "minilm").partition("## Numbers")[2].splitlines()
    assert sum(line.startswith("|") for line in rows) == 3


def test_what_the_figure_counts_is_said_and_toys_are_not_listed(tree: Path):
    file = str(tree / "results/ledger/mine.csv")
    ledger = load_table(file)
    is_reference = ledger["statement"].str.startswith("parameters of BERT: ")
    is_toy = ledger["statement"].str.contains("circles", case=False) & (ledger["kind"] == "claim")
    thesis = read_source(tree / "data/published/luisto_thesis.yaml")
    other = next(entry for entry in thesis.entries if entry.model != "any").quantity
    is_of_another = ledger["statement"].str.startswith(f"{other}: ")
    assert is_of_another.any()
    assert is_reference.sum() == 1
    assert is_toy.any()
    ledger["verdict"] = "undecided"
    ledger.loc[is_reference | is_toy | is_of_another, "verdict"] = "matches"
    save_table(ledger, file)
    text = decided_tables(tree, "mine")
    assert "The figure counts claims on weights." in text
    assert not {*ledger.loc[is_toy | is_reference, "statement"]} & {*text.split("|")}


def counted_in(text: str, heading: str) -> list[str]:
    """Return the rows of a table below a heading."""
    section = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("|")][2:]


def test_the_finding_counts_the_rows_of_the_table_and_no_toys(tree: Path):
    text = decided_tables(tree, "mine")
    verdicts, counts = (
        counted_in(text, "Claims"),
        counted_in(text, "Counts, and claims against random weights"),
    )
    finding = own_finding(tree, "mine")
    assert finding.startswith(
        f"Of {len(verdicts)} published claims on encoders in English that this model decides, "
    )
    assert finding.endswith(
        f". {len(counts)} further claims count tokens, follow from the config, or are held against "
        "random weights already"
    )
    n_differ = sum(line.split("|")[-5].strip() == "differs" for line in verdicts)
    assert f", {n_differ} do not" in finding
    file = str(tree / "results/ledger/mine.csv")
    save_table(load_table(file).assign(verdict="undecided"), file)
    assert own_finding(tree, "mine") == ""


def spoken_of(tree: Path, text: str) -> set[str]:
    """Return the analyses of all claims of the thesis that stand in a table."""
    thesis = read_source(tree / "data/published/luisto_thesis.yaml")
    rows = "".join(counted_in(text, "Claims"))
    return {
        Path(cell.file).parts[1]
        for claim in thesis.claims
        if claim.claim.replace("|", "\\|") in rows
        for cell in claim.cells
    }


def test_claims_on_english_leave_the_count_of_a_model_without_it(tree: Path):
    english, other = Reader(False, True), Reader(False, False)
    n_english, n_other = (
        len(counted_in(decided_tables(tree, "mine", reader), "Claims"))
        for reader in (english, other)
    )
    assert 0 < n_other < n_english
    finding = own_finding(tree, "mine", other)
    assert finding.startswith(f"Of {n_other} published claims on encoders that this model decides")
    text = decided_tables(tree, "mine", other)
    kept = spoken_of(tree, text)
    assert {"tsne", "umap", "similarity", "positions"} <= kept
    assert not {"text_maps", "evolution", "synonyms", "word_order", "search"} & kept
    assert "homonym" not in "".join(counted_in(text, "Claims"))
    assert "are not counted" in text and "are not counted" not in decided_tables(tree, "mine")


def test_no_claim_on_encoders_is_counted_of_a_decoder(tree: Path):
    assert own_finding(tree, "mine", Reader(True, True)) == ""
    assert "this is a decoder" in decided_tables(tree, "mine", Reader(True, True))


def share(name: str, value: float) -> UnknownShare:
    return UnknownShare("stimuli", name, name, value, 0.2)


def test_a_model_knows_english_by_its_language_and_by_its_tokenizer(tree: Path):
    known, unknown = share("words", 0.0), [share("synonyms", 0.5), share("homonyms", 0.4)]
    assert reader_of(tree, "mine", [known]) == Reader(False, True)
    assert reader_of(tree, "mine", [known, *unknown]) == Reader(False, False)
    file = tree / "conf/model/mine.yaml"
    file.write_text(yaml.safe_dump(read_yaml(file) | {"language": "German"}))
    assert reader_of(tree, "mine", [known]) == Reader(False, False)


def test_of_random_weights_it_is_said_what_they_can_decide(tree: Path):
    assert "before any training" not in decided_tables(tree, "mine")
    results = tree / "results/ledger"
    shutil.copy(results / "mine.csv", results / "minilm_random.csv")
    assert "holds before any training" in decided_tables(tree, "minilm_random")
