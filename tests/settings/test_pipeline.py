from pathlib import Path

import pytest
import yaml

from embspace.errors import InputError
from embspace.settings.pipeline import find_stages, graph_files, read_locked, read_stages

GRAPHS = {
    "dvc.yaml": ["extract_embeddings"],
    "pipeline/positional/dvc.yaml": ["measure_helix", "draw_positional"],
    "pipeline/toys/dvc.yaml": ["measure_cubes"],
}


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
    ("asked", "names"),
    [
        ("measure_helix", ["measure_helix"]),
        ("helix", ["measure_helix"]),
        ("positional", ["measure_helix", "draw_positional"]),
    ],
)
def test_a_stage_a_noun_and_a_chapter_are_found(tree: Path, asked: str, names: list[str]):
    assert [stage.name for stage in find_stages(tree, asked)] == names


def test_an_unknown_name_is_answered_with_nouns_and_chapters(tree: Path):
    with pytest.raises(InputError, match="helx.*cubes, embeddings, helix, positional, toys"):
        find_stages(tree, "helx")


def test_a_lock_is_read_by_stage_and_item_and_may_be_absent(tree: Path):
    assert read_locked(tree / "dvc.lock") == {}
    (tree / "dvc.lock").write_text("schema: '2.0'\nstages:\n  a@b:\n    cmd: x\n")
    assert read_locked(tree / "dvc.lock") == {"a@b": {"cmd": "x"}}
