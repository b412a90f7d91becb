from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.published.runs import Ruling, rulings_on
from tests.verify.tree import put

SOURCE = """
source: a paper
protocol: theirs
claims_on_runs:
  - {claim: It grows., section: "4.2", file: "results/claims/{run}.csv", where: {claim: growth},
     decided: {when: after results, why: it is so}}
  - {claim: It is flat., section: "4.1", file: "results/claims/{run}.csv", where: {claim: flat},
     decided: {when: after results, why: it is so}}
"""
TABLE = "claim,seed,verdict\ngrowth,0,matches\ngrowth,1,differs\n"


@pytest.fixture(autouse=True)
def published(tree: Path) -> None:
    put("data/published/paper.yaml", SOURCE)
    put("results/claims/one.csv", TABLE)
    put("results/claims/two.csv", TABLE.replace("growth", "flat"))


def test_every_run_has_its_verdicts_on_what_is_claimed_of_its_kind():
    (report,) = rulings_on(Path("results"), ["one", "two"], [], [])
    assert (report.source, report.n_claims) == ("a paper", 2)
    assert report.rulings == (
        Ruling("4.2", "It grows.", "one", {"0": "matches", "1": "differs"}),
        Ruling("4.1", "It is flat.", "two", {"0": "matches", "1": "differs"}),
    )


def test_only_runs_that_are_named_are_asked():
    (report,) = rulings_on(Path("results"), [], [], [])
    assert report.rulings == ()


def test_a_run_that_was_not_measured_has_no_verdict():
    (report,) = rulings_on(Path("results"), ["three"], [], [])
    assert [ruling.verdicts for ruling in report.rulings] == [{}, {}]


def test_claims_on_training_are_asked_of_models_with_checkpoints():
    place = "claims/{checkpointed}.csv"
    put("data/published/paper.yaml", SOURCE.replace("claims/{run}.csv", place))
    (report,) = rulings_on(Path("results"), ["two"], ["two"], ["one"])
    assert report.rulings == (Ruling("4.2", "It grows.", "one", {"0": "matches", "1": "differs"}),)


def test_what_cannot_be_decided_is_told_with_the_claims():
    lost = "{quantity: characters, section: '2', verdict: not checkable, published: '205',"
    put("data/published/paper.yaml", f"{SOURCE}undecided:\n  - {lost} reason: nobody counts}}\n")
    (report,) = rulings_on(Path("results"), ["one"], [], [])
    (item,) = report.undecided
    assert (item.published, item.reason) == ("205", "nobody counts")


def test_a_source_without_claims_on_runs_is_left_out():
    put("data/published/other.yaml", SOURCE.partition("claims_on_runs")[0] + OTHER)
    assert len(rulings_on(Path("results"), ["one"], [], [])) == 1


OTHER = (
    "entries:\n"
    "  - {quantity: q, model: maker/small, file: 'results/x/{model}.csv', published: {mean: '1'}}\n"
)


def test_a_table_without_verdicts_is_named():
    put("results/claims/one.csv", TABLE.replace("verdict", "outcome"))
    with pytest.raises(InputError, match=r"claims/one\.csv: has no column 'verdict'"):
        rulings_on(Path("results"), ["one"], [], [])


def test_claims_on_models_are_asked_of_those_that_are_profiled():
    put("data/published/paper.yaml", SOURCE.replace("claims/{run}.csv", "claims/{model}.csv"))
    (report,) = rulings_on(Path("results"), ["two"], ["one"], [])
    assert {ruling.run for ruling in report.rulings} == {"one"}
