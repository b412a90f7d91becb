"""Every settings file takes a value from `dvc exp run -S`."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from dvc.utils.hydra import apply_overrides

from tests.workspace import Workspace


def test_every_settings_file_takes_a_value_as_dvc_hands_it_on(root: Path, tmp_path: Path):
    """By day the part of DVC that reads one: a start of its command takes six seconds."""
    conf = Path(shutil.copytree(root / "conf", tmp_path / "conf"))
    overrides = list(_overrides(conf))
    assert len(overrides) > 100
    for override in overrides:
        file, change = override.split(":", 1)
        before = yaml.safe_load((tmp_path / file).read_text())
        apply_overrides(tmp_path / file, [change])
        assert yaml.safe_load((tmp_path / file).read_text()) == before, override


@pytest.mark.slow
def test_every_settings_file_can_be_set_by_an_experiment(root: Path, tmp_path: Path):
    workspace = Workspace(root, tmp_path / "tree")
    workspace.commit()
    overrides = list(_overrides(workspace.folder / "conf"))
    assert len(overrides) > 100
    # All at once, for a start of DVC takes seconds; it composes each file alone. Of the pipeline,
    # one stage is looked at, which runs nothing.
    arguments = [part for override in overrides for part in ("-S", override)]
    said = workspace.run("dvc", "exp", "run", "--dry", "prepare_code", *arguments)
    assert "ERROR" not in said


def _overrides(conf: Path) -> Iterator[str]:
    """The first key of each file below conf/, set to what it is."""
    for path in sorted(conf.glob("*/**/*.yaml")):
        for key, value in list(yaml.safe_load(path.read_text()).items())[:1]:
            yield f"{path.relative_to(conf.parent)}:{key}={_as_hydra(value)}"


def _as_hydra(value: object) -> str:
    """A value in the grammar of Hydra's overrides."""
    if isinstance(value, dict):
        return f"{{{','.join(f'{key}:{_as_hydra(entry)}' for key, entry in value.items())}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_as_hydra, value))}]"
    return f"'{value}'" if isinstance(value, str) else str(value).replace("None", "null")
