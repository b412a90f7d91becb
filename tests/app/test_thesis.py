"""The page of the thesis, written from the ledger of any model."""

from pathlib import Path

import pandas as pd
import pytest

from embspace.app.thesis import THESIS, thesis_page
from embspace.errors import InputError
from embspace.files.tables import load_table, save_table
from embspace.measure.compare.ledger import BESIDE_UNTRAINED
from embspace.published.sources import read_source
from embspace.published.untrained import KEPT, SAME, VERDICTS, beside_untrained
from tests.app.page.trees import write_model_tree


@pytest.fixture
def tree(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The default model's results, and those of a model of a user's own."""
    write_model_tree(root, tmp_path)
    ledger = (tmp_path / "results/ledger/minilm.csv").read_text(encoding="utf-8")
    (tmp_path / "results/ledger/mine.csv").write_text(ledger, encoding="utf-8")
    described = (root / "conf/model/minilm.yaml").read_text(encoding="utf-8")
    own = described.replace("label: MiniLM-L6", "label: my BERT").partition("note:")[0]
    (tmp_path / "conf/model/mine.yaml").write_text(own, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_of_the_docs_is_written_from_the_results(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    """From the baselines, for another processor rounds its results otherwise."""
    monkeypatch.chdir(root)
    written = Path("docs/thesis.md").read_text(encoding="utf-8")
    page = thesis_page("minilm", results=Path("tests/baselines"))
    assert page == written, "embspace thesis minilm --write docs/thesis.md"


def test_every_figure_that_shows_a_measurement_is_made_anew(root: Path):
    """Those of the architecture alone are drawings, of which nothing is measured."""
    items = read_source(root / THESIS).items
    assert [item.item for item in items if not item.figures] == ["Figs 4, 5, 7, 9"]
    nouns = {noun for item in items for noun in item.figures}
    lacking = [
        noun
        for noun in sorted(nouns)
        if not any((root / f"figures/{noun}/{name}.md").is_file() for name in ("minilm", "toy"))
    ]
    assert lacking == []


def test_a_reader_first_learns_whose_weights_these_are(tree: Path):
    first = thesis_page("mine").partition("## ")[0]
    assert first.startswith("# The thesis, on my BERT\n")
    assert "No weight of the thesis's model was read here." in first
    assert "**The model.**" not in first
    assert "**The model.** A sentence encoder" in thesis_page("minilm").partition("## ")[0]


def test_the_thesiss_own_model_is_none_whose_weights_were_not_read(tree: Path):
    file = tree / "conf/model/bert_base_cased.yaml"
    ledger = load_table("results/ledger/minilm.csv")
    save_table(ledger, "results/ledger/bert_base_cased.csv")
    assert file.is_file()
    assert "No weight of" not in thesis_page("bert_base_cased")


def test_every_claim_stands_once_below_its_question_or_section(tree: Path):
    page = thesis_page("mine")
    ledger = load_table("results/ledger/mine.csv")
    source = read_source(THESIS)
    on_layers = {claim.claim for claim in source.claims_on_layers}
    assert not any(statement in page for statement in on_layers)
    claims = ledger[(ledger["source"] == source.source) & (ledger["kind"] == "claim")]
    claims = claims[~claims["statement"].isin(on_layers)]
    lines = page.splitlines()
    for statement in claims["statement"]:
        assert lines.count(f"  - {statement}") == list(claims["statement"]).count(statement)
    for name, question in source.questions.items():
        assert f"### {name}. {question}" in page
        own = claims[claims["question"].astype(str) == name]
        part = page.partition(f"### {name}. ")[2].partition("\n### ")[0]
        assert all(statement in part for statement in own["statement"])
        assert f".** {len(own)} claims: " in part
    for section in claims.loc[claims["question"].isna(), "section"].astype(str).unique():
        assert f"### Section {section}: {source.sections[section]}" in page


def test_what_holds_at_random_weights_too_is_told_apart(tree: Path):
    ledger = load_table("results/ledger/minilm.csv")
    columns = [*BESIDE_UNTRAINED]
    claims = ledger["verdict"].eq("holds, but also untrained")
    ledger.loc[claims, "verdict"] = "matches"
    raw = ledger.drop(columns=columns)
    twin = raw[raw["kind"] == "claim"].assign(draws=2)
    held = twin["verdict"].eq("matches")
    twin.loc[held.cumsum() > 40, "verdict"] = "differs"
    save_table(beside_untrained(raw, twin.drop_duplicates(SAME)), "results/ledger/mine.csv")
    page = thesis_page("mine")
    assert " in none of 2 draws of random weights, and for " in page.partition("## ")[0]
    assert "is missed by 2 draws of random weights in 56 % of cases" in page
    assert "- **Holds here, in none of 2 draws of random weights** (" in page
    assert "- **Holds, in at least one of 2 draws of random weights, too** (" in page


def test_an_answer_counts_what_can_be_checked():
    from embspace.app.thesis import _answer

    def claims(*verdicts: str) -> pd.DataFrame:
        return pd.DataFrame({"verdict": verdicts, "training": [None] * len(verdicts)})

    none = ["not checkable"] * 8
    assert _answer(claims("matches", "matches", *none)) == "Mostly yes."
    assert _answer(claims("matches", "differs", *none)) == "In part."
    assert _answer(claims("undecided", "differs", "differs")) == "Mostly no."
    assert _answer(claims(*none)).startswith("Not answered")
    assert _answer(claims("undecided", "undecided", "differs")) == "Mostly undecided."
    held = claims("matches", "matches", "differs", "differs", "differs", "differs", "differs")
    half = held.assign(training=["untrained, too", "only after training", *[None] * 5])
    assert _answer(half) == "Mostly no; of what holds, 1 of 2 holds at random weights, too."


def test_another_models_kept_verdicts_stand_beside(tree: Path):
    ledger = load_table("results/ledger/minilm.csv")
    kept = ledger[ledger["about"] == "weights"].assign(verdict="differs", draw=1)
    save_table(kept[KEPT], str(VERDICTS / "second.csv"))
    table = thesis_page("mine").partition("## Claim by model")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")]
    assert "second" in rows[0]
    assert all("differs" in row for row in rows[2:])


def test_links_lead_to_figures_that_are_there(tree: Path):
    page = thesis_page("mine", up="..")
    assert "(../figures/hopf_link/toy.png)" in page
    assert "figures/similarity/mine.png" not in page  # not drawn
    assert "(./figures/similarity/minilm.png)" in thesis_page("minilm", up=".")


def test_a_model_without_a_ledger_is_told(tree: Path):
    with pytest.raises(InputError, match=r"results/ledger/minilm_random\.csv: not found"):
        thesis_page("minilm_random")
    save_table(pd.DataFrame({"source": ["another"], "kind": ["claim"]}), "results/ledger/mine.csv")
    with pytest.raises(InputError, match=r"mine\.csv: has no column 'about', it is of an older"):
        thesis_page("mine")
    ledger = load_table("results/ledger/minilm.csv").assign(source="another")
    save_table(ledger, "results/ledger/mine.csv")
    with pytest.raises(InputError, match=r"mine\.csv: has no row of Luisto"):
        thesis_page("mine")
