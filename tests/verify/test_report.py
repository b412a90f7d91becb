from pathlib import Path

import pytest

from embspace.published.numbers import Check, SourceReport
from embspace.published.runs import Ruling, RunReport
from embspace.verify.compare import Comparison, Fact
from embspace.verify.corpora import Corpora
from embspace.verify.drift import Drift, FileReport
from embspace.verify.report import N_SHOWN, WIDTH, Report


def drift_of(*facts: Fact, verdict="DRIFTED", here: bool | None = False) -> Drift:
    worst = max((fact.deviation for fact in facts), default=0.25)
    comparison = Comparison(1234, worst, facts)
    return Drift((FileReport(Path("noun/table/small.csv"), verdict, comparison, here),), (), ())


def fact(row: tuple[str, ...] = (), column: str = "mean", allowed: str = "±0.1") -> Fact:
    return Fact(row, column, "1", "2", allowed, 10.0)


def test_a_row_says_file_facts_worst_verdict_and_origin(capsys: pytest.CaptureFixture[str]):
    Report().show_drift(drift_of(verdict="agrees", here=True))
    words = "noun/table/small.csv 1,234 0.25 agrees computed here"
    assert words in " ".join(capsys.readouterr().out.split())
    Report().show_drift(drift_of(verdict="agrees"))
    assert "agrees from git" in " ".join(capsys.readouterr().out.split())


def test_a_drifted_fact_says_where_and_how_far(capsys: pytest.CaptureFixture[str]):
    Report().show_drift(drift_of(fact(("space=[bold]", "token=[CLS]"))))
    line = "space=[bold], token=[CLS]: mean: baseline 1, found 2, allowed ±0.1"
    assert line in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lost", "line"),
    [
        (Fact(("space=input",), "", "there", "missing", "", 9.0), "row space=input is missing"),
        (Fact((), "mean", "there", "missing", "", 9.0), "column or key mean is missing"),
        (Fact((), "mean", "not there", "extra", "", 9.0), "column or key mean is extra"),
        (fact((), "a.b"), "a.b: baseline 1, found 2, allowed ±0.1"),
    ],
)
def test_what_one_side_lacks_is_said_in_words(
    lost: Fact, line: str, capsys: pytest.CaptureFixture[str]
):
    Report().show_drift(drift_of(lost))
    assert line in [each.strip() for each in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(("n", "more"), [(N_SHOWN, False), (N_SHOWN + 3, True)])
def test_many_facts_are_counted(n: int, more: bool, capsys: pytest.CaptureFixture[str]):
    Report().show_drift(drift_of(*[fact()] * n))
    out = capsys.readouterr().out
    assert f"{n} drifted" in out
    assert out.count("baseline 1,") == N_SHOWN
    assert ("and 3 more" in out) is more


def test_models_without_baseline_or_results_are_named(capsys: pytest.CaptureFixture[str]):
    Report().show_drift(Drift((), ("large",), ("huge",)))
    out = capsys.readouterr().out
    assert "warning: large has no baseline; `embspace verify --update` makes one" in out
    assert "FAILED: huge has no results; `dvc repro` makes them" in out


def test_published_numbers_and_those_that_need_another_model(capsys: pytest.CaptureFixture[str]):
    checks = (Check("[CLS] q", "1.50", "1.6", "DIFFERS", "coarse"),)
    Report().show_published([SourceReport("A. Author", checks, {"maker/large": 24})])
    out = capsys.readouterr().out
    assert "Published: A. Author" in out
    assert "[CLS] q (coarse) 1.50 1.6 DIFFERS" in " ".join(out.split())
    assert "24 numbers need maker/large: describe it in conf/model/ and add it" in out


@pytest.mark.parametrize(
    ("here", "line"),
    [
        (True, "1 files computed in this tree, 0 from git\n"),
        (False, "0 files computed in this tree, 1 from git; `dvc repro --force` computes all"),
        (None, "0 files computed in this tree, 0 from git\n"),
    ],
)
def test_the_summary_says_where_results_come_from(
    here: bool | None, line: str, capsys: pytest.CaptureFixture[str]
):
    Report().show_summary(drift_of(here=here), {"missing results": 0})
    out = capsys.readouterr().out
    assert line in out
    assert "passed" in out


def test_the_summary_counts_failures(capsys: pytest.CaptureFixture[str]):
    Report().show_summary(drift_of(), {"drifted": 1200, "missing": 0, "differ": 1})
    out = capsys.readouterr().out
    assert "FAILED: drifted: 1,200, differ: 1\n" in out
    assert "passed" not in out


def test_tables_fit_the_width_and_are_plain_text(capsys: pytest.CaptureFixture[str]):
    file = Path("a_noun_of_some_length/table_of_some_length/" + "model" * 20 + ".csv")
    comparison = Comparison(12_345_678, 0.123, ())
    Report().show_drift(Drift((FileReport(file, "DRIFTED", comparison, True),), (), ()))
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= WIDTH
    assert "\x1b" not in out


def test_a_run_without_any_baseline_does_not_just_pass(capsys: pytest.CaptureFixture[str]):
    file = FileReport(Path("noun/small.csv"), "no baseline", None, True)
    Report().show_summary(Drift((file,), ("small",), ()), {})
    assert "passed: but nothing was compared" in capsys.readouterr().out


def test_a_corpus_without_baseline_is_named(capsys: pytest.CaptureFixture[str]):
    Report().show_drift(Drift((), (), (), ("lines",)))
    assert "warning: corpus lines has no baseline" in capsys.readouterr().out


def test_what_other_corpora_leave_uncompared_is_named(capsys: pytest.CaptureFixture[str]):
    file = Path("text_maps/quality/small.csv")
    corpora = Corpora(("one", "two"), ("one",))
    drift = Drift(
        (FileReport(file, "not compared", None, True),),
        (),
        (),
        changed_corpora=(corpora,),
        left_out=((file, "all"),),
    )
    Report().show_drift(drift)
    out = capsys.readouterr().out
    assert (
        "warning: params.yaml lists the corpora one; the baselines were made with one, two" in out
    )
    assert "  text_maps/quality/small.csv: all\n" in out
    assert "`embspace verify --update` makes baselines with the corpora of params.yaml" in out
    Report().show_summary(drift, {})
    assert "; 1 files were not compared, as the corpora differ" in capsys.readouterr().out
    Report().show_drift(Drift((), (), (), changed_corpora=(corpora,)))
    assert "warning" not in capsys.readouterr().out


def test_verdicts_on_runs_are_shown_by_seed(capsys: pytest.CaptureFixture[str]):
    found = Ruling("4.2", "It grows.", "mine", {"0": "matches", "1": "differs"})
    lacking = Ruling("4.2", "It grows.", "other", {})
    Report().show_rulings([RunReport("a paper", 1, (found, lacking))])
    said = " ".join(capsys.readouterr().out.split())
    assert "Claims on layers and training: a paper" in said
    assert "It grows. 4.2 mine 0 matches, 1 differs" in said
    assert "other not measured; `dvc repro` does it" in said


def test_without_runs_the_claims_are_counted(capsys: pytest.CaptureFixture[str]):
    Report().show_rulings([RunReport("a paper", 4, ())])
    assert (
        "4 claims are about encoders and decoders: `profiled` and `trained` in params.yaml name"
        in capsys.readouterr().out
    )


def test_a_source_that_prints_no_number_has_no_heading_there(capsys: pytest.CaptureFixture[str]):
    Report().show_published([SourceReport("a paper", (), {})])
    assert "a paper" not in capsys.readouterr().out
