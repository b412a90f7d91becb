"""A tree of DVC whose stages are lines of shell."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import yaml

from embspace.app.repro.side_by_side import Step, run_side_by_side

Write = Callable[..., Path]
Run = Callable[..., list[Step]]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / ".dvc").mkdir()
    (tmp_path / ".dvc/config").write_text("[core]\n    no_scm = true\n    analytics = false\n")
    return tmp_path


@pytest.fixture(autouse=True)
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start no process that imports libraries: stages here are lines of shell."""
    monkeypatch.setenv("EMBSPACE_COLD", "1")


@pytest.fixture
def write(tree: Path) -> Write:
    """Write the stages of a graph."""

    def write_stages(graph: str = "dvc.yaml", **stages: object) -> Path:
        (tree / graph).parent.mkdir(parents=True, exist_ok=True)
        (tree / graph).write_text(yaml.safe_dump({"stages": stages}))
        return tree

    return write_stages


@pytest.fixture
def run(tree: Path) -> Run:
    """Run the stages of the tree; the steps that were told, and what was printed in `said`."""

    def run_tree(*targets: str, jobs: int = 2, force: bool = False) -> list[Step]:
        with (tree / "said").open("a") as said:

            def show(stage: str, line: str) -> None:
                print(f"{stage}: {line}", file=said, flush=True)

            return list(run_side_by_side(tree, targets, show, jobs=jobs, force=force))

    return run_tree


def kinds(steps: Iterable[Step]) -> dict[str, str]:
    """Return the last step of each stage."""
    return {step.stage: step.kind for step in steps}
