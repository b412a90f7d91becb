"""Finds the file that describes a model or a corpus by its name."""

from difflib import get_close_matches
from pathlib import Path

from embspace.errors import InputError


def described_in(folder: Path, name: str) -> Path:
    """The file `<name>.yaml` in conf/model/ or conf/corpus/.

    Raises:
        InputError: if there is none, listing those there are and the name most like it.
    """
    allowed = sorted(path.stem for path in folder.glob("*.yaml"))
    if name not in allowed:
        close = get_close_matches(name, allowed, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        raise InputError(
            f"{folder / name}.yaml: not found; allowed: {', '.join(allowed) or 'none'}{hint}"
        )
    return folder / f"{name}.yaml"
