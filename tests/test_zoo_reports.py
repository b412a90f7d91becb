"""A dozen odd folders of the zoo through the whole `embspace report`, each to its page.

`python -m tests.test_zoo_reports FOLDER` does the same outside of pytest, says how long each takes,
and which figures say that they have nothing to show.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from embspace.app.paper import known_figures
from tests.loopback import closed_address
from tests.models.sentence.folders import write_modules
from tests.tiny_architectures import DIM, build_tiny
from tests.whole_pipeline import POSITIONS
from tests.workspace import Workspace
from tests.zoo import ANIMALS, ROOT, build_animal

pytestmark = pytest.mark.slow  # each runs every stage of one model

N_TEXTS = 60
COMMAND = (sys.executable, "-c", "from embspace.app.cli import app; app()", "report")
Build = Callable[[Path], Path]


def with_dense(folder: Path) -> Path:
    """A sentence model whose vectors have half as many dimensions as its states."""
    config = {"in_features": DIM, "out_features": DIM // 2, "bias": True}
    config["activation_function"] = "torch.nn.modules.activation.Tanh"
    pooling = {"embedding_dimension": DIM, "pooling_mode": "mean"}
    build_animal("bert", folder, POSITIONS)
    return write_modules(folder, [("Pooling", pooling), ("Dense", config), ("Normalize", {})])


REPORTED: dict[str, Build] = {
    **{
        name: partial(build_animal, name, positions=POSITIONS)
        for name in ("gpt2", "albert", "deberta-v2", "modernbert", "electra", "roberta")
    },
    **{name: partial(build_tiny, name, positions=POSITIONS) for name in ("t5", "xlnet", "fnet")},
    "recurrent_gemma": partial(build_tiny, "recurrent_gemma", positions=POSITIONS),
    "mobilebert, embedding 8": partial(
        build_tiny, "mobilebert", positions=POSITIONS, embedding_size=8
    ),
    "bert, sentence model with Dense": with_dense,
}


def reporting_tree(folder: Path) -> Workspace:
    """A tree without a network that has computed nothing, with a few texts in texts.jsonl."""
    tree = Workspace(ROOT, folder / "tree")
    tree.variables = {"HF_HOME": f"{folder}/hub", "HF_HUB_OFFLINE": "1"}
    tree.variables["HF_ENDPOINT"] = closed_address()
    tree.shorten()
    lines = (ROOT / "data/texts/articles.jsonl").read_text(encoding="utf-8").splitlines()
    (tree.folder / "texts.jsonl").write_text("\n".join(lines[:N_TEXTS]) + "\n", encoding="utf-8")
    tree.commit()
    return tree


def report(tree: Workspace, name: str) -> subprocess.CompletedProcess[str]:
    """Build a folder beside the tree, and report on it."""
    folder = tree.folder.parent / name.replace(", ", "_").replace(" ", "_")
    REPORTED[name](folder)
    return subprocess.run(
        [*COMMAND, str(folder), "--corpus", "texts.jsonl", "--no-open"],
        cwd=tree.folder,
        env=tree.environment(),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Shared: what no model is part of is computed once."""
    return reporting_tree(tmp_path_factory.mktemp("reports"))


def test_a_dozen_is_reported_on():
    assert len(REPORTED) == 12
    assert set(REPORTED) - set(ANIMALS)


@pytest.mark.parametrize("name", REPORTED)
def test_its_report_ends_with_a_page(name: str, tree: Workspace):
    said = report(tree, name)
    assert said.returncode == 0, said.stdout[-2000:] + said.stderr[-4000:]
    page = tree.folder / said.stdout.splitlines()[-1]
    assert page.name == "index.html"
    figures = page.parent / "figures"
    drawings = known_figures()
    own = {file.parent.name for file in figures.rglob("*.md")}
    own = {noun for noun in own if not drawings[noun][1].drawn_in}
    assert {file.parent.name for file in figures.rglob("*.png")} == own != set()
    assert "nan (nan to nan)" not in page.read_text(encoding="utf-8")


def main(folder: Path, names: list[str]) -> None:
    """Report on each, and write what was said beside the folders."""
    tree = reporting_tree(folder)
    for name in names or REPORTED:
        start = time.monotonic()
        said = report(tree, name)
        line = {"name": name, "code": said.returncode, "seconds": round(time.monotonic() - start)}
        print(json.dumps(line), flush=True)
        (folder / f"{name.replace(', ', '_')}.log").write_text(said.stdout + said.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        place = Path(sys.argv[1])
        place.mkdir(parents=True, exist_ok=True)
    else:
        place = Path(tempfile.mkdtemp())
    main(place, sys.argv[2:])
