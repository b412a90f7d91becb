"""What DVC makes of the stages of a chapter, on a small random BERT, in a copy of the project.

Each test starts from a tree that is up to date. The whole pipeline is in test_whole_pipeline.py.
What runs several stages in processes of their own takes more than five seconds: by night.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.tiny_pipeline import restored, start_and_kill, tiny_pipeline
from tests.whole_pipeline import BUILT
from tests.workspace import Workspace

CHAPTER = "draw_positional@tiny"
ADDRESS = f"pipeline/positional/dvc.yaml:{CHAPTER}"


@pytest.fixture(scope="module")
def workspace(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A tree whose only model is `tiny`, of which the chapter on positions is up to date."""
    return tiny_pipeline(root, tmp_path_factory.mktemp("pipeline"), CHAPTER)


@pytest.fixture(autouse=True)
def back_to_the_start(workspace: Workspace) -> Iterator[None]:
    with restored(workspace):
        yield


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_and_gives_the_same_bytes(workspace: Workspace):
    before = workspace.files(*BUILT)
    nouns = ("helix", "positions", "sinusoidal_positions")
    for noun in nouns:
        shutil.rmtree(workspace.folder / "results" / noun)
    started = start_and_kill(workspace, "measure_positions@tiny", ADDRESS)
    resumed = workspace.repro("--no-run-cache", CHAPTER)
    assert {f"measure_{noun}@tiny" for noun in nouns} <= started | resumed
    assert started & resumed == {"measure_positions@tiny"}
    assert workspace.files(*BUILT) == before


@pytest.mark.parametrize(
    ("file", "change", "stages"),
    [
        ("conf/draw/positional/helix.yaml", {"digits": 2}, {CHAPTER}),
        pytest.param(
            "conf/measure/positional/positions.yaml",
            {"n_shuffles": 9},
            {"measure_positions@tiny", CHAPTER},
            marks=pytest.mark.slow,
        ),
        ("params.yaml", {"device": "auto"}, set()),  # nor does a second run do anything else
    ],
)
def test_a_changed_setting_runs_its_stage_and_what_hangs_on_it(
    workspace: Workspace, file: str, change: dict[str, object], stages: set[str]
):
    workspace.edit(file, **change)
    assert workspace.repro(CHAPTER) == stages


def test_a_stage_runs_alone_and_takes_settings_from_the_command_line(workspace: Workspace):
    workspace.run(
        "python",
        "-m",
        "embspace.measure.learned.mean_embedding",
        "model=tiny",
        "settings.n_tokens=1",
    )
    table = (workspace.folder / "results/mean_embedding/tokens/tiny.csv").read_text()
    assert len(table.splitlines()) == 1 + 2 * 6


def test_an_unknown_model_stops_before_anything_runs(workspace: Workspace):
    workspace.edit("params.yaml", models=["bret"])
    said = workspace.run("dvc", "repro", ADDRESS.partition("@")[0], check=False)
    assert "conf/model/bret.yaml" in said
    assert "Running stage" not in said


def test_an_unknown_model_is_told_beside_a_way_to_those_that_are_known(workspace: Workspace):
    workspace.edit("params.yaml", models=["bret"])
    refused = workspace.run("embspace", "check", check=False)
    assert "params.yaml: key 'models': found 'bret'; `embspace models` lists all" in refused


def test_new_weights_behind_a_pin_are_not_taken(workspace: Workspace):
    description = yaml.safe_load((workspace.folder / "conf/model/tiny.yaml").read_text())
    description["sha256"] = {"model.safetensors": "0" * 64}
    (workspace.folder / "conf/model/tiny.yaml").write_text(yaml.safe_dump(description))
    said = workspace.run("dvc", "repro", ADDRESS, check=False)
    assert "sha256 differs from conf/model/tiny.yaml" in said
    assert "expected " + "0" * 64 in said
