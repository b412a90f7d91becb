"""Finds stages in small graphs and in the project's."""

from pathlib import Path

import pytest
import yaml

from embspace.errors import InputError
from embspace.settings.pipeline import (
    fill_item,
    find_stages,
    graph_files,
    hash_of_locks,
    read_locked,
    read_stages,
    stage_names,
)

GRAPHS = {
    "dvc.yaml": ["extract_embeddings"],
    "pipeline/positional/dvc.yaml": ["measure_helix", "draw_positional"],
    "pipeline/toys/dvc.yaml": ["measure_cubes"],
}
THINGS = """
stages:
  measure_shapes:
    matrix: {model: "${models}"}
    outs:
      - results/shapes/${item.model}.csv: {cache: false}
  measure_colors:
    matrix: {model: "${models}"}
    outs:
      - results/colors/${item.model}.csv: {cache: false}
      - results/shades/${item.model}.csv: {cache: false}
  measure_nothing:
    matrix: {model: "${models}"}
    outs:
      - data/measured/nothing/${item.model}.parquet
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for graph, names in GRAPHS.items():
        (tmp_path / graph).parent.mkdir(parents=True, exist_ok=True)
        stages = {name: {"cmd": f"echo {name}"} for name in names}
        (tmp_path / graph).write_text(yaml.safe_dump({"stages": stages}, sort_keys=False))
    return tmp_path


def test_the_graph_of_the_root_comes_first(tree: Path):
    assert [str(graph) for graph in graph_files(tree)] == list(GRAPHS)
    assert graph_files(tree, "dvc.lock") == []


def test_stages_are_named_as_dvc_takes_them_at_the_root(tree: Path):
    stages = read_stages(tree)
    assert stages["extract_embeddings"].address("tiny") == "extract_embeddings@tiny"
    assert stages["extract_embeddings"].chapter == ""
    assert stages["measure_helix"].chapter == "positional"
    assert stages["measure_helix"].address() == "pipeline/positional/dvc.yaml:measure_helix"
    assert stages["measure_helix"].entry == {"cmd": "echo measure_helix"}


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("measure_helix", ["measure_helix"]),
        ("helix", ["measure_helix"]),
        ("positional", ["measure_helix", "draw_positional"]),
    ],
)
def test_a_stage_a_noun_and_a_chapter_are_found(tree: Path, name: str, names: list[str]):
    assert [stage.name for stage in find_stages(tree, name)] == names


def test_an_unknown_name_is_answered_with_nouns_and_chapters(tree: Path):
    with pytest.raises(InputError, match="helx.*cubes, embeddings, helix, positional, toys"):
        find_stages(tree, "helx")


def test_a_lock_is_read_by_stage_and_item_and_may_be_absent(tree: Path):
    assert read_locked(tree / "dvc.lock") == {}
    (tree / "dvc.lock").write_text("schema: '2.0'\nstages:\n  a@b:\n    cmd: x\n")
    assert read_locked(tree / "dvc.lock") == {"a@b": {"cmd": "x"}}


def test_a_stage_of_pairs_is_as_one_with_a_matrix_of_their_names(tree: Path):
    graph = tree / "pipeline/toys/dvc.yaml"
    out = {"results/measures/${key}.csv": {"cache": False}}
    do = {"cmd": "true", "deps": ["data/${item.other_model}.csv"], "outs": [out]}
    stages = {"compare_measures": {"foreach": "${compared}", "do": do}}
    graph.write_text(yaml.safe_dump({"stages": stages}))
    stage = read_stages(tree)["compare_measures"]
    assert stage.entry["matrix"] == {"pair": "${compared}"}
    assert stage.entry["deps"] == do["deps"]
    assert stage.outputs() == ["results/measures/${item.pair}.csv"]
    assert stage.address("a--b") == "pipeline/toys/dvc.yaml:compare_measures@a--b"


@pytest.fixture
def things(tmp_path: Path) -> Path:
    folder = tmp_path / "pipeline/things"
    folder.mkdir(parents=True)
    (folder / "dvc.yaml").write_text(THINGS)
    return tmp_path


def addresses(things: Path, name: str, item: str = "") -> list[str]:
    prefix = "pipeline/things/dvc.yaml:"
    return [stage.address(item).removeprefix(prefix) for stage in find_stages(things, name)]


def test_a_stage_is_found_by_name_noun_and_chapter(things: Path) -> None:
    assert addresses(things, "measure_colors", "mine") == ["measure_colors@mine"]
    assert addresses(things, "colors") == ["measure_colors"]
    assert addresses(things, "things") == ["measure_shapes", "measure_colors", "measure_nothing"]


def test_a_stage_is_found_by_the_results_that_it_makes(things: Path) -> None:
    assert addresses(things, "shades", "mine") == ["measure_colors@mine"]


def test_names_stand_in_the_place_of_their_keys() -> None:
    path = "data/${item.model}/${item.corpus}/${item.model}.csv"
    assert fill_item(path, {"model": "a.b"}) == "data/a.b/${item.corpus}/a.b.csv"
    assert fill_item(path, {"model": "a", "corpus": "b"}) == "data/a/b/a.csv"


def test_each_run_changes_the_hash_of_locks(tree: Path) -> None:
    hashes = [hash_of_locks(tree)]
    for lock in ("dvc.lock", "pipeline/toys/dvc.lock"):
        (tree / lock).write_text("stages: {}")
        hashes.append(hash_of_locks(tree))
    assert len({*hashes}) == 3
    assert hash_of_locks(tree) == hashes[-1]


def test_a_wrong_name_is_answered_with_those_there_are(things: Path) -> None:
    allowed = "colors, nothing, shades, shapes, things"
    with pytest.raises(InputError, match=f"'shade'; did you mean 'shades'. allowed: {allowed}"):
        find_stages(things, "shade")


def test_every_result_of_the_project_is_made_by_one_stage(root: Path) -> None:
    made = [path for stage in read_stages(root).values() for path in stage.outputs()]
    assert len(made) == len(set(made))


def test_stages_are_named_by_all_items_of_their_matrices(tmp_path: Path):
    (tmp_path / "dvc.yaml").write_text(THINGS)
    assert stage_names(tmp_path, {"models": ["a", "b"]}) == {
        f"measure_{noun}@{model}" for noun in ("shapes", "colors", "nothing") for model in "ab"
    }
    assert stage_names(tmp_path, {"models": []}) == set()


def test_a_graph_that_cannot_be_read_is_told(tmp_path: Path):
    (tmp_path / "dvc.yaml").write_text("stages: [")
    with pytest.raises(InputError, match=r"dvc\.yaml: is not YAML"):
        read_stages(tmp_path)
