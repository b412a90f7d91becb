"""The project's own settings, in a folder where a test may change them."""

import re
import shutil
from pathlib import Path
from typing import Any

import yaml


def make_tree(root: Path, folder: Path) -> None:
    """params.yaml, conf/ and CITATION.cff as copies, without results/."""
    shutil.copy(root / "params.yaml", folder)
    shutil.copy(root / "CITATION.cff", folder)
    shutil.copytree(root / "conf", folder / "conf")


def edit(file: Path, key: str, value: Any) -> None:
    """Another value of a key of a YAML file."""
    content = yaml.safe_load(file.read_text())
    assert key in content
    file.write_text(yaml.safe_dump({**content, key: value}, sort_keys=False))


def changed(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, int | float):
        return value + 1 if isinstance(value, int) else value * 0.9
    if isinstance(value, str):
        return 12345 if value.startswith("${") else f"{value}s"
    if isinstance(value, list) and isinstance(value[-1], int | float):
        return [*value[:-1], changed(value[-1])]
    return value[:-1] if isinstance(value, list) else dict(list(value.items())[:-1])


def settings_said(template: str) -> set[str]:
    """The keys of its own settings that a template mentions."""
    return set(re.findall(r"\bsettings\.(\w+)", template))
