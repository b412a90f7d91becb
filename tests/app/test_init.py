"""A study of one's own has its model, its texts, and the settings that read them."""

from pathlib import Path

import pytest

from embspace.app.check import check_settings
from embspace.app.init import write_own_study
from embspace.errors import InputError
from embspace.settings.params import read_params
from embspace.settings.study import differences
from tests.settings.wheel import wheel
from tests.tiny import build_tiny_bert

__all__ = ["wheel"]


@pytest.fixture(autouse=True)
def here(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EMBSPACE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("embspace.settings.roots.IN_WHEEL", wheel)
    return tmp_path


def test_without_a_wish_it_is_embspace_s_own(here: Path, monkeypatch: pytest.MonkeyPatch):
    said = write_own_study(here / "mine", None, None)
    assert said == f"cd {here / 'mine'}\nembspace run"
    monkeypatch.chdir(here / "mine")
    assert check_settings() == []
    assert (here / "mine/.git").is_dir()
    assert "/data/extracted/" in (here / "mine/.gitignore").read_text().splitlines()
    assert len((here / "mine/README.md").read_text().splitlines()) <= 12


def test_a_model_and_texts_of_one_s_own(here: Path, monkeypatch: pytest.MonkeyPatch):
    build_tiny_bert(here / "my_model", positions=512)
    (here / "my.csv").write_text("text\n" + "".join(f"the cat sat on mat {n}\n" for n in range(30)))
    write_own_study(here / "mine", "my_model", "my.csv")
    monkeypatch.chdir(here / "mine")
    params = read_params()
    (name,) = params.models
    assert name.startswith("my_model-") and params.corpora == ["texts_of_my"]
    assert (here / "mine/data/texts/texts_of_my.csv").read_bytes() == (here / "my.csv").read_bytes()
    assert (here / f"mine/conf/model/{name}.yaml").is_file()
    assert not [line for line in check_settings() if "roles" not in line]
    assert differences(here / "mine") == []  # a corpus that analyses are about is swapped, too


def test_a_folder_with_something_in_it_is_left_alone(here: Path):
    (here / "mine").mkdir()
    (here / "mine/thesis.tex").write_text("mine")
    with pytest.raises(InputError, match="mine: found something there, allowed: a new folder"):
        write_own_study(here / "mine", None, None)
    assert [path.name for path in (here / "mine").iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    ("model", "corpus", "message"),
    [
        ("minlm", None, "minlm.yaml: not found; did you mean 'minilm'"),
        (None, "no.csv", "no.csv: not found"),
    ],
)
def test_what_is_not_known_is_told_before_anything_is_written(
    here: Path, model: str | None, corpus: str | None, message: str
):
    with pytest.raises(InputError, match=message):
        write_own_study(here / "mine", model, corpus)
    assert not (here / "mine").exists()
