from pathlib import Path

import pytest
import typer

from embspace.app.cli.shared.places import at_any_root, at_model, at_own_root, at_texts
from embspace.errors import InputError


def test_from_a_folder_of_a_tree_both_go_to_its_root(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(root / "docs")
    for place in (at_own_root, at_any_root):
        with place():
            assert Path.cwd() == root
        assert Path.cwd() == root / "docs"


def test_outside_only_what_changes_nothing_goes_to_another_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    with at_own_root():
        assert Path.cwd() == tmp_path
    with at_any_root():
        assert (Path.cwd() / "params.yaml").is_file()


def test_the_tree_of_a_report_is_gone_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for folder in (tmp_path, tmp_path / ".cache/trees/mine-1"):
        (folder / "conf/model").mkdir(parents=True)
        (folder / "dvc.yaml").touch()
        (folder / "params.yaml").write_text("models: [mine]\n")
        (folder / "conf/model/mine.yaml").write_text("source: hub\n")
    monkeypatch.chdir(tmp_path / "conf")
    for own in (False, True):
        with at_model("mine-1", own=own) as name:
            assert (Path.cwd(), name) == (tmp_path / ".cache/trees/mine-1", "mine")
        with at_model("mine", own=own) as name:
            assert (Path.cwd(), name) == (tmp_path, "mine")


def test_errors_of_the_user_are_shown(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(typer.Exit), at_own_root():
        raise InputError("a key")
    assert capsys.readouterr().err == "error: a key\n"


@pytest.mark.parametrize("place", ["./mine", "{folder}/mine"])
def test_a_models_folder_is_a_model_by_any_of_its_paths(
    place: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/config.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    with at_texts(place.format(folder=tmp_path)) as model:
        assert model == str(tmp_path / "mine")
