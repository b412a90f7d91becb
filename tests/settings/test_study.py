"""A study has what its stages read, is renewed whole, and says what differs in it."""

import tomllib
from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.settings import study
from embspace.settings.params import read_params
from embspace.settings.pipeline import read_stages
from embspace.settings.study import differences, home_study, is_study, write_study
from tests.settings.wheel import wheel

__all__ = ["wheel"]


def test_the_wheel_has_what_a_study_is_made_of(root: Path):
    build = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    wheel = build["targets"]["wheel"]
    assert {*wheel["only-include"]} == {"src/embspace", *study.FOLDERS}
    places = wheel["sources"] | wheel["force-include"]
    assert places.pop("src/embspace") == "embspace"
    assert {*places} == {*study.FOLDERS, *study.FILES, str(study.LOCKED)}
    assert all(place == f"embspace/study/{name}" for name, place in places.items())
    assert study.LOCKS in wheel["exclude"]


def test_it_has_the_stages_and_settings_of_the_repository(root: Path, wheel: Path, tmp_path: Path):
    folder = tmp_path / "mine"
    write_study(folder, without_git=True)
    assert is_study(folder)
    assert read_stages(folder).keys() == read_stages(root).keys()
    assert read_params(folder) == read_params(root)
    assert not [*folder.rglob("dvc.lock")]
    assert "torch==" in (folder / "requirements.lock").read_text()
    assert not differences(folder)


def test_what_was_changed_is_told(wheel: Path, tmp_path: Path):
    folder = tmp_path / "mine"
    write_study(folder, without_git=True)
    (folder / "conf/measure/positional/helix.yaml").write_text("other: 1\n")
    (folder / "conf/config.yaml").unlink()
    (folder / "conf/model/mine.yaml").write_text("")
    assert differences(folder) == [
        "conf/config.yaml: not there",
        "conf/measure/positional/helix.yaml: changed",
    ]


def test_that_of_the_cache_is_renewed_by_another_embspace(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = home_study(tmp_path)
    (folder / "results/x.csv").parent.mkdir()
    (folder / "results/x.csv").write_text("computed")
    (folder / "params.yaml").write_text((folder / "params.yaml").read_text() + "# mine")
    (folder / "models.lock").write_text("fetched: 1\n")
    (wheel / "conf/config.yaml").write_text("newer: 1\n")
    assert home_study(tmp_path) == folder
    assert "newer" not in (folder / "conf/config.yaml").read_text()
    monkeypatch.setattr(study, "told_apart", lambda: "another one\n")
    home_study(tmp_path)
    assert "newer" in (folder / "conf/config.yaml").read_text()
    assert (folder / "results/x.csv").is_file()
    assert (folder / "params.yaml").read_text().endswith("# mine")
    assert (folder / "models.lock").read_text() == "fetched: 1\n"


def test_a_study_learns_which_embspace_is_installed_now(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write_study(tmp_path / "mine", without_git=True)
    monkeypatch.setattr(study, "told_apart", lambda: "another one\n")
    (wheel / "conf/config.yaml").write_text("newer: 1\n")
    study.renew_package(tmp_path / "mine")
    assert (tmp_path / "mine" / study.MADE_OF).read_text() == "another one\n"
    assert "newer" not in (tmp_path / "mine/conf/config.yaml").read_text()  # a user's to decide
    (tmp_path / "clone").mkdir()
    study.renew_package(tmp_path / "clone")
    assert not [*(tmp_path / "clone").iterdir()]


def test_half_of_one_is_written_to_its_end(wheel: Path, tmp_path: Path):
    folder = home_study(tmp_path)
    (folder / study.MADE_OF).unlink()  # as of a process that was ended before
    (folder / "dvc.yaml").unlink()
    assert is_study(home_study(tmp_path))


def test_an_embspace_without_its_files_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(study, "brought_along", lambda: None)
    with pytest.raises(InputError, match="has no files of a study; install embspace from its whe"):
        write_study(tmp_path / "mine", without_git=True)


def test_a_folder_that_cannot_be_written_is_told(wheel: Path, tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file/conf/.*: cannot be written: Not a directory"):
        write_study(tmp_path / "file", without_git=True)
