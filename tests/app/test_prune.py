import os
import shutil
import subprocess
from pathlib import Path

import pytest

from embspace.app.prune import find_leftovers, find_strays, in_git, remove
from embspace.settings.params import Pair, Params
from embspace.settings.pipeline import graph_files

PARAMS = Params(
    models=["a", "b-1.5"],
    corpora=["one"],
    profiled=[],
    compared={"a--b-1.5": Pair(model="a", other_model="b-1.5")},
    trained=[],
    seed=0,
    device="cpu",
)
KEPT = [
    "data/prepared/checkpoints/a.json",
    "data/prepared/model/b-1.5.json",
    "data/prepared/stimuli/words.parquet",
    "data/extracted/embeddings/b-1.5.safetensors",
    "data/extracted/hidden_states/a/one.windows.parquet",
    "figures/similarity/a.png",
    "figures/similarity/b-1.5.png",
    "figures/similarity/b-1.5.md",
    "data/drawn/learned/b-1.5/similarity.svg",
    "data/drawn/compare/a--b-1.5/alignment.svg",
    "results/provenance.json",
    "results/pretraining_dynamics/a.csv",
    "results/similarity/summary/a.csv",
    "data/projected/hopf_link/toy.parquet",
    "results/hopf_link/quality/toy.csv",
    "figures/hopf_link/toy.png",
    "results/alignment/a--b-1.5.csv",
    "figures/alignment/a--b-1.5.md",
    # Of a run that is described, whether it is trained at present or not.
    "data/prepared/training_texts/mine.parquet",
    "data/trained/mine/seed_0/pretraining/step_000000/model.safetensors",
    "data/extracted/checkpoints/mine.safetensors",
    "results/training/losses/mine.csv",
    "figures/training/all_runs.png",
]
DROPPED = [
    "data/prepared/checkpoints/c.json",
    "data/prepared/model/one.json",  # a corpus is called so, no model
    "data/prepared/training_texts/theirs.parquet",
    "data/trained/theirs/seed_0/pretraining/step_000000/model.safetensors",
    "data/extracted/embeddings/b-1.safetensors",
    "data/extracted/hidden_states/a/two.tokens.parquet",
    "data/extracted/hidden_states/c/one.safetensors",
    "data/drawn/compare/b-1.5--a/alignment.svg",  # the pair is called the other way round
    "data/drawn/learned/b-1/similarity.svg",
    "data/drawn/learned/c/similarity.svg",
    "results/alignment/b-1.5--a.csv",
    "results/pretraining_dynamics/c.csv",
    "results/similarity/summary/c.csv",
    "figures/alignment/a--c.md",
    "figures/similarity/b-1.md",
    "figures/similarity/c.md",
    "figures/similarity/c.png",
    "figures/similarity/toys.png",
]
OTHERS = [
    "data/trained/my_own_run/weights.bin",
    "data/extracted/mine/glove.parquet",
    "data/drawn/learned/c/mine.svg",
    "results/mine/summary.json",
    "results/my_notes.csv",
    "results/notes.txt",
    "results/similarity/c.csv",  # these tables have names
    "figures/paper/fig1.png",
]


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    for graph in graph_files(root):
        (tmp_path / graph).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / graph, tmp_path / graph)
    monkeypatch.chdir(tmp_path)
    for name in KEPT + DROPPED + OTHERS:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("x")
    Path("conf/train").mkdir(parents=True)
    Path("conf/train/mine.yaml").write_text("label: mine")


def test_only_what_belongs_to_no_model_or_corpus_is_left_over():
    assert [str(file) for file in find_leftovers(PARAMS).left_over] == DROPPED


def test_what_no_stage_has_made_is_left_alone():
    assert [str(file) for file in find_leftovers(PARAMS).others] == OTHERS
    remove(find_leftovers(PARAMS).left_over)
    assert all(Path(name).is_file() for name in OTHERS)


def test_what_is_removed_leaves_no_empty_folder():
    remove(find_leftovers(PARAMS).left_over)
    assert find_leftovers(PARAMS).left_over == []
    assert all(Path(name).is_file() for name in KEPT)
    assert not Path("data/extracted/hidden_states/c").exists()
    assert [file.name for file in Path("data/drawn/learned/c").iterdir()] == ["mine.svg"]
    assert Path("data/extracted/hidden_states/a").is_dir()


def test_nothing_built_yet_is_nothing_left_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert find_leftovers(PARAMS).left_over == []


def test_only_what_changes_a_folder_that_is_read_whole_goes_unasked():
    read_whole = (
        "data/extracted/hidden_states/",
        "data/extracted/stimuli/",
        "data/prepared/texts/",
    )
    strays = [name for name in DROPPED if name.startswith(read_whole)]
    assert len(strays) > 1
    assert [str(file) for file in find_strays(PARAMS)] == strays
    remove(find_strays(PARAMS))
    assert all(Path(name).is_file() for name in (*KEPT, *OTHERS, *(set(DROPPED) - set(strays))))
    assert find_strays(PARAMS) == []


def test_what_git_has_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    files = [Path("results/x/kept.csv"), Path("results/x/left.csv")]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    assert in_git(files) == set()
    for command in (["init", "--quiet"], ["add", "results/x/kept.csv"]):
        subprocess.run(["git", *command], check=True)
    assert in_git(files) == {files[0]}
    assert in_git([]) == set()


def test_what_questions_have_kept_for_long_is_left_over_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EMBSPACE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q"], check=True)
    old, new = (tmp_path / f"cache/references/{name}.safetensors" for name in ("old", "new"))
    for file in (old, new):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    os.utime(old, (0, 0))
    leftovers = [file for file in find_leftovers(PARAMS).left_over if file.is_absolute()]
    assert leftovers == [old] and in_git(leftovers) == set()
    remove(leftovers)
    assert new.is_file() and not old.exists()
