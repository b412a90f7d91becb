import errno
import os
import platform
import subprocess
import sys
import time
from fnmatch import fnmatch
from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.files.atomic import computed_here, partial_name, write_bytes, writing


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_file_is_written_whole_and_remembered_as_computed_here():
    path = Path("results/a/x.csv")
    write_bytes(path, b"1\n")
    assert path.read_bytes() == b"1\n"
    assert computed_here(path)


def test_a_file_that_git_brought_or_someone_changed_was_not_computed_here():
    path = Path("results/x.csv")
    path.parent.mkdir()
    path.write_bytes(b"1\n")
    assert not computed_here(path)
    write_bytes(path, b"1\n")
    path.write_bytes(b"2\n")
    assert not computed_here(path)


def test_what_comes_back_from_the_cache_was_computed_here():
    path = Path("results/x.csv")
    for content in (b"1\n", b"2\n", b"1\n"):
        write_bytes(path, content)
    for content, here in ((b"2\n", True), (b"3\n", False)):
        path.write_bytes(content)
        assert computed_here(path) is here


def test_an_error_half_way_keeps_the_old_file_and_leaves_nothing_behind():
    path = Path("x.bin")
    path.write_bytes(b"old")
    with pytest.raises(ValueError, match="half"), writing(path) as partial:
        partial.write_bytes(b"ne")
        raise ValueError("half")
    assert path.read_bytes() == b"old"
    assert [file.name for file in Path().iterdir()] == ["x.bin"]


def test_a_killed_writer_leaves_no_file_under_the_name():
    code = (
        "import os, signal; from pathlib import Path; from embspace.files.atomic import writing\n"
        "with writing(Path('x.bin')) as partial:\n"
        "    partial.write_bytes(b'half'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    process = subprocess.run([sys.executable, "-c", code], check=False)
    assert process.returncode == -9
    assert not Path("x.bin").exists()


def test_two_writers_at_once_leave_the_whole_file_of_one():
    path = Path("x.bin")
    with writing(path) as first:
        first.write_bytes(b"1" * 10)
        with writing(path) as second, second.open("wb") as stream:
            stream.write(b"2" * 5)
            stream.flush()
            assert first.read_bytes() == b"1" * 10
            stream.write(b"2" * 5)
        assert path.read_bytes() == b"2" * 10
    assert path.read_bytes() == b"1" * 10
    assert [file.name for file in Path().iterdir()] == ["x.bin"]


def test_what_a_killed_writer_left_goes_and_what_a_living_one_writes_stays():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    mine = partial_name(Path("x.bin"))
    left = _named_by(mine, ended.pid)
    folder = _named_by(partial_name(Path("x.bin")), ended.pid)
    folder.mkdir()
    kept = [mine, Path(f".y{left}"), Path(".other.partial")]
    for path in (left, Path(".x.bin.partial"), folder / "part", *kept):
        path.write_bytes(b"half")
    with writing(Path("x.bin")) as partial:
        partial.write_bytes(b"whole")
    assert sorted(Path().iterdir()) == sorted([Path("x.bin"), *kept])


def test_what_another_machine_writes_stays_until_it_is_given_up(monkeypatch: pytest.MonkeyPatch):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    monkeypatch.setattr(platform, "node", lambda: "rack-7 of üni.example")
    theirs = [_named_by(partial_name(Path("x.bin")), ended.pid) for _ in range(2)]
    monkeypatch.setattr(platform, "node", lambda: "rack-8 of üni.example")
    mine = partial_name(Path("x.bin"))
    assert mine.name.split(".")[3] != theirs[0].name.split(".")[3]
    assert mine.name.isascii()
    unnamed = Path(f".x.bin.{os.getpid()}.0123abcd.partial")  # of a version that named none
    for path in (*theirs, unnamed):
        path.write_bytes(b"half")
    for path in (theirs[1], unnamed):
        os.utime(path, (0, time.time() - 25 * 3600))
    with writing(Path("x.bin")) as partial:
        partial.write_bytes(b"whole")
    assert sorted(Path().iterdir()) == sorted([Path("x.bin"), theirs[0]])


@pytest.mark.parametrize("file", [".gitignore", ".dvcignore"])
def test_neither_git_nor_dvc_sees_a_partial_file(file: str):
    lines = (Path(__file__).parents[2] / file).read_text(encoding="ascii").split()
    assert any(fnmatch(partial_name(Path("results/x.csv")).name, line) for line in lines)


def _named_by(partial: Path, process: int) -> Path:
    return Path(partial.name.replace(f".{os.getpid()}.", f".{process}."))


def test_a_full_disk_names_the_file_and_the_reason():
    # A limit on file size is refused by the kernel as a full disk is: in the middle of a write.
    code = (
        "import resource, signal; from pathlib import Path\n"
        "from embspace.files.atomic import write_bytes\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "write_bytes(Path('results/x.csv'), b'1' * 100_000)"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    message = f"results/x.csv: cannot be written: {os.strerror(errno.EFBIG)}"
    assert message in process.stderr
    assert list(Path("results").iterdir()) == []


def test_a_read_only_folder_names_the_file_and_keeps_the_old_one(monkeypatch):
    # Root may write anywhere, so the refusal is made here.
    write_bytes(Path("results/x.csv"), b"old")

    def refuse(*arguments: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(InputError, match=r"results/x\.csv: cannot be written: Permission denied"):
        write_bytes(Path("results/x.csv"), b"new")
    assert Path("results/x.csv").read_bytes() == b"old"


def test_a_folder_that_cannot_be_made_names_the_file():
    Path("results").write_text("a file where a folder should be")
    with pytest.raises(InputError, match=r"results/x\.csv: cannot be written"):
        write_bytes(Path("results/x.csv"), b"1")
