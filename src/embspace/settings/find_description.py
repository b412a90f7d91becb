"""Finds the file that describes a model or a corpus, by name."""

from pathlib import Path

from embspace.errors import InputError, did_you_mean

MODEL = "model"
LIST = "embspace models"  # too many for a message


def described_in(folder: Path, name: str) -> Path:
    """Return the path of `<name>.yaml` in conf/model/ or conf/corpus/.

    Raises:
        InputError: if the file is missing, with the most similar name and the command that lists
            all names.
    """
    allowed = sorted(path.stem for path in folder.glob("*.yaml"))
    if name not in allowed:
        meant = did_you_mean(name, allowed)
        names = ", ".join(allowed) or "none"
        listed = f"allowed: {names}" if folder.name != MODEL else f"`{LIST}` lists all"
        raise InputError(f"{folder / name}.yaml: not found{meant or ';'} {listed}")
    return folder / f"{name}.yaml"
