from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from embspace.app.reporting import growing
from embspace.app.reporting.growing import DRAWINGS, GrowingPage, share_drawings
from embspace.app.reporting.parts import Analysis
from embspace.app.repro.side_by_side import Step
from embspace.errors import InputError

FIRST, SECOND = Analysis("first", "texts", 0, ""), Analysis("second", "learned", 2, "")
STAGES = {FIRST: ["pipeline/texts/dvc.yaml:measure_first@m"], SECOND: ["measure_second@m"]}


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What each page was written of; drawing is left out, and time does not matter."""
    pages: list[dict[str, Any]] = []

    def page_of(folder: Path, model: str, **options: Any) -> str:
        pages.append(options)
        return f"page {len(pages)}"

    def draw(tree: Path, analysis: Analysis, model: str) -> None:
        for file in (f"results/{analysis.noun}/{model}.csv", f"results/{analysis.noun}/other.csv"):
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text(file)

    monkeypatch.setattr("embspace.app.page.model.page_of", page_of)
    monkeypatch.setattr("embspace.app.explorer.fragment_of.explorer_of", lambda *_: None)
    monkeypatch.setattr(growing, "draw_analysis", draw)
    monkeypatch.setattr(growing, "RELOAD", -1)
    monkeypatch.setattr(growing, "SHARE", 0)
    return pages


def page(tmp_path: Path, shown: list[Path]) -> GrowingPage:
    return GrowingPage(
        *(tmp_path / "tree", "m", tmp_path / "reports/m", STAGES),
        own_texts=True,
        written=("m",),
        left_out={"--all": ["ledger"]},
        shown=shown.append,
    )


def steps(*stages: str) -> Iterator[Step]:
    for n_done, stage in enumerate(stages, 1):
        yield Step(stage, "starts", n_stages=2)
        yield Step(stage, "ends", n_done=n_done, n_stages=2)


def test_the_page_is_there_at_first_and_fills_as_stages_end(
    tmp_path: Path, written: list[dict[str, Any]]
):
    shown: list[Path] = []
    made = page(tmp_path, shown)
    made.begin()
    assert written[0]["nouns"] == []
    assert written[0]["progress"].waiting == ["first", "second"]
    assert written[0]["progress"].reload_seconds
    followed = [step.stage for step in made.follow(steps("measure_first@m", "measure_second@m"))]
    assert followed == ["measure_first@m"] * 2 + ["measure_second@m"] * 2
    assert [page["nouns"] for page in written[1:]] == [["first"], ["first", "second"]]
    assert "1 of 2 stages done" in written[1]["progress"].said
    made.end()
    last = written[-1]["progress"]
    assert (last.said, last.waiting, last.reload_seconds) == ("", [], 0)
    assert last.left_out == {"--all": ["ledger"]}
    assert made.page.read_text() == f"page {len(written)}"
    assert shown == [made.page] * len(written)


def test_beside_the_page_lies_what_is_of_the_model_alone(
    tmp_path: Path, written: list[dict[str, Any]]
):
    made = page(tmp_path, [])
    stale = tmp_path / "reports/m/results/gone/m.csv"
    stale.parent.mkdir(parents=True)
    stale.touch()
    made.begin()
    list(made.follow(steps("measure_first@m", "measure_second@m")))
    files = (tmp_path / "reports/m/results").rglob("*.csv")
    assert {file.relative_to(tmp_path / "reports/m/results").as_posix() for file in files} == {
        "first/m.csv",
        "second/m.csv",
    }
    assert written


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (SystemExit(130), "The run was ended."),
        (KeyboardInterrupt(), "The run was ended."),
        (InputError("stage x: no"), "The run stopped: stage x: no."),
    ],
)
def test_a_run_that_ends_early_leaves_a_page_that_says_so(
    tmp_path: Path, written: list[dict[str, Any]], error: BaseException, said: str
):
    made = page(tmp_path, [])

    def end_early() -> None:
        made.begin()
        for _ in made.follow(steps("measure_first@m")):
            pass
        raise error

    with pytest.raises(type(error)), made.told_if_ended():
        end_early()
    last = written[-1]
    assert last["progress"].said == f"{said} The same command goes on where it was."
    assert last["nouns"] == ["first"]
    assert last["progress"].waiting == ["second"]
    assert not last["progress"].reload_seconds


def test_a_stage_that_never_ended_is_no_end(tmp_path: Path, written: list[dict[str, Any]]):
    made = page(tmp_path, [])
    made.begin()
    with pytest.raises(InputError, match="not drawn: first, second"):
        made.end()
    assert len(written) == 1


def test_a_tree_keeps_its_drawings_with_the_study(tmp_path: Path):
    tree = tmp_path / ".cache/trees/m"
    for _ in range(2):
        share_drawings(tmp_path, tree)
    (tree / DRAWINGS / "one.zip").write_bytes(b"1")
    assert (tmp_path / DRAWINGS / "one.zip").read_bytes() == b"1"
