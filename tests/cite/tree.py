"""The project's own settings, in a folder where a test may change them."""

import re
import shutil
from pathlib import Path
from typing import Any

import yaml

from embspace.cite.methods import Methods
from embspace.settings.stage import settings_path


def make_tree(root: Path, folder: Path) -> None:
    """params.yaml, conf/, the graphs and CITATION.cff as copies, without results/ and locks."""
    shutil.copy(root / "params.yaml", folder)
    shutil.copy(root / "CITATION.cff", folder)
    shutil.copy(root / "dvc.yaml", folder)
    shutil.copytree(root / "conf", folder / "conf")
    no_locks = shutil.ignore_patterns("*.lock")
    shutil.copytree(root / "pipeline", folder / "pipeline", ignore=no_locks)


def edit(file: Path, key: str, value: Any) -> None:
    """Another value of a key of a YAML file."""
    content = yaml.safe_load(file.read_text())
    assert key in content
    file.write_text(yaml.safe_dump({**content, key: value}, sort_keys=False))


def changed(value: Any) -> Any:
    """Another value of the same kind; of none, two numbers."""
    if value is None:
        return [1, 2]
    if isinstance(value, int | float):
        return value + 1 if isinstance(value, int) else value * 0.9
    if isinstance(value, str):
        return 12345 if value.startswith("${") else f"{value}s"
    if isinstance(value, list) and isinstance(value[-1], int | float):
        return [*value[:-1], changed(value[-1])]
    if isinstance(value, list):
        return value[:-1]
    # Of a mapping with keys that the schema asks for, another value; else one key less.
    first = next(iter(value))
    if isinstance(value[first], int | float):
        return {**value, first: changed(value[first])}
    return dict(list(value.items())[:-1])


def settings_of(methods: Methods) -> Path:
    """The settings file that a template says most of: that of its noun, unless it names another."""
    named = re.search(r'set settings = conf\("(\w+)", "(\w+)"\)', methods.template)
    return settings_path(*named.groups()) if named else settings_path(methods.verb, methods.noun)


def settings_said(template: str) -> set[str]:
    """The keys of its own settings that a template mentions."""
    return set(re.findall(r"\bsettings\.(\w+)", template))
