"""The pipeline as a whole, on a small random BERT, in a copy of the project.

What DVC makes of one chapter is in test_pipeline.py.
"""

import csv
import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from embspace.settings.pipeline import LOCK, graph_files
from tests.drawn import figure_files
from tests.tiny_pipeline import restored, start_and_kill, tiny_pipeline
from tests.whole_pipeline import (
    BUILT,
    COMPARED,
    MEASURED,
    OF_ALL,
    PROJECTED,
    SHARED,
    TOYS,
    expected_stages,
)
from tests.workspace import RUN_FOLDERS, Workspace

pytestmark = pytest.mark.slow  # every stage runs: six minutes

SEPARABILITY = "pipeline/learned/dvc.yaml:measure_separability@tiny"
# Those in which chance enters, or which say the seed.
SEEDED = (
    "extract_stimuli",
    "measure_separability",
    "measure_explained_variance",
    "measure_regimes",
    "measure_positions",
    "measure_helix",
    "measure_sinusoidal_positions",
    "measure_probing",
    "measure_evolution",
    "measure_homonyms",
    "measure_token_tracker",
    "measure_synonyms",
    "measure_differences",
    "measure_text_clouds",
    "measure_search",
    "measure_text_classification",
    "measure_head_features",
    "measure_word_order",
    "project_pca",
    "project_tsne",
    "project_umap",
    "project_text_maps",
    "draw_learned",  # the subtitles of the maps name the seed
)


@pytest.fixture(scope="module")
def workspace(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """An up-to-date tree whose only model is `tiny`."""
    return tiny_pipeline(root, tmp_path_factory.mktemp("pipeline"))


@pytest.fixture(autouse=True)
def back_to_the_start(workspace: Workspace) -> Iterator[None]:
    with restored(workspace):
        yield


def test_every_figure_and_result_is_there(workspace: Workspace):
    files = workspace.files("results", "figures", "data/drawn")
    named = {**dict.fromkeys(MEASURED + PROJECTED, "tiny"), **dict.fromkeys(TOYS.values(), "toy")}
    for noun, name in named.items():
        assert all(files[file] for file in figure_files(noun, name))
        assert any(file.startswith(f"results/{noun}/") for file in files)
    # One model alone is compared with none: no table without rows, no figure without a picture.
    assert not any(f"/{noun}/" in file for file in files for noun in ("compare", *COMPARED))


def test_a_report_takes_all_that_is_computed_and_puts_it_on_a_page(workspace: Workspace):
    command = (sys.executable, "-c", "from embspace.app.cli import app; app()", "report", "tiny")
    said = workspace.run(*command)
    # The ledger reads two of the toys; a report draws each analysis by itself.
    left_out = {"measure_estimators", "measure_grammar"}
    needed = (expected_stages("tiny") | SHARED) - left_out
    n_stages = len([stage for stage in needed if not stage.startswith("draw_")])
    assert f"{n_stages} stages: all up to date" in said
    for folder in ("results", "figures"):
        made = {
            file: content
            for file, content in workspace.files(folder).items()
            if "tiny" in (Path(file).stem, Path(file).parent.name)
        }
        assert made
        for file, content in made.items():
            assert (workspace.folder / "reports/tiny" / file).read_bytes() == content
    page = (workspace.folder / "reports/tiny/index.html").read_text(encoding="utf-8")
    assert all(f'id="{noun}"' in page for noun in MEASURED + PROJECTED)


def test_a_run_from_nothing_that_was_killed_goes_on_and_gives_the_same_bytes(
    workspace: Workspace,
):
    before = workspace.files(*BUILT)
    for folder in BUILT:
        shutil.rmtree(workspace.folder / folder)
    # DVC refuses a dependency that is not there, and without runs no stage makes these folders.
    workspace.git("checkout", "--", *RUN_FOLDERS)
    for lock in graph_files(workspace.folder, LOCK):
        (workspace.folder / lock).unlink()
    started = start_and_kill(workspace, "measure_interrelations@tiny")
    resumed = workspace.repro("--no-run-cache")
    assert started | resumed == expected_stages("tiny") | SHARED | OF_ALL
    assert started & resumed == {"measure_interrelations@tiny"}
    assert workspace.files(*BUILT) == before


@pytest.mark.parametrize(
    ("file", "change", "stages"),
    [
        ("conf/draw/learned/similarity.yaml", {"digits": 3}, {"draw_learned@tiny"}),
        (
            "conf/measure/learned/mean_embedding.yaml",
            {"n_tokens": 3},
            {"measure_mean_embedding@tiny", "measure_ledger@tiny", "draw_learned@tiny"},
        ),
        ("params.yaml", {"device": "auto"}, set()),  # nor does a second run do anything else
    ],
)
def test_a_changed_setting_runs_its_stage_and_what_hangs_on_it(
    workspace: Workspace, file: str, change: dict[str, object], stages: set[str]
):
    workspace.edit(file, **change)
    assert workspace.repro() == stages | (OF_ALL if stages else set())


def test_a_changed_seed_re_runs_all_in_which_chance_enters(workspace: Workspace):
    workspace.edit("params.yaml", seed=1)
    # Dry: what hangs on them would run after them, as with every other setting.
    toys = {*TOYS} - {"measure_grammar"}  # whose seed is that of its corpus
    seeded = {*toys, *(f"{stage}@tiny" for stage in SEEDED)}
    assert workspace.repro("--dry") == seeded


def test_an_experiment_changes_a_setting_and_shows_it(workspace: Workspace):
    workspace.run(
        "dvc", "exp", "run", "-S", "conf/measure/learned/interrelations.yaml:threshold=0.3"
    )
    shown = workspace.run("dvc", "metrics", "diff")
    assert "token_position.threshold" in shown
    assert "0.3" in shown
    assert "threshold" in workspace.run("dvc", "exp", "show", "--csv")


def test_queued_experiments_each_run_with_their_own_seed(workspace: Workspace):
    # One noun is enough, and its number depends on the seed.
    workspace.run("dvc", "exp", "run", "--queue", "-S", "seed=5,6", SEPARABILITY)
    workspace.run("dvc", "queue", "start")
    for _ in range(150):
        status = workspace.run("dvc", "queue", "status")
        if "Queued" not in status and "Running" not in status:
            break
        time.sleep(1)
    assert status.count("Success") == 2, status
    rows = list(csv.DictReader(workspace.run("dvc", "exp", "show", "--csv").splitlines()))
    seed = next(key for key in rows[0] if re.fullmatch(r"(.*:)?seed", key))
    raw_auc = next(key for key in rows[0] if key.endswith("raw.auc"))
    auc = {row[seed]: row[raw_auc] for row in rows}
    # Three seeds, three ways to fold: had they run on one tree's settings, these would be equal.
    assert {"0", "5", "6"} <= auc.keys()
    assert len({auc[seed] for seed in ("0", "5", "6")}) == 3


def test_plots_are_put_on_one_page(workspace: Workspace):
    said = workspace.run("dvc", "plots", "show", "--out", "dvc_plots")
    assert "failed" not in said
    page = (workspace.folder / "dvc_plots/index.html").read_text()
    assert page.count("<img") == len(workspace.files("figures")) / 2
