"""Compares paths as a dvc.yaml and the modules spell them.

In `{}` form, the parts that vary are blanks: `${item.model}` or `${key}` of a dvc.yaml, or a
setting that a stage has among its `vars`, as `{name}` of an f-string.
"""

import re
from functools import cache

from tests.mirror.tree import TOY, Stage

# Where a stage may write. [optional], {one,of,these}; <model>, <corpus>, <run> come from matrix.
PLACES = {
    "prepare": ("data/prepared/<noun>[/{<corpus>,<file>}.<suffix>]",),
    "train": ("data/trained/<run>",),
    "extract": ("data/extracted/<noun>/<model>[/{<corpus>,<file>}].<suffix>",),
    # What is too large for git, or what later stages need whole, goes under data/.
    "measure": (
        "results/<noun>/[<table>/]<model>.{csv,json}",
        "data/measured/<noun>/[<table>/]<model>.{parquet,safetensors}",
    ),
    "project": ("data/projected/<noun>/<model>.parquet", "results/<noun>/[<table>/]<model>.csv"),
    "compare": ("results/<noun>/[<table>/]<pair>.csv",),
    "draw": ("figures/<noun>/<model>.{md,png}", "data/drawn/<noun>/<model>"),
}
IN_GIT = ("results/", "figures/")
ITEM = re.compile(r"\$\{(?:item\.)?\w+\}")
SYNTAX = {
    r"\[": "(?:",
    r"\]": ")?",
    r"\{": "(?:",
    r"\}": ")",
    ",": "|",
    "<table>": r"\w+",
    "<file>": r"[\w.]+",
    "<suffix>": r"[\w.]+",
}


def blanked(path: str) -> str:
    return ITEM.sub("{}", path)


def places_of(stage: Stage) -> list[str]:
    """Return where a stage may write, its noun filled in."""
    places = (place.replace("<noun>", stage.noun) for place in PLACES[stage.verb])
    return [place.replace("<model>", TOY) if stage.item == TOY else place for place in places]


def pattern_of(place: str) -> str:
    """Return the regular expression of one of a stage's places, for paths in `{}` form."""
    pattern = re.escape(place)
    for sign, meaning in SYNTAX.items():
        pattern = pattern.replace(sign, meaning)
    return re.sub(r"<\w+>", r"\\{\\}", pattern)


def is_home_of(path: str, stage: Stage) -> bool:
    """Return whether a path lies where a stage writes."""
    places = [place.replace("<noun>", stage.noun) for place in PLACES[stage.verb]]
    homes = [place.split("<")[0] for place in places]
    return any(path.startswith(home.partition("[")[0]) for home in homes)


def figure_of(stage: Stage, noun: str) -> str:
    """Return where a drawing stage puts the figure of a noun, but for the suffix."""
    return f"figures/{noun}/{stage.item}"


def gives(entry: str, path: str) -> bool:
    """Return whether an entry of a dvc.yaml is the path of a module, or the folder above it.

    Where a module leaves a suffix to another, the entry has more; `{}` of a module fits any name.
    """
    is_below = f"{blanked(path)}/".startswith(f"{blanked(entry)}/")
    return is_below or _with_suffix(path).fullmatch(blanked(entry)) is not None


@cache
def _with_suffix(path: str) -> re.Pattern[str]:
    """Return the pattern of a path with any name in its blanks, and with any suffix."""
    name = r"(?:\{\}|\w+)"
    pattern = name.join(re.escape(part) for part in path.split("{}"))
    return re.compile(rf"{pattern}(\..*)?")
