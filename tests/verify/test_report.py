import re
from pathlib import Path

import pytest

from embspace.published.numbers import Check, SourceReport
from embspace.published.runs import Ruling, RunReport
from embspace.published.sources import Undecided
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


def test_a_row_says_file_compared_farthest_verdict_and_origin(capsys: pytest.CaptureFixture[str]):
    Report(everything=True).show_drift(drift_of(verdict="agrees", here=True))
    words = "noun/table/small.csv 1,234 0.25 agrees computed here"
    assert words in " ".join(capsys.readouterr().out.split())
    Report(everything=True).show_drift(drift_of(verdict="agrees"))
    assert "agrees from git" in " ".join(capsys.readouterr().out.split())


def test_what_agrees_has_a_row_only_where_everything_is_asked_for(
    capsys: pytest.CaptureFixture[str],
):
    check, ruling = Check("q", "1", "1", "agrees"), Ruling("4", "It grows.", "r", {"0": "matches"})
    for everything in (False, True):
        report = Report(everything=everything)
        report.show_drift(drift_of(verdict="agrees"))
        report.show_published([SourceReport("A. Author", (check,), {})])
        report.show_rulings([RunReport("B. Author", 1, (ruling,))])
        assert bool(capsys.readouterr().out) is everything


def test_the_columns_are_explained(capsys: pytest.CaptureFixture[str]):
    Report(everything=True).show_drift(drift_of(verdict="agrees"))
    out = capsys.readouterr().out
    for column in ("compared", "farthest"):
        assert re.search(rf"^ ?result.* {column}", out, re.MULTILINE)
        assert re.search(rf"^{column}: the", out, re.MULTILINE)


def test_the_counts_come_first_with_right_plurals(capsys: pytest.CaptureFixture[str]):
    checks = (Check("q", "1", "1", "agrees"), Check("r", "1", "3", "DIFFERS"))
    source = SourceReport("A. Author", checks, {"maker/large": 24, "corpus lines": 1})
    drift = drift_of(verdict="agrees")
    Report(everything=False).show_counts(drift, [source], [RunReport("B. Author", 1, ())])
    assert capsys.readouterr().out.splitlines() == [
        "files that agree with their baselines: 1 of 1",
        "published numbers that ours agree with: 1 of 2",
        "not compared:",
        "  24 published numbers on maker/large: describe it in conf/model/ and add it to `models` "
        "in params.yaml",
        "  1 published number on corpus lines: add it to `corpora` in params.yaml",
        "  1 claim on layers and training: `make all` measures what they need",
    ]


def test_subjects_that_are_not_here_are_counted_and_listed_only_when_asked(
    capsys: pytest.CaptureFixture[str],
):
    sources = [SourceReport("A. Author", (), {"maker/a": 2, "maker/b": 3, "corpus c": 1})]
    reports = [RunReport(source, 0, (), waiting={"maker/d": 4}) for source in ("B. Author", "C.")]
    Report(everything=False).show_counts(drift_of(verdict="agrees"), sources, reports)
    assert capsys.readouterr().out.splitlines()[2:] == [
        "not compared:",
        "  6 published numbers and 8 claims on 4 models, corpora and stimuli that params.yaml does "
        "not name: `embspace verify --all` lists them",
    ]
    Report(everything=True).show_counts(drift_of(verdict="agrees"), sources, reports)
    listed = capsys.readouterr().out.splitlines()[3:]
    assert len(listed) == 4  # what two sources say of one model is counted together
    assert listed[-1].startswith("  8 claims on layers of maker/d: ")


def test_a_file_that_drifted_does_not_count_as_agreeing(capsys: pytest.CaptureFixture[str]):
    new = FileReport(Path("noun/large.csv"), "no baseline", None, True)
    drift = Drift((*drift_of(fact()).files, new), ("large",), ())
    Report(everything=False).show_counts(drift, [], [])
    assert capsys.readouterr().out.splitlines() == [
        "files that agree with their baselines: 0 of 1",
        "published numbers that ours agree with: 0 of 0",
        "not compared:",
        "  1 file: no baseline yet; `embspace verify --update` makes one",
    ]


def test_a_model_that_is_described_is_named_by_its_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("embspace.verify.report.names_of", lambda repository: ["large"])
    source = SourceReport("A. Author", (), {"maker/large": 2, "the author's own pairs": 3})
    Report(everything=False).show_counts(Drift((), (), ()), [source], [])
    out = capsys.readouterr().out
    assert "`embspace fetch large`, then add large to `models` in params.yaml" in out
    assert "3 published numbers on the author's own pairs: conf/prepare/stimuli.yaml says" in out


def test_a_drifted_fact_says_where_and_how_far(capsys: pytest.CaptureFixture[str]):
    Report(everything=False).show_drift(drift_of(fact(("space=[bold]", "token=[CLS]"))))
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
    Report(everything=False).show_drift(drift_of(lost))
    assert line in [shown.strip() for shown in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(("n", "more"), [(N_SHOWN, False), (N_SHOWN + 3, True)])
def test_many_facts_are_counted(n: int, more: bool, capsys: pytest.CaptureFixture[str]):
    Report(everything=False).show_drift(drift_of(*[fact()] * n))
    out = capsys.readouterr().out
    assert f"{n} drifted" in out
    assert out.count("baseline 1,") == N_SHOWN
    assert ("and 3 more" in out) is more


def test_models_without_baseline_or_results_are_named(capsys: pytest.CaptureFixture[str]):
    Report(everything=False).show_drift(Drift((), ("large",), ("huge",)))
    out = capsys.readouterr().out
    assert "warning: large has no baseline; `embspace verify --update` makes one" in out
    assert "FAILED: huge has no results; `dvc repro` makes them" in out


def test_a_published_number_that_differs_stands_beside_ours(capsys: pytest.CaptureFixture[str]):
    checks = (Check("[CLS] q", "1.50", "1.6", "DIFFERS", "coarse"),)
    Report(everything=False).show_published([SourceReport("A. Author", checks, {})])
    out = capsys.readouterr().out
    assert "Published: A. Author" in out
    assert "[CLS] q (coarse) 1.50 1.6 DIFFERS" in " ".join(out.split())


@pytest.mark.parametrize(
    ("here", "line"),
    [
        (True, "1 file computed in this tree, 0 from git\n"),
        (False, "0 files computed in this tree, 1 from git; `embspace run --force` computes all"),
        (None, "0 files computed in this tree, 0 from git\n"),
    ],
)
def test_the_summary_says_where_results_come_from(
    here: bool | None, line: str, capsys: pytest.CaptureFixture[str]
):
    Report(everything=False).show_summary(drift_of(here=here), {"missing results": 0})
    out = capsys.readouterr().out
    assert line in out
    assert "passed" in out


def test_the_summary_counts_failures(capsys: pytest.CaptureFixture[str]):
    Report(everything=False).show_summary(drift_of(), {"drifted": 1200, "missing": 0, "differ": 1})
    out = capsys.readouterr().out
    assert "FAILED: drifted: 1,200, differ: 1\n" in out
    assert "passed" not in out


def test_tables_fit_the_width_and_are_plain_text(capsys: pytest.CaptureFixture[str]):
    file = Path("a_noun_of_some_length/table_of_some_length/" + "model" * 20 + ".csv")
    comparison = Comparison(12_345_678, 0.123, ())
    Report(everything=False).show_drift(
        Drift((FileReport(file, "DRIFTED", comparison, True),), (), ())
    )
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= WIDTH
    assert "\x1b" not in out


def test_a_run_without_any_baseline_does_not_just_pass(capsys: pytest.CaptureFixture[str]):
    file = FileReport(Path("noun/small.csv"), "no baseline", None, True)
    Report(everything=False).show_summary(Drift((file,), ("small",), ()), {})
    assert "passed: but nothing was compared" in capsys.readouterr().out


def test_a_corpus_without_baseline_is_named(capsys: pytest.CaptureFixture[str]):
    Report(everything=False).show_drift(Drift((), (), (), ("lines",)))
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
    Report(everything=False).show_drift(drift)
    out = capsys.readouterr().out
    assert (
        "warning: params.yaml lists the corpora one; the baselines were made with one, two" in out
    )
    assert "  text_maps/quality/small.csv: all\n" in out
    assert "`embspace verify --update` makes baselines with the corpora of params.yaml" in out
    Report(everything=False).show_summary(drift, {})
    assert "; as the corpora differ, not compared: 1 file" in capsys.readouterr().out
    Report(everything=False).show_drift(Drift((), (), (), changed_corpora=(corpora,)))
    assert "warning" not in capsys.readouterr().out


def test_verdicts_on_runs_are_shown_by_seed(capsys: pytest.CaptureFixture[str]):
    seeds = Ruling("4.2", "It grows.", "mine", {"0": "matches", "1": "differs"})
    lacking = Ruling("4.2", "It grows.", "other", {})
    Report(everything=True).show_rulings([RunReport("a paper", 1, (seeds, lacking))])
    said = " ".join(capsys.readouterr().out.split())
    assert "Claims on layers and training: a paper" in said
    assert "It grows. 4.2 mine 0 matches, 1 differs" in said
    assert "other not measured; `dvc repro` does it" in said


def test_what_no_result_can_decide_is_told_with_its_reason(capsys: pytest.CaptureFixture[str]):
    item = Undecided(
        quantity="characters", section="2", verdict="not checkable", published="205", reason="so"
    )
    rulings = (Ruling("4.2", "It grows.", "run", {"0": "matches"}),)
    Report(everything=True).show_rulings([RunReport("a paper", 4, rulings, (item,))])
    assert "  characters, 205: not checkable; so" in capsys.readouterr().out


def test_a_source_that_prints_no_number_has_no_heading_there(capsys: pytest.CaptureFixture[str]):
    Report(everything=False).show_published([SourceReport("a paper", (), {})])
    assert "a paper" not in capsys.readouterr().out


def test_claims_on_layers_say_how_their_model_is_profiled(
    tree: Path, capsys: pytest.CaptureFixture[str]
):
    waiting = RunReport("a paper", 0, (), waiting={"maker/small": 2, "maker/none": 1})
    Report(everything=False).show_counts(drift_of(), [], [waiting])
    said = " ".join(capsys.readouterr().out.split())
    added = "then add small to `models` and `profiled` in params.yaml"
    assert f"2 claims on layers of maker/small: `embspace fetch small`, {added}" in said
    assert "1 claim on layers of maker/none: describe it in conf/model/" in said
    assert "`make all` measures" not in said
