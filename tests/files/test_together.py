"""Tests of `embspace.files.together`."""

from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.files.together import write_csv, writing_together


def put(folder: Path, *names: str) -> list[Path]:
    """Write files with the content `old`."""
    paths = [folder / name for name in names]
    for path in paths:
        path.write_text("old", encoding="utf-8")
    return paths


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def write(partials: list[Path]) -> None:
    for partial in partials:
        partial.write_text("new", encoding="utf-8")


def test_nothing_appears_before_all_is_written(tmp_path: Path) -> None:
    paths = put(tmp_path, "a", "b", "gone")
    with writing_together(paths[:2], obsolete=paths[2:]) as partials:
        write(partials)
        assert {name: text for name, text in contents(tmp_path).items() if name[0] != "."} == {
            "a": "old",
            "b": "old",
            "gone": "old",
        }
    assert contents(tmp_path) == {"a": "new", "b": "new"}


def test_an_error_leaves_all_as_it_was(tmp_path: Path) -> None:
    paths = put(tmp_path, "a", "b")
    with pytest.raises(ValueError, match="wrong"), writing_together(paths) as partials:
        write(partials)
        raise ValueError("wrong")
    assert contents(tmp_path) == {"a": "old", "b": "old"}


def test_the_last_one_is_the_sign_that_all_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = put(tmp_path, "a", "b", "c")
    replace = Path.replace

    def killed(self: Path, target: Path) -> Path:
        if target.name == "b":
            raise OSError(5, "Input/output error")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", killed)
    with (
        pytest.raises(InputError, match=f"{tmp_path}: cannot be written: Input/output"),
        writing_together(paths) as partials,
    ):
        write(partials)
    assert contents(tmp_path) == {"a": "new", "b": "old"}


def test_a_file_that_the_block_reads_is_not_said_to_be_written(tmp_path: Path) -> None:
    paths = put(tmp_path, "a")
    given = tmp_path / "given"
    with (
        pytest.raises(InputError, match=f"^{given}: No such file or directory$"),
        writing_together(paths) as partials,
    ):
        write(partials)
        given.read_bytes()
    assert contents(tmp_path) == {"a": "old"}


def test_a_folder_that_is_gone_in_the_block_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match=f"{tmp_path}/out: cannot be written: No such file"),
        writing_together([tmp_path / "out/a"]) as partials,
    ):
        (tmp_path / "out").rmdir()
        write(partials)


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    put(tmp_path, "a")
    with (
        pytest.raises(InputError, match="a: cannot be written"),
        writing_together([tmp_path / "a/b"]),
    ):
        pass


def test_tables_have_six_digits(tmp_path: Path) -> None:
    write_csv(pd.DataFrame({"x": [1 / 3]}), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes() == b"x\n0.333333\n"
