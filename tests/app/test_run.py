"""Finds what `dvc repro` takes for the short names of analyses."""

import sys
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from embspace.app import run
from embspace.app.run import addresses_of, run_stages
from embspace.app.warm.python import COLD, SERVER
from embspace.errors import InputError
from embspace.settings.pipeline import read_stages
from tests.parent_module import write_parent_module

PARAMS = {
    "models": ["minilm", "gpt2"],
    "corpora": ["articles"],
    "profiled": [],
    "trained": ["sentiment"],
    "seed": 0,
    "device": "cpu",
}
STAGES = {
    "measure_training": {"matrix": {"train": "${trained}"}, "cmd": "true"},
    "measure_dynamics": {"matrix": {"model": "${models}"}, "cmd": "true"},
    "measure_states": {"matrix": {"model": "${models}", "corpus": "${corpora}"}, "cmd": "true"},
    "draw_all": {"cmd": "true"},
}
GRAPH = "pipeline/runs/dvc.yaml"
LAYERS = "pipeline/layers/dvc.yaml"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / GRAPH).parent.mkdir(parents=True)
    (tmp_path / GRAPH).write_text(yaml.safe_dump({"stages": STAGES}, sort_keys=False))
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(PARAMS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "model", "stages"),
    [
        ("training", None, ["measure_training"]),
        ("training", "sentiment", ["measure_training@sentiment"]),
        ("runs", None, sorted(STAGES)),
        ("runs", "gpt2", ["measure_dynamics@gpt2", "measure_states@gpt2-articles"]),
        ("states", "minilm", ["measure_states@minilm-articles"]),
    ],
)
def test_a_name_is_what_dvc_takes_for_all_items_or_those_of_one_model(
    tree: Path, name: str, model: str | None, stages: list[str]
):
    assert sorted(addresses_of(tree, name, model)) == [f"{GRAPH}:{stage}" for stage in stages]


@pytest.mark.parametrize("model", ["gpt3", "sentiment"])
def test_a_model_that_the_stages_do_not_take_is_answered_with_those_they_do(tree: Path, model: str):
    with pytest.raises(InputError, match=rf"--model: .*{model}.*gpt2.*params\.yaml names them"):
        addresses_of(tree, "dynamics", model)


@pytest.fixture(autouse=True)
def no_dvc_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import no DVC while `sys.executable` is another: multiprocessing would keep that one."""
    monkeypatch.setattr(run, "import_module", lambda name: None)


def test_dvc_runs_the_stages_and_its_exit_code_comes_back(
    tree: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(run.sys, "executable", "echo")
    assert run_stages("training", "sentiment") == 0
    assert run_stages(None, None) == 0
    monkeypatch.setattr(run.sys, "executable", "false")
    assert run_stages("training", None) == 1


def test_a_run_says_what_comes_and_afterwards_how_long_it_takes(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tree / "run").write_text("#!/bin/sh\necho \"Running stage '$4:'\"\necho 'said by it'\n")
    (tree / "run").chmod(0o755)
    monkeypatch.setattr(run.sys, "executable", str(tree / "run"))
    monkeypatch.setattr(run, "stages_of", lambda root, targets: {"measure_training@sentiment"})
    assert run_stages("training", "sentiment") == 0
    assert "[1 of 1], first run here: no estimate yet\nsaid by it\n" in capsys.readouterr().out
    assert run_stages("training", "sentiment") == 0
    assert "[1 of 1], up to 0 s left\n" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each stage starts by itself")
def test_what_runs_is_a_fork_of_a_process_that_has_the_libraries(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.delenv(COLD, raising=False)
    write_parent_module(tree)
    (tree / "dvc.py").write_text(  # in the place of DVC
        "import subprocess\nprint(\"Running stage 'measure_training@sentiment':\", flush=True)\n"
        "subprocess.run(['python', '-m', 'parent'], check=True)"
    )
    monkeypatch.setattr(run, "stages_of", lambda root, targets: {"measure_training@sentiment"})
    assert run_stages("training", "sentiment") == 0
    assert str(SERVER) in capfd.readouterr().out


def test_outside_of_a_tree_nothing_is_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"params\.yaml: not found in .*root of an embspace tree"):
        run_stages("helicx", None)


def test_all_is_of_all_models(tree: Path):
    with pytest.raises(InputError, match="--model: needs an analysis or a chapter"):
        run_stages(None, "minilm")


@pytest.fixture
def layers(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project's graph, with two models whose layers are profiled."""
    params = yaml.safe_load((root / "params.yaml").read_text())
    params |= {"models": ["one", "two", "three"], "profiled": ["one", "two"]}
    params |= {"compared": {"one--two": {"model": "one", "other_model": "two"}}}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    (tmp_path / "pipeline").symlink_to(root / "pipeline", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "model", "expected"),
    [
        ("direction", None, ["measure_profiles@one-direction", "measure_profiles@two-direction"]),
        ("direction", "two", ["measure_profiles@two-direction"]),
        ("profiles", None, ["measure_profiles"]),
        ("intrinsic_dimension", "one", ["measure_hubs@one"]),
        ("measure_atlas", None, ["measure_atlas"]),
        ("atlas", "two", ["measure_atlas@two"]),
    ],
)
def test_the_items_of_a_name(
    layers: Path, name: str, model: str | None, expected: list[str]
) -> None:
    assert addresses_of(layers, name, model) == [f"{LAYERS}:{each}" for each in expected]


def test_a_stage_of_families_is_all_of_them(layers: Path) -> None:
    families = ("direction", "spectrum", "context")
    expected = [f"{LAYERS}:measure_profiles@one-{family}" for family in families]
    assert addresses_of(layers, "profiles", "one") == expected


def test_a_pair_is_an_item_as_a_model_is(layers: Path) -> None:
    stages = [f"pipeline/compare/dvc.yaml:compare_measures{item}" for item in ("", "@one--two")]
    assert addresses_of(layers, "measures", None) == stages[:1]
    assert addresses_of(layers, "measures", "one--two") == stages[1:]
    with pytest.raises(InputError, match="--model: found 'one', .*one--two"):
        addresses_of(layers, "measures", "one")
    params = yaml.safe_load((layers / "params.yaml").read_text())
    (layers / "params.yaml").write_text(yaml.safe_dump(params | {"compared": {}}))
    with pytest.raises(InputError, match=r"key 'compared' in params.yaml names nothing.* \{\}$"):
        addresses_of(layers, "measures", None)


def test_a_model_that_is_not_profiled_is_named(layers: Path) -> None:
    with pytest.raises(InputError, match="--model: found 'three', allowed: one, two; params.yaml"):
        addresses_of(layers, "direction", "three")


@pytest.mark.parametrize("name", ["direction", "profiles", "hubs", "measure_atlas", "layers"])
def test_what_has_no_item_is_refused_for_dvc_would_run_all(layers: Path, name: str) -> None:
    params = yaml.safe_load((layers / "params.yaml").read_text())
    (layers / "params.yaml").write_text(yaml.safe_dump(params | {"profiled": []}))
    said = f"{name}: key '(checkpointed|profiled)' in params.yaml names nothing"
    with pytest.raises(InputError, match=said):
        addresses_of(layers, name, None)


def test_every_name_of_the_graph_has_items_or_is_refused(layers: Path) -> None:
    """No address of a stage without items is handed on, whatever the name."""
    stages = read_stages(layers)
    empty = {
        each.address()
        for each in stages.values()
        if "checkpointed" in str(each.entry.get("matrix"))
    }
    assert empty and not yaml.safe_load((layers / "params.yaml").read_text())["checkpointed"]
    names = {name for stage in stages.values() for name in (stage.name, stage.chapter)} - {""}
    for name in names:
        with suppress(InputError):
            assert not empty & set(addresses_of(layers, name, None)), name
