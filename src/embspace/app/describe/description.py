"""Says and saves the description of a model, which is the content of a file in conf/model/."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from embspace.errors import InputError, RefusedModel
from embspace.files.atomic import writing
from embspace.settings.model import model_file
from embspace.settings.params import CONF

MODELS = CONF / "model"


@dataclass(frozen=True)
class Named:
    """A model, by the name under which its results are kept."""

    name: str
    described: dict[str, Any] | None = None
    """The keys and values of the model's file; None if conf/model/ has the file already."""
    missing: dict[str, str] | None = None
    """Keys that could not be found, with the reasons."""
    summary: str = ""


def check_complete(model: Named, typed: str) -> None:
    """Stop if a key of a model's file could not be found.

    Raises:
        InputError: naming each missing key with the reason, and how to set it.
    """
    if model.missing:
        name = plain_name(model)
        keys = "".join(f"\n  key '{key}': {why}" for key, why in model.missing.items())
        raise RefusedModel(
            f"{typed}: not all that is needed can be found in its files:{keys}\nwrite the rest "
            f"with\n  embspace describe {typed} --write\nthen set what is missing in "
            f"{model_file(name)}"
        )


def plain_name(model: Named) -> str:
    """Return the name of a file for the model in conf/model/, without the digest of the content."""
    is_folder = model.described is not None and model.described["source"] == "path"
    return re.sub(r"-[0-9a-f]{8}$", "", model.name) if is_folder else model.name


def description_of(model: Named, root: Path) -> str:
    """Return the file in conf/model/ of a model: as it is there, or as it would be written."""
    if model.described is None:
        return (root / MODELS / f"{model.name}.yaml").read_text(encoding="utf-8")
    content = dict(model.described)
    if "path" in content and Path(content["path"]).is_relative_to(root):
        content["path"] = str(Path(content["path"]).relative_to(root))
    written = yaml.safe_dump(content, allow_unicode=True, sort_keys=False)
    missing = "".join(
        f"# {key}:  # not found: {why}\n" for key, why in (model.missing or {}).items()
    )
    return f"# {model.summary}; found in the files of the model.\n{written}{missing}"


def write_description(model: Named, root: Path) -> Path:
    """Write the file in conf/model/ for a model that has none.

    Raises:
        InputError: if the model has one.
    """
    path = root / MODELS / f"{plain_name(model)}.yaml"
    if model.described is None:
        raise InputError(f"{path}: describes this model already")
    with writing(path) as partial:
        partial.write_text(description_of(model, root), encoding="utf-8")
    return path
