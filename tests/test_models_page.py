"""docs/models.md against conf/model: one row a file, with what the file says."""

from pathlib import Path

import pytest

from embspace.settings.model import Model, describe_model
from embspace.settings.schema import read_yaml
from tests.test_architectures import ADDED
from tests.zoo import ANIMALS

SMALL = "small"
WHOLE = f"{SMALL}, whole"
TRIED = {"real", "real, loaded", "random", SMALL, WHOLE}


@pytest.fixture(scope="module")
def described(root: Path) -> dict[str, Model]:
    files = (root / "conf/model").glob("*.yaml")
    return {path.stem: describe_model(path.stem, read_yaml(path)) for path in files}


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs/models.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows(page: str) -> dict[str, list[str]]:
    """The cells of the table of models by the name of the file."""
    table = page[page.index("| file | license |") :].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return {row[0].strip("`"): row[1:] for row in cells}


def test_each_file_has_its_row(described: dict[str, Model], rows: dict[str, list[str]]):
    assert set(rows) == set(described)


def test_rows_say_what_the_files_say(described: dict[str, Model], rows: dict[str, list[str]]):
    for name, model in described.items():
        license, language, _, tried = rows[name]
        assert (license, language or "English") == (model.license, model.language), name
        assert tried in TRIED, name


def what_differs(rows: dict[str, list[str]], name: str) -> str:
    """The words of a model and of those that it is like: "as `gpt2`"."""
    words = rows[name][2]
    if words.startswith("as `"):
        return f"{words}; {what_differs(rows, words.split('`')[1])}"
    return words


def test_what_differs_is_named(described: dict[str, Model], rows: dict[str, list[str]]):
    for name, model in described.items():
        words = what_differs(rows, name)
        expected = {
            f"{model.position_offset} rows before position 0": model.position_offset,
            f"{model.padding_rows} rows of no token": model.padding_rows,
            f"`{model.word_prefix}`": model.word_prefix,
            "at the end": model.final_norm,
            "mapped to": model.matrices.mapping,
            "`window`": model.window,
        }
        has = {key for key, value in expected.items() if value}
        assert {key for key in expected if key in words} == has, name


def test_every_architecture_that_was_tried_small_is_in_the_zoo(
    described: dict[str, Model], rows: dict[str, list[str]]
):
    """By its matrices: a file whose names no small model has was not tried."""
    seen = {described[animal.described_as].matrices for animal in ANIMALS.values()}
    for name, cells in rows.items():
        if cells[3] in (SMALL, WHOLE):
            assert described[name].matrices in seen, name


def test_those_said_to_go_through_the_whole_pipeline_are_those_that_a_test_takes(
    rows: dict[str, list[str]],
):
    assert {name for name, cells in rows.items() if cells[3] == WHOLE} == {
        ANIMALS[animal].described_as for animal in ADDED.values()
    }


def test_every_key_that_makes_models_differ_is_explained(page: str):
    for key in ("mapping", "position_offset", "padding_rows", "window", "word_prefix"):
        assert f"`{key}`" in page or f".{key}`" in page
    for key in ("continuation_prefix", "final_norm", "checkpoints", "parameters"):
        assert f"`{key}`" in page
