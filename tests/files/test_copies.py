from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.files.copies import copy_file, link_files, mirror_folder, write_changed


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "source/deep").mkdir(parents=True)
    (tmp_path / "source/a.txt").write_text("a")
    (tmp_path / "source/deep/b.txt").write_text("b")
    return tmp_path / "source"


def content(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def test_a_mirror_holds_the_same_files_and_no_others(source: Path, tmp_path: Path):
    target = tmp_path / "target"
    mirror_folder(source, target)
    (target / "more.txt").write_text("more")
    (target / "a.txt").write_text("another hand")
    (source / "deep/b.txt").unlink()
    mirror_folder(source, target)
    assert content(target) == content(source) == {"a.txt": "a"}


def test_what_is_the_same_is_not_touched(source: Path, tmp_path: Path):
    target = tmp_path / "target/a.txt"
    copy_file(source / "a.txt", target)
    before = target.stat()
    copy_file(source / "a.txt", target)
    write_changed(target, b"a")
    assert target.stat() == before
    assert before.st_mtime == (source / "a.txt").stat().st_mtime


def test_a_link_is_the_same_file_and_takes_the_place_of_another(source: Path, tmp_path: Path):
    target = tmp_path / "target/a.txt"
    for _ in range(2):
        link_files(source / "a.txt", target)
        assert target.samefile(source / "a.txt")
    write_changed(target, b"new")  # puts another file in its place
    assert (source / "a.txt").read_text() == "a"
    link_files(source / "missing", target)
    assert target.read_text() == "new"


def test_on_another_disk_a_link_is_a_copy(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    link_files(source / "a.txt", tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_text() == "a"
    assert not (tmp_path / "b.txt").samefile(source / "a.txt")


def test_what_cannot_be_written_whole_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    target = tmp_path / "a.txt"
    write_changed(target, b"old")

    def full(path: Path, _: bytes) -> None:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match=r"a\.txt: cannot be written: No space left on device"):
        write_changed(target, b"new")
    assert content(tmp_path) == {"a.txt": "old"}


def test_a_folder_is_linked_file_by_file_and_holds_no_others(source: Path, tmp_path: Path):
    (tmp_path / "target").mkdir()
    (tmp_path / "target/old.txt").touch()
    link_files(source, tmp_path / "target")
    assert not (tmp_path / "target/old.txt").exists()
    for file in ("a.txt", "deep/b.txt"):
        assert (tmp_path / "target" / file).samefile(source / file)


@pytest.mark.parametrize(("leads_to", "kind"), [("deep", "a folder"), ("gone", "nothing")])
def test_a_link_that_is_no_file_is_told(source: Path, tmp_path: Path, leads_to: str, kind: str):
    (source / "linked.txt").symlink_to(source / "a.txt")
    mirror_folder(source, tmp_path / "target")
    assert content(tmp_path / "target")["linked.txt"] == "a"
    (source / "link").symlink_to(source / leads_to)
    with pytest.raises(InputError, match=f"source/link: found a link to {kind}, allowed: files"):
        mirror_folder(source, tmp_path / "target")
