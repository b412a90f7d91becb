from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.published.sources import PUBLISHED, read_source
from embspace.settings.params import Pair, read_params
from embspace.settings.pipeline import read_stages
from embspace.verify.command import verify_results
from embspace.verify.expected import STATED_IN, check_published_files, expected_results
from embspace.verify.failures import Outcome
from tests.verify.tree import make_tree, put

GRAPH = """
stages:
  measure_similarity:
    matrix: {model: "${models}"}
    deps:
      - data/published/paper.yaml
    outs:
      - data/measured/similarity/${item.model}.parquet
      - results/similarity/summary/${item.model}.csv: {cache: false}
  measure_interrelations:
    matrix: {model: "${models}"}
    outs:
      - results/interrelations/${item.model}.json: {cache: false}
  measure_direction:
    matrix: {model: "${profiled}"}
    outs:
      - results/direction/profiles/${item.model}.csv: {cache: false}
  compare_measures:
    foreach: ${compared}
    do:
      deps:
        - results/similarity/summary/${item.model}.csv
      outs:
        - results/measures/${key}.csv: {cache: false}
"""


PAPER = (
    "source: a paper\nprotocol: theirs\nentries:\n"
    "  - {quantity: q, model: maker/other, file: 'results/x/{model}.csv', published: {x: '1'}}\n"
)


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_tree()
    put("dvc.yaml", GRAPH)
    put("data/published/paper.yaml", PAPER)


def verified(*, update: bool = False) -> bool:
    return (
        verify_results(Path("results"), update=update, computed=False, everything=False)
        is Outcome.PASSED
    )


def test_the_graph_knows_the_results_of_each_item():
    pairs = {"a--b": Pair(model="a", other_model="b")}
    given = {"models": ["a", "b"], "profiled": ["a"], "compared": pairs}
    params = read_params().model_copy(update=given)
    assert [str(path) for path in expected_results(params)] == [
        "direction/profiles/a.csv",
        "interrelations/a.json",
        "interrelations/b.json",
        "measures/a--b.csv",
        "similarity/summary/a.csv",
        "similarity/summary/b.csv",
    ]


def test_a_result_that_is_gone_with_its_baseline_fails(capsys: pytest.CaptureFixture[str]):
    assert verified()
    for folder in ("results", "tests/baselines"):
        Path(folder, "similarity/summary/small.csv").unlink()
    assert not verified()
    assert "missing results: 1" in capsys.readouterr().out


def test_an_update_without_it_changes_no_baseline():
    Path("results/similarity/summary/small.csv").unlink()
    with pytest.raises(InputError, match=r"no similarity/summary/small\.csv: no baseline was"):
        verified(update=True)
    assert Path("tests/baselines/similarity/summary/small.csv").is_file()


def test_published_numbers_that_are_gone_are_told():
    check_published_files()
    Path("data/published/paper.yaml").unlink()
    with pytest.raises(InputError, match=r"paper\.yaml: not found, but stage measure_similarity"):
        verified()


def test_claims_that_are_gone_are_told_though_no_stage_reads_them():
    put("dvc.yaml", f"{GRAPH}  measure_training_claims:\n    outs: []\n")
    message = r"razzhigaev_shape_of_learning\.yaml: not found, but stage measure_training_claims of"
    with pytest.raises(InputError, match=message):
        verified()


def test_the_claims_are_of_the_tables_that_these_stages_make(root: Path):
    """Also that no other file of data/published is one that only verify reads."""
    unread = {*(root / PUBLISHED).glob("*.yaml")}
    stages = read_stages(root)
    for stage in stages.values():
        unread -= {root / str(path) for path in stage.entry.get("deps", ())}
    assert unread == {root / path for path in STATED_IN.values()}
    for file in unread:
        tables = {claim.file.split("/")[1] for claim in read_source(file).claims_on_runs}
        deciding = {name for name, path in STATED_IN.items() if root / path == file}
        assert {name.removeprefix("measure_") for name in deciding} == tables
    assert stages.keys() >= STATED_IN.keys()


def test_a_folder_in_the_place_of_a_result_is_told():
    path = Path("results/similarity/summary/small.csv")
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match=r"small\.csv: cannot be read: Is a directory"):
        verified()
