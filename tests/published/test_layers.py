from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.published.claims import decide
from embspace.published.layers import rulings_on_layers
from embspace.published.runs import Ruling
from embspace.published.sources import LayerClaim, read_source, read_sources
from embspace.published.subjects import Subject
from tests.verify.tree import put

PLACE = "file: 'results/spectrum/profiles/{model}.csv', value: value, low: low, high: high"
SOURCE = f"""
source: a paper
protocol: theirs
decided: {{when: before results, why: nothing was measured}}
claims_on_layers:
  - claim: Block 2 has more dimensions than block 1.
    section: ids.json
    model: maker/small
    published: "20.0, 10.0"
    statistic: participation ratio in block 2 over that in block 1
    cell: {{{PLACE}, where: {{corpus: "{{long_texts}}", layer: 2}}}}
    over: {{{PLACE}, where: {{corpus: "{{long_texts}}", layer: 1}}}}
    holds_if: value > 1
"""
CLAIM = "Block 2 has more dimensions than block 1."
SMALL, OTHER = Subject("mine", "maker/small"), Subject("other", "maker/other")
RISING = "corpus,layer,value,low,high\ntexts,1,10,9,11\ntexts,2,20,18,22\n"
ROLES = {"long_texts": "texts"}


@pytest.fixture(autouse=True)
def published(tree: Path) -> None:
    put("data/published/paper.yaml", SOURCE)
    for model in ("mine", "other"):
        put(f"results/spectrum/profiles/{model}.csv", RISING)


def verdict(table: str, roles: dict[str, str] = ROLES) -> str:
    """Return the verdict on the claim by a table of profiles."""
    put("results/spectrum/profiles/mine.csv", table)
    (report,) = rulings_on_layers(Path("results"), [SMALL], roles)
    (ruling,) = report.rulings
    return ruling.verdicts[""]


def test_a_profiled_model_is_asked_what_is_claimed_of_its_repository():
    (report,) = rulings_on_layers(Path("results"), [OTHER, SMALL], ROLES)
    assert report.source == "a paper"
    assert report.rulings == (Ruling("ids.json", CLAIM, "mine", {"": "matches"}),)
    assert report.waiting == {}


@pytest.mark.parametrize(
    ("second", "expected"),
    [("20,18,22", "matches"), ("5,4,6", "differs"), ("10,9,11", "undecided")],
)
def test_the_whole_interval_of_the_ratio_decides(second: str, expected: str):
    assert verdict(RISING.replace("20,18,22", second)).partition(":")[0] == expected


def test_claims_on_models_that_are_not_profiled_wait():
    (report,) = rulings_on_layers(Path("results"), [OTHER], ROLES)
    assert (report.rulings, report.waiting) == ((), {"maker/small": 1})


def test_what_is_lacking_is_said():
    assert verdict(RISING, {}) == "not checkable: no corpus of params.yaml has the role long_texts"
    lacking = verdict(RISING.replace("texts,2", "texts,3"))
    assert lacking == "not checkable: the results on spectrum have no row with layer 2"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("maker/small", "any", "`model` is the repository of one model"),
        ("results/spectrum/profiles/", "data/spectrum/", "`file` of a cell"),
        ("decided:", "undecided: []\nnote:", "key 'note'"),
        ('    published: "20.0, 10.0"\n', "", "published' is missing"),
    ],
)
def test_what_does_not_fit_is_named(old: str, new: str, message: str):
    assert old in SOURCE
    put("data/published/paper.yaml", SOURCE.replace(old, new))
    with pytest.raises(InputError, match=message):
        read_sources()


def test_a_claim_says_when_its_rule_was_fixed():
    decided = "decided: {when: before results, why: nothing was measured}\n"
    assert decided in SOURCE
    put("data/published/paper.yaml", SOURCE.replace(decided, ""))
    with pytest.raises(InputError, match="expected `decided`"):
        read_sources()


def own_claims() -> list[LayerClaim]:
    return [claim for source in read_sources() for claim in source.claims_on_layers]


def plant(claim: LayerClaim, values: list[float], tmp_path: Path) -> str:
    """Return the verdict where the cells of a claim hold these values, exactly."""
    cells = [cell for cell in (claim.cell, claim.over) if cell]
    table = "\n".join(
        [
            ",".join([*claim.cell.where, *claim.cell.columns.values()]),
            *(
                ",".join(map(str, [*cell.where.values(), *[value] * len(cell.columns)]))
                for cell, value in zip(cells, values, strict=True)
            ),
        ]
    )
    place = claim.cell.file.replace("{model}", "planted")
    put(str(tmp_path / place), table.replace("{long_texts}", "texts") + "\n")
    model = Subject("planted", claim.model)
    reports = rulings_on_layers(tmp_path / "results", [model], ROLES)
    verdicts = {
        ruling.claim: ruling.verdicts[""] for report in reports for ruling in report.rulings
    }
    return verdicts[claim.claim]


def test_the_projects_own_claims_on_two_blocks_are_decided_by_a_profile(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """With the printed numbers in the cells each holds, and with their reciprocals none does."""
    monkeypatch.chdir(root)
    claims = [claim for claim in own_claims() if claim.over]
    assert len(claims) == 27
    for claim in claims:
        for sign, expected in ((1, "matches"), (-1, "differs")):
            printed = [float(number) ** sign for number in claim.published.split(", ")]
            assert plant(claim, printed, tmp_path) == expected


# Medians of the numbers by layer that the authors keep beside their tables: 2 s - 1 of symmetry,
# the negative of directionality.
STORED_MEDIANS = {
    ("google-bert/bert-base-uncased", "symmetry"): 0.510054,
    ("google-bert/bert-base-uncased", "directionality"): -0.077686,
    ("FacebookAI/xlm-roberta-base", "symmetry"): 0.514056,
    ("answerdotai/ModernBERT-base", "symmetry"): 0.184822,
    ("openai-community/gpt2", "symmetry"): 0.14958,
    ("openai-community/gpt2", "directionality"): -0.5799,
}


def test_the_projects_own_claims_on_medians_hold_of_what_rounds_to_the_print(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    claims = [
        claim for claim in own_claims() if not claim.over and "query_key_form" in claim.cell.file
    ]
    assert len(claims) == 13
    stored = dict(STORED_MEDIANS)
    for claim in claims:
        printed = float(claim.published)
        for shift, expected in ((0, "matches"), (0.006, "differs"), (-0.006, "differs")):
            assert plant(claim, [printed + shift], tmp_path) == expected
        # On the scale of ours a symmetry of chance, and one of a symmetric form, are 0 and 1.
        assert plant(claim, [0.0], tmp_path) == plant(claim, [1.0], tmp_path) == "differs"
        median = stored.pop((claim.model, str(claim.cell.where["measure"])), printed)
        assert plant(claim, [median], tmp_path) == "matches"
    assert not stored


OPEN_QUESTIONS = "data/published/luisto_thesis.yaml"
FREED = """part_of_speech,vectors,layer,preparation,difference,difference_low,difference_high
"""


def open_question(words: str, root: Path, results: Path) -> str:
    """Return the verdict on the thesis's only claim on layers with such words."""
    (claim,) = (c for c in read_source(root / OPEN_QUESTIONS).claims_on_layers if words in c.claim)
    return decide(claim, SMALL, results).verdict


def test_what_the_thesis_asked_is_not_checkable_without_its_tables(root: Path, tree: Path):
    source = read_source(root / OPEN_QUESTIONS)
    assert source.claims_on_layers
    for claim in source.claims_on_layers:
        assert decide(claim, SMALL, Path("results")).verdict == "not checkable"
        assert claim.decided is not None


@pytest.mark.parametrize(
    ("difference", "expected"),
    [("-0.3,-0.4,-0.2", "matches"), ("0.3,0.2,0.4", "differs"), ("0,-0.1,0.1", "undecided")],
)
def test_opposites_are_freed_by_the_whole_interval(
    root: Path, tree: Path, difference: str, expected: str
):
    ways = ("less_mean", "less_direction", "less_components")
    places = [f"adjective,{vectors},0,{way}" for vectors in ("input", "state") for way in ways]
    rows = "".join(f"{place},{difference}\n" for place in places)
    put("results/oppositeness/cosines/mine.csv", FREED + rows)
    assert open_question("Opposites come apart", root, Path("results")) == expected


def test_a_search_without_a_judge_finds_no_grammatical_opposites(root: Path, tree: Path):
    names = ("smallest", "beyond_random")
    columns = [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
    table = f"search,{','.join(columns)}\nword_pairs,-0.6,-0.7,-0.55,-0.1,-0.2,-0.05\n"
    put("results/opposite_texts/searches/mine.csv", f"{table}judged,,,,,,\n")
    assert open_question("somewhat grammatical", root, Path("results")) == "not checkable"
    put(
        "results/opposite_texts/searches/mine.csv",
        f"{table}judged,-0.6,-0.7,-0.55,-0.1,-0.2,-0.05\n",
    )
    assert open_question("somewhat grammatical", root, Path("results")) == "matches"
