from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.verify.command import verify_results
from embspace.verify.failures import Outcome
from tests.verify.tree import SCALARS, SUMMARY, compute, make_tree, put

SUMMARY_FILE = "results/similarity/summary/small.csv"
BASELINE_FILE = "tests/baselines/similarity/summary/small.csv"


def verify(*, update: bool = False, computed: bool = False, results: str = "results") -> bool:
    return (
        verify_results(Path(results), update=update, computed=computed, everything=False)
        is Outcome.PASSED
    )


def publish(mean: str) -> None:
    put(
        "data/published/paper.yaml",
        "source: a paper\nprotocol: theirs\nentries:\n"
        "  - {quantity: q, model: maker/small, file: 'results/similarity/summary/{model}.csv',"
        f" where: {{space: input}}, published: {{mean: '{mean}'}}}}\n",
    )


def test_it_passes_within_tolerance_and_fails_beyond(tree: Path):
    assert verify()
    put(SUMMARY_FILE, SUMMARY.replace("1.5", "1.50014"))
    assert verify()
    put(SUMMARY_FILE, SUMMARY.replace("1.5", "1.50016"))
    assert not verify()


def test_a_missing_result_is_not_computed_yet(tree: Path, capsys: pytest.CaptureFixture[str]):
    Path(SUMMARY_FILE).unlink()
    outcome = verify_results(Path("results"), update=False, computed=False, everything=False)
    assert outcome is Outcome.NOT_COMPUTED
    assert "NOT COMPUTED YET, and nothing drifted: missing results: 1\n" in capsys.readouterr().out


def test_a_model_without_baseline_passes(tree: Path):
    Path(BASELINE_FILE).unlink()
    Path("tests/baselines/interrelations/small.json").unlink()
    assert verify()


def test_a_model_without_results_fails(tree: Path):
    make_tree("[small, large]")
    put("conf/model/large.yaml", Path("conf/model/small.yaml").read_text())
    assert not verify()


def test_a_published_number_that_differs_fails(tree: Path):
    publish("1.50")
    assert verify()
    publish("1.51")
    assert not verify()


def test_an_update_makes_drift_the_baseline_and_shows_it_first(
    tree: Path, capsys: pytest.CaptureFixture[str]
):
    compute(SUMMARY_FILE, SUMMARY.replace("1.5", "1.6"))
    assert verify(update=True)
    out = capsys.readouterr().out
    assert "space=input: mean: baseline 1.5, found 1.6" in out
    assert "baselines: 2 written, 0 removed" in out
    assert Path(BASELINE_FILE).read_bytes() == Path(SUMMARY_FILE).read_bytes()
    assert Path("results/provenance.json").exists()
    assert verify()
    assert "baseline 1.5" not in capsys.readouterr().out


def test_an_update_does_not_make_a_published_number_agree(tree: Path):
    publish("1.51")
    assert not verify(update=True)


def test_an_update_of_a_model_that_was_not_run_changes_nothing(tree: Path):
    Path(SUMMARY_FILE).unlink()
    Path("results/interrelations/small.json").unlink()
    with pytest.raises(InputError, match="no results of small: no baseline was changed"):
        verify(update=True)
    assert Path(BASELINE_FILE).exists()


def test_an_update_with_an_unguarded_number_changes_nothing(tree: Path):
    put(SUMMARY_FILE, SUMMARY.replace("mean", "median"))
    with pytest.raises(InputError, match="no rule names median"):
        verify(update=True)
    assert Path(BASELINE_FILE).read_text() == SUMMARY


def test_computed_fails_on_what_git_brought(tree: Path):
    compute(SUMMARY_FILE, SUMMARY)
    assert verify()
    assert not verify(computed=True)
    compute("results/interrelations/small.json", SCALARS)
    assert verify(computed=True)


def test_results_may_lie_elsewhere(tree: Path):
    Path("results").rename("others")
    with pytest.raises(InputError, match="results: not found"):
        verify()
    publish("1.50")
    assert verify(results="others")
    put("others/similarity/summary/small.csv", SUMMARY.replace("1.5", "1.6"))
    assert not verify(results="others")


def test_an_absolute_path_finds_what_was_computed_here(tree: Path):
    compute(SUMMARY_FILE, SUMMARY)
    compute("results/interrelations/small.json", SCALARS)
    assert verify(computed=True, results=str(tree / "results"))
