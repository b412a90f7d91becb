"""Finds the tree with the results of a model: the user's tree, or the tree of a report.

A report's model is requested by the folder of the model, by the name of the report, by the report's
folder in reports/, or by the model's name in the report.
"""

from pathlib import Path
from typing import NamedTuple

from embspace.app.homes import expanded
from embspace.app.working_tree import TREES
from embspace.errors import InputError, did_you_mean
from embspace.settings.find_description import LIST
from embspace.settings.params import CONF, PARAMS
from embspace.settings.roots import is_home
from embspace.settings.schema import read_yaml

MODELS = CONF / "model"
REPORTS = Path("reports")
OF_PAIRS = "+pair"  # ends the name of a tree of two models, which no report has
OPTION = "+"  # before each option in the name of a report, whose tree is that of the one without


class Place(NamedTuple):
    """The tree with the results of a model, and the model's name in the tree."""

    tree: Path
    model: str


def place_of(typed: str, root: Path, here: Path, *, for_results: bool = False) -> Place:
    """Return the tree and name of a model or pair: the user's tree, if params.yaml there names it.

    Else return the tree of a report, the newest one of the model, or the tree in which two models
    were compared. Without a report, the name is left to whoever reads the results.

    Args:
        typed: A name, or a path from the folder `here`.
        root: The user's tree.
        here: The folder from which the command was called.
        for_results: Whether results are wanted. The study in the user's cache is never run: reports
            have made all results of the study's models.

    Raises:
        InputError: if `typed` is empty, or a folder without a report.
    """
    if not typed.strip():
        raise InputError(f"model: found '{typed}', allowed: a name or a folder; `{LIST}` lists all")
    path = (here / expanded(typed)).resolve()
    is_report = path.parent == (root / REPORTS).resolve()
    name = path.name if is_report else typed
    if is_report or not path.is_dir():
        name, typed = name.partition(OPTION)[0], typed.partition(OPTION)[0]
    params = read_yaml(root / PARAMS)
    is_named = typed in (params.get("models") or ()) or typed in (params.get("compared") or ())
    if is_named and not (for_results and is_home(root)):
        return Place(root, typed)
    named = root / TREES / name
    trees = sorted((root / TREES).glob("*"), key=lambda tree: tree.stat().st_mtime, reverse=True)
    compared = root / TREES / f"{name}{OF_PAIRS}"
    for tree in sorted(trees, key=lambda tree: tree != compared):
        pair = _pair_of(tree)
        if pair and (tree == compared or pair == typed):
            return Place(tree, pair)
    for tree in sorted(trees, key=lambda tree: tree != named):
        model = _model_of(tree)
        if model and (tree == named or model == typed or _folder_of(tree, model, root) == path):
            return Place(tree, model)
    if path.is_dir() and not (root / MODELS / f"{typed}.yaml").is_file():
        raise InputError(
            f"{typed}: no report was made of this folder as it is; make one with\n"
            f"  embspace report {typed}"
        )
    return Place(root, typed)


def why_not_there(model: str) -> str:
    """Return why the current folder has no results of a model, and how to make the results.

    Empty for a model in the params.yaml of a user's study.
    """
    known = sorted(file.stem for file in MODELS.glob("*.yaml"))
    if model in (read_yaml(PARAMS).get("models") or ()):
        if Path.cwd().parts[-1 - len(TREES.parts) : -1] == TREES.parts:
            return (
                "its report has not made it, or not yet: the `embspace report` that began it goes "
                "on where it was, and with --all has every analysis"
            )
        return f"make a report of it with\n  embspace report {model}" if is_home(Path()) else ""
    if model in known:
        return (
            f"'{model}' is not listed under `models` in {PARAMS}; list it there, then `embspace "
            f"run`, or make a report of it with\n  embspace report {model}"
        )
    return f"'{model}' is no model{did_you_mean(model, known) or ';'} `{LIST}` lists all"


def _model_of(tree: Path) -> str:
    """Return the only model of a report's tree; "" without a model, or for a half-made tree."""
    params = tree / PARAMS
    models: list[str] = (read_yaml(params).get("models") if params.is_file() else None) or []
    is_of_one = len(models) == 1 and (tree / MODELS / f"{models[0]}.yaml").is_file()
    return str(models[0]) if is_of_one else ""


def _pair_of(tree: Path) -> str:
    """Return the two compared models of a tree; "" without a pair, or for a half-made tree."""
    params = tree / PARAMS
    is_of_two = tree.name.endswith(OF_PAIRS) and params.is_file()
    return next(iter(read_yaml(params)["compared"])) if is_of_two else ""


def _folder_of(tree: Path, model: str, root: Path) -> Path | None:
    content = read_yaml(tree / MODELS / f"{model}.yaml")
    if content.get("source") != "path":
        return None
    return (root / Path(str(content["path"])).expanduser()).resolve()
