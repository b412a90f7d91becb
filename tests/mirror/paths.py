"""Paths as dvc.yaml and the modules spell them."""

import re

from tests.mirror.tree import PLACES, Name

# Paths. In `{}` form, the parts that vary are blanks: both `${item.model}` of dvc.yaml, or a
# setting that a stage has among its `vars`, and `{name}` of an f-string.

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


def pattern_of(place: str) -> str:
    """The regular expression of one of a stage's places, for paths in `{}` form."""
    pattern = re.escape(place)
    for sign, meaning in SYNTAX.items():
        pattern = pattern.replace(sign, meaning)
    return re.sub(r"<\w+>", r"\\{\\}", pattern)


def is_home_of(path: str, name: Name) -> bool:
    """Whether a path lies where the stage of this name writes."""
    homes = [place.replace("<noun>", name.noun).split("<")[0] for place in PLACES[name.verb]]
    return any(path.startswith(home.rstrip("[")) for home in homes)


def spells(path: str, out: str) -> bool:
    """Whether the path of a module is that of an output, but for a suffix; `{}` fits any name."""
    name = r"(?:\{\}|\w+)"
    pattern = name.join(re.escape(part) for part in path.split("{}"))
    return re.fullmatch(rf"{pattern}(\..*)?", blanked(out)) is not None


def gives(dep: str, path: str) -> bool:
    """Whether a dep is the path that a module reads, the folder above it, or it and a suffix."""
    return covers(blanked(dep), blanked(path)) or spells(path, dep)


def covers(dep: str, path: str) -> bool:
    return path == dep or path.startswith(f"{dep.rstrip('/')}/")
