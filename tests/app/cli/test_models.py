from pathlib import Path

import pytest

from embspace.app.models import list_models
from tests.app.cli.call import call


@pytest.fixture(autouse=True)
def here(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def test_models_are_listed():
    assert call("models").stdout.splitlines() == list_models()


def test_they_are_listed_from_anywhere(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    listed = call("models").stdout
    for place in (root / "docs", tmp_path):
        monkeypatch.chdir(place)
        assert call("models").stdout.count("\n") == listed.count("\n")


def test_a_description_is_printed_or_written(monkeypatch: pytest.MonkeyPatch):
    for name, said in {
        "find.find_model": "",
        "description.description_of": "label: x",
        "description.write_description": Path("y.yaml"),
    }.items():
        monkeypatch.setattr(f"embspace.app.describe.{name}", lambda *given, said=said: said)
    assert call("describe", "x").stdout == "label: x\n"
    written = call("describe", "x", "--write")
    assert (written.stdout, written.stderr) == ("y.yaml\n", "next: embspace report y\n")


def test_an_empty_name_is_not_the_current_folder():
    said = call("describe", "")
    assert said.exit_code == 1
    assert "not found" in said.stderr


@pytest.mark.parametrize("command", ["describe", "fetch"])
def test_a_model_that_is_not_there_is_one_message(command: str):
    said = call(command, "minlm")
    assert (said.exit_code, said.stdout) == (1, "")
    assert said.stderr.startswith("error: conf/model/minlm.yaml: not found")
    assert "did you mean 'minilm'" in said.stderr


def test_a_model_is_fetched_where_a_report_looks_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.chdir(tmp_path)  # in no study
    said = call("fetch", "minilm_random")
    assert (said.exit_code, said.stderr) == (0, "")
    assert said.stdout.startswith("minilm_random: ")
