"""Finds the file that describes a model or a corpus by its name."""

from pathlib import Path

from embspace.errors import InputError, did_you_mean


def described_in(folder: Path, name: str) -> Path:
    """The file `<name>.yaml` in conf/model/ or conf/corpus/.

    Raises:
        InputError: if there is none, listing those there are and the name most like it.
    """
    allowed = sorted(path.stem for path in folder.glob("*.yaml"))
    if name not in allowed:
        listed = ", ".join(allowed) or "none"
        raise InputError(
            f"{folder / name}.yaml: not found; allowed: {listed}{did_you_mean(name, allowed)}"
        )
    return folder / f"{name}.yaml"
