"""Stages over several models at once: a launcher changes no byte, and DVC takes what it made."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from embspace.settings.pipeline import LOCK, graph_files
from tests.tiny import write_tiny_model
from tests.whole_pipeline import POSITIONS
from tests.workspace import Workspace

pytestmark = pytest.mark.slow

MODELS = ("one", "two")
# A stage with a corpus of its own, and one with chance; by what runs them.
STAGES = {
    "extract_hidden_states": ("embspace.extract.hidden_states", "corpus=model_card"),
    "measure_separability": ("embspace.measure.learned.separability",),
}
MADE = ("data/extracted/hidden_states", "results")
EMBEDDINGS = "data/extracted/embeddings/one.safetensors"
SUBMITIT = "hydra_plugins.hydra_submitit_launcher"
# As somebody names the machines of a cluster, once.
OWN_LAUNCHER = "defaults: [submitit_local, _self_]\ntimeout_min: 5\n"


@pytest.fixture(scope="module")
def workspace(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A tree with two models and the results of two stages, as `dvc repro` makes them."""
    tree = Workspace(root, tmp_path_factory.mktemp("grid"))
    for seed, name in enumerate(MODELS):
        place = tree.folder / f"models/{name}"
        write_tiny_model(place, tree.folder / "conf", name, seed, POSITIONS)
        tree.edit(f"conf/model/{name}.yaml", path=f"models/{name}")
    tree.edit("params.yaml", models=list(MODELS), corpora=["model_card"])
    tree.repro(*STAGES)
    own = tree.folder / "conf/hydra/launcher/cluster.yaml"
    own.parent.mkdir(parents=True)
    own.write_text(OWN_LAUNCHER, encoding="utf-8")
    tree.commit()
    return tree


@pytest.fixture(autouse=True)
def back_to_the_start(workspace: Workspace) -> Iterator[None]:
    """Undo what a test changed."""
    locks = graph_files(workspace.folder, LOCK)
    before = workspace.files(*MADE, "conf", EMBEDDINGS) | {
        str(lock): (workspace.folder / lock).read_bytes() for lock in locks
    }
    yield
    for name, content in before.items():
        (workspace.folder / name).write_bytes(content)


def made_in(tree: Workspace) -> dict[str, bytes]:
    """What stages have made; a folder that git keeps empty is none of theirs."""
    files = tree.files(*MADE)
    return {name: content for name, content in files.items() if not name.endswith(".gitkeep")}


def run_grid(tree: Workspace, stage: str, launcher: str, *, check: bool = True) -> str:
    module, *groups = STAGES[stage]
    models = f"model={','.join(MODELS)}"
    launched = f"hydra/launcher={launcher}"
    return tree.run("python", "-m", module, "-m", models, *groups, launched, check=check)


@pytest.mark.parametrize(
    ("launcher", "plugin"),
    [("joblib", "hydra_plugins.hydra_joblib_launcher"), ("cluster", SUBMITIT)],
)
def test_no_launcher_changes_a_byte_or_leaves_one_elsewhere(
    workspace: Workspace, launcher: str, plugin: str
):
    pytest.importorskip(plugin)
    made = made_in(workspace)
    assert all(any(name in file for file in made) for name in MODELS)
    for name in made:
        (workspace.folder / name).unlink()
    for stage in STAGES:
        run_grid(workspace, stage, launcher)
    assert made_in(workspace) == made
    assert not workspace.git("status", "--porcelain")


def test_dvc_takes_what_a_grid_made_and_runs_nothing_again(workspace: Workspace):
    workspace.edit("conf/measure/learned/separability.yaml", n_folds=3)
    stages = {f"measure_separability@{name}" for name in MODELS}
    run_grid(workspace, "measure_separability", "basic")
    assert workspace.repro("--dry", "measure_separability") == stages  # DVC was not told
    workspace.run("dvc", "commit", "--force", "pipeline/learned/dvc.yaml:measure_separability")
    made = workspace.files("results")
    assert workspace.repro("measure_separability") == set()
    assert workspace.repro("--force", "--single-item", "measure_separability") == stages
    assert workspace.files("results") == made


def test_what_is_wrong_with_one_model_is_told(workspace: Workspace):
    pytest.importorskip(SUBMITIT)
    (workspace.folder / EMBEDDINGS).unlink()
    for launcher in ("basic", "submitit_local"):
        said = run_grid(workspace, "measure_separability", launcher, check=False)
        assert f"error: {EMBEDDINGS}: not found" in said, launcher


def test_the_check_of_settings_lets_a_launcher_be(workspace: Workspace):
    assert "fit" in workspace.run("embspace", "check")
