"""A model takes part in what was published about its weights, whatever its file is called."""

from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.published.subjects import Subject, names_of, read_subject
from tests.verify.tree import put

MATRICES = "matrices: {input: x, positional: null, segment: null}\n"
HEAD = f"label: x\nlicense: CC0-1.0\nlanguage: English\n{MATRICES}"


def test_a_model_of_the_hub_has_the_weights_of_its_repository(tree: Path):
    assert read_subject("small") == Subject("small", "maker/small")


@pytest.mark.parametrize(
    ("more", "repository"), [("", None), ("stands_for: maker/small\n", "maker/small")]
)
def test_a_folder_says_whose_weights_it_has(tree: Path, more: str, repository: str | None):
    put("conf/model/mine.yaml", f"{HEAD}source: path\npath: models/mine\n{more}")
    assert read_subject("mine").repository == repository
    assert names_of("maker/small") == (["mine", "small"] if repository else ["small"])


def test_random_weights_are_nobodys(tree: Path):
    put("conf/model/r.yaml", f"{HEAD}source: random\nseed: 0\nconfig: {{}}\nrepository: maker/x\n")
    assert read_subject("r").repository is None
    assert names_of("maker/x") == []


def test_what_a_folder_stands_for_is_a_repository(tree: Path):
    put("conf/model/mine.yaml", f"{HEAD}source: path\npath: m\nstands_for: bert\n")
    with pytest.raises(InputError, match=r"mine\.yaml: key 'stands_for'"):
        read_subject("mine")


def test_a_model_is_meant_by_its_repository_and_by_any():
    model = Subject("small", "maker/small")
    assert model.is_meant_by("maker/small") and model.is_meant_by("any")
    assert not model.is_meant_by("small")
    assert not Subject("mine", None).is_meant_by("maker/small")
