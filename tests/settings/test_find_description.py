from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.settings.find_description import described_in


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("minilm", "bert_base_cased"):
        (tmp_path / f"{name}.yaml").touch()
    return tmp_path


def test_a_name_is_a_file(folder: Path):
    assert described_in(folder, "minilm") == folder / "minilm.yaml"


def test_an_unknown_one_is_told_with_what_there_is(folder: Path):
    with pytest.raises(InputError, match=r"x\.yaml: not found; allowed: bert_base_cased, minilm$"):
        described_in(folder, "x")
    with pytest.raises(InputError, match=r"; did you mean 'bert_base_cased'\? allowed: bert"):
        described_in(folder, "bert-base-cased")
    with pytest.raises(InputError, match="; allowed: none$"):
        described_in(folder / "nothing", "x")


def test_models_are_too_many_to_be_listed(tmp_path: Path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model/minilm.yaml").touch()
    for name, meant in (("minlm", "; did you mean 'minilm'?"), ("x", ";")):
        with pytest.raises(InputError) as caught:
            described_in(tmp_path / "model", name)
        assert str(caught.value).endswith(f"not found{meant} `embspace models` lists all")
