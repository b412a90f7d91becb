"""How a stage gets its settings, tried with a real stage in a copy of the settings."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field

from embspace.errors import InputError
from embspace.settings.params import read_params
from embspace.settings.schema import validate
from embspace.settings.stage import checked_settings, settings_schema

PARAMS = (
    "models:\n  - minilm\ncorpora:\n  - articles\nprofiled: []\ntrained: []\nseed: 3\ndevice: cpu\n"
)
PROGRAM = """
from embspace.settings.stage import run_stage

def measure_probe(x, *, level: float, names: list[str], seed: int):
    pass

if __name__ == "__main__":
    run_stage(
        lambda config: print(config.settings, config.model_name, config.corpora), measure_probe
    )
"""


@pytest.fixture
def tree(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """params.yaml, conf/ and a stage `measure_probe` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params.yaml").write_text(PARAMS)
    for folder in ("conf/model", "conf/measure"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(root / "conf/config.yaml", "conf")
    shutil.copy(root / "conf/model/minilm.yaml", "conf/model")
    (tmp_path / "conf/measure/probe.yaml").write_text("level: 0.5\nnames: [a]\n")
    (tmp_path / "probe.py").write_text(PROGRAM)
    return tmp_path


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "probe.py", *arguments], capture_output=True, text=True, check=False
    )


def test_a_stage_gets_its_settings_its_model_and_the_seed_of_params(tree: Path):
    result = run("model=minilm")
    assert result.stdout.strip() == (
        "{'level': 0.5, 'names': ['a'], 'seed': 3} minilm ['articles']"
    )


def test_the_command_line_beats_params_and_params_beat_conf(tree: Path):
    result = run("model=minilm", "settings.level=0.25", "seed=4")
    assert "'level': 0.25" in result.stdout
    assert "'seed': 4" in result.stdout


def test_a_stage_of_pairs_is_told_a_pair(tree: Path):
    program = PROGRAM.replace(
        "config.model_name, config.corpora), measure_probe",
        "config.pair), measure_probe, ('pair',)",
    )
    (tree / "probe.py").write_text(program)
    assert run("pair=a--b-1.5").stdout.split() == [
        "{'level':",
        "0.5,",
        "'names':",
        "['a'],",
        "'seed':",
        "3}",
        "a--b-1.5",
    ]
    result = run()
    assert result.returncode == 1
    assert "command line: key 'pair' is missing" in result.stderr
    assert "call: python probe.py pair=<model>--<other_model>" in result.stderr
    for arguments in (["pair=a"], ["pair=a--b--c"]):
        result = run(*arguments)
        assert result.returncode == 1
        assert (
            "command line: key 'pair': A pair is called <model>--<other_model>, found"
            in result.stderr
        )
        assert "Traceback" not in result.stderr


def test_a_stage_leaves_no_files_behind(tree: Path):
    before = sorted(tree.rglob("*"))
    run("model=minilm")
    assert sorted(tree.rglob("*")) == before


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("params.yaml", "seed: 3", "sead: 3", "params.yaml: key 'sead' is unknown; allowed"),
        ("params.yaml", "seed: 3", "seed: many", "params.yaml: key 'seed': .*found 'many' (str)"),
        ("params.yaml", "seed: 3", "seed: -1", "params.yaml: key 'seed': .*found -1"),
        (
            "params.yaml",
            "seed: 3",
            "seed: 4294967296",
            "key 'seed': .*less than or equal to 4294967295, found 4294967296",
        ),
        ("params.yaml", "\n  - minilm", " minilm", "key 'models': .*write it as a list"),
        ("params.yaml", "device: cpu", "device: tpu", "params.yaml: key 'device': .*found 'tpu'"),
        ("params.yaml", "seed: 3", "seed: [", "params.yaml: is not YAML"),
        ("conf/measure/probe.yaml", "level:", "levle:", "conf/measure/probe.yaml: .*'levle'"),
        ("conf/measure/probe.yaml", "0.5", "half", "key 'level': .*found 'half' (str)"),
        ("conf/measure/probe.yaml", "[a]", "a", "key 'names': .*list.*found 'a'"),
    ],
)
def test_a_mistake_is_answered_with_file_key_found_and_allowed(
    tree: Path, file: str, old: str, new: str, message: str
):
    path = tree / file
    path.write_text(path.read_text().replace(old, new))
    result = run("model=minilm")
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    for part in message.split(".*"):
        assert part in result.stderr


def test_a_seed_on_the_command_line_has_the_same_bounds(tree: Path):
    assert "'seed': 4294967295" in run("model=minilm", "seed=4294967295").stdout
    result = run("model=minilm", "seed=4294967296")
    assert result.returncode == 1
    assert "params.yaml with the command line: key 'seed': " in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["model=minilm", "-h"]])
def test_help_says_how_a_stage_is_called(tree: Path, arguments: list[str]):
    result = run(*arguments)
    assert result.returncode == 0
    assert result.stdout.splitlines()[:3] == [
        "call: python probe.py model=<model> [settings.<key>=<value>]",
        "<model>: see `embspace models`",
        "settings: conf/measure/probe.yaml",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [],
            "key 'model' is missing\ncall: python probe.py model=<model> [settings.<key>=<value>]",
        ),
        (["--cfg", "job"], "key 'model' is missing"),
        (["model=bret"], "key 'model': conf/model/bret.yaml: not found; `embspace models` lists"),
        (["model=minilm_"], "conf/model/minilm_.yaml: not found; did you mean 'minilm'?"),
    ],
)
def test_a_model_that_is_missing_or_unknown_is_told(tree: Path, arguments: list[str], message: str):
    result = run(*arguments)
    assert result.returncode == 1
    assert f"error: command line: {message}".split("conf/")[-1] in result.stderr
    assert "Traceback" not in result.stderr


def test_hydra_tells_its_version_without_a_model(tree: Path):
    assert run("--version").stdout.startswith("Hydra ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["model=../model/minilm"], "command line: key 'model': "),
        (["model=[minilm]"], "command line: key 'model': "),
        (["model=null"], "command line: key 'model': Input should be a valid string, found None"),
        (["model=7"], "command line: key 'model': Input should be a valid string, found 7 (int)"),
        (["model=1.5"], "command line: key 'model': Input should be a valid string, found 1.5"),
        (["model=true"], "command line: key 'model': Input should be a valid string, found True"),
        (["model={a: b}"], "command line: key 'model': Input should be a valid string, found {"),
        (["model="], "command line: key 'model': String should match pattern"),
        (["model=minilm", "+foo=bar"], "command line: key 'foo' is unknown"),
        (["model=minilm", "+sead=1"], "did you mean 'seed'?"),
    ],
)
def test_the_command_line_names_what_params_could(tree: Path, arguments: list[str], message: str):
    result = run(*arguments)
    assert result.returncode == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_an_unknown_setting_on_the_command_line_is_named(tree: Path):
    result = run("model=minilm", "settings.levle=1")
    assert result.returncode == 1
    assert "Could not override 'settings.levle'" in result.stderr


def test_outside_a_tree_the_message_says_where_to_go(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"params\.yaml: not found in .*run in a study"):
        read_params()


def test_settings_are_the_keyword_only_arguments():
    def measure_x(data: str, *, n: int, level: Annotated[float, Field(gt=0)]) -> None: ...

    schema = settings_schema(measure_x)
    assert list(schema.model_fields) == ["n", "level"]
    with pytest.raises(InputError, match="x.yaml: key 'level': .*found 0"):
        validate(schema, {"n": 1, "level": 0}, "x.yaml")
    with pytest.raises(InputError, match="x.yaml: key 'n' is missing"):
        validate(schema, {"level": 0.1}, "x.yaml")


def test_seed_and_device_come_from_params_and_are_no_settings():
    def measure_x(*, n: int, seed: int, device: str) -> None: ...

    params = {"seed": 3, "device": "cpu", "models": ["m"]}
    settings = checked_settings(measure_x, {"n": 1}, params, "x.yaml")
    assert settings == {"n": 1, "seed": 3, "device": "cpu"}
    with pytest.raises(InputError, match="x.yaml: key 'seed' is unknown; allowed: n"):
        checked_settings(measure_x, {"n": 1, "seed": 3}, params, "x.yaml")
