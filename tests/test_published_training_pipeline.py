"""A published training from the hub to its figure, as a user takes it there.

The tests build on each other.
"""

import re
from pathlib import Path

import pytest
import yaml

from embspace.files.tables import load_table
from tests.drawn import figure_files
from tests.hub_server import Hub, serving_hub
from tests.loopback import closed_address
from tests.published_training import build_neox, neox_content, push_neox
from tests.workspace import Workspace

pytestmark = pytest.mark.slow

TARGET = "draw_pretraining_dynamics@neox"
OF_PINS = {"prepare_model@neox", "prepare_checkpoints@neox"}
MEASURED = {"measure_pretraining_dynamics@neox", TARGET}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The model by step, as its makers have it."""
    return build_neox(tmp_path_factory.mktemp("makers"))


@pytest.fixture(scope="module")
def workspace(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A tree without a network that knows the model; nothing is fetched."""
    rules = "tests/baselines/tolerances.yaml"
    tree = Workspace(root, tmp_path_factory.mktemp("training"), (rules,))
    cache = tmp_path_factory.mktemp("cache")
    tree.variables = {"HF_HOME": str(cache), "HF_HUB_OFFLINE": "1", "HF_ENDPOINT": closed_address()}
    path = tree.folder / "conf/model/neox.yaml"
    path.write_text(yaml.safe_dump(neox_content()), encoding="utf-8")
    tree.edit("conf/measure/runs/pretraining_dynamics.yaml", corpus="posts", n_documents=40)
    tree.edit("conf/measure/runs/pretraining_head_dynamics.yaml", corpus="posts")
    tree.edit("params.yaml", models=["neox"], corpora=["posts"])
    return tree


def fetch(tree: Workspace, hub: Hub, *arguments: str) -> str:
    offline = tree.variables
    online = hub.environment(Path(offline["HF_HOME"]))
    tree.variables = {**online, "HF_HUB_OFFLINE": "", "TRANSFORMERS_OFFLINE": ""}
    try:
        return tree.run("embspace", "fetch", *arguments)
    finally:
        tree.variables = offline


def test_nobody_who_names_none_has_such_a_stage(workspace: Workspace) -> None:
    listed = workspace.run("dvc", "stage", "list", "--all", "--name-only")
    assert "prepare_model@neox" in listed
    assert "checkpoint" not in listed and "pretraining" not in listed


def test_what_was_not_fetched_is_told(workspace: Workspace, folders: dict[int, Path]) -> None:
    workspace.edit("params.yaml", checkpointed=["neox"])
    with serving_hub() as hub:
        push_neox(hub, folders)
        fetch(workspace, hub, "neox")
    command = "embspace fetch neox --checkpoints"
    for said in (
        workspace.run("embspace", "check", check=False),
        workspace.run("dvc", "repro", f"pipeline/runs/dvc.yaml:{TARGET}", check=False),
    ):
        assert "neox@step0: not fetched, models.lock does not have it" in said and command in said


def test_from_the_hub_to_the_figure(workspace: Workspace, folders: dict[int, Path]) -> None:
    with serving_hub() as hub:
        push_neox(hub, folders)
        assert "neox@step1: maker/neox, step1 is " in fetch(workspace, hub, "neox", "--checkpoints")
    assert "fit" in workspace.run("embspace", "check")
    # The attempt that failed may have come as far as these: DVC goes in no fixed order.
    needed = {"prepare_texts@posts", "measure_architecture@neox"}
    assert workspace.repro(TARGET) | needed == {*OF_PINS, *needed, *MEASURED}
    table = load_table(str(workspace.folder / "results/pretraining_dynamics/neox.csv"))
    assert table["step"].drop_duplicates().tolist() == [0, 1, 4]
    files = workspace.files("figures", "data/drawn")
    assert set(files) == set(figure_files("pretraining_dynamics", "neox"))
    assert workspace.repro(TARGET) == set()


def test_its_numbers_are_guarded_and_asked_for_only_where_it_is_named(workspace: Workspace) -> None:
    def verify(*arguments: str) -> str:
        # Most of what dvc.yaml names is not made here, so that it fails.
        said = workspace.run("embspace", "verify", *arguments, check=False)
        return " ".join(said.split())

    file = "pretraining_dynamics/neox.csv"
    result, baseline = (workspace.folder / top / file for top in ("results", "tests/baselines"))
    baseline.parent.mkdir()
    content = result.read_bytes()
    baseline.write_bytes(content)
    assert re.search(rf"{file} \S+ 0 agrees computed here", verify("--all"))
    result.unlink()
    assert f"{file} MISSING" in verify()
    workspace.edit("params.yaml", checkpointed=[])
    assert file not in verify()
    workspace.edit("params.yaml", checkpointed=["neox"])
    result.write_bytes(content)


def test_only_what_was_fetched_anew_is_measured_anew(
    workspace: Workspace, folders: dict[int, Path]
) -> None:
    path = workspace.folder / "conf/model/other.yaml"
    path.write_text(yaml.safe_dump(neox_content()), encoding="utf-8")
    before = _values(workspace)
    with serving_hub() as hub:
        push_neox(hub, folders)
        fetch(workspace, hub, "other", "--checkpoints")
        assert workspace.repro(TARGET) == OF_PINS
        # The makers confused two steps before.
        hub.push("maker/neox", folders[0], branch="step1")
        hub.push("maker/neox", folders[1], branch="step0")
        fetch(workspace, hub, "neox", "--checkpoints", "--update")
    assert workspace.repro(TARGET) == OF_PINS | MEASURED
    assert before[0] != before[1]
    assert _values(workspace) == {0: before[1], 1: before[0], 4: before[4]}


def test_prune_removes_what_is_left_of_it(workspace: Workspace) -> None:
    workspace.edit("params.yaml", models=["minilm"], checkpointed=[])
    said = workspace.run("embspace", "prune", "--yes")
    for file in ("data/prepared/checkpoints/neox.json", "results/pretraining_dynamics/neox.csv"):
        assert file in said and not (workspace.folder / file).exists()
    assert not workspace.files("figures")


def _values(tree: Workspace) -> dict[int, bytes]:
    """Return the measured values of each step, as bytes, in which NaN equals NaN."""
    table = load_table(str(tree.folder / "results/pretraining_dynamics/neox.csv"))
    return {step: rows["value"].to_numpy().tobytes() for step, rows in table.groupby("step")}
