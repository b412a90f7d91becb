"""Two models that are compared, from params.yaml to the figures, in a copy of the project.

The tests build on each other.
"""

from pathlib import Path

import pytest

from embspace.files.tables import load_table
from tests.tiny import write_tiny_model
from tests.whole_pipeline import POSITIONS, as_params, compared_files, compared_stages, whole_files
from tests.workspace import Workspace

pytestmark = pytest.mark.slow

MODELS = ("one", "two")
PAIR = "one--two"


@pytest.fixture(scope="module")
def workspace(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A tree with two small models of random weights, in which nothing has run."""
    tree = Workspace(root, tmp_path_factory.mktemp("pairs"), ("tests/baselines/tolerances.yaml",))
    for seed, name in enumerate(MODELS):
        write_tiny_model(
            tree.folder / f"models/{name}", tree.folder / "conf", name, seed, POSITIONS
        )
        tree.edit(f"conf/model/{name}.yaml", path=f"models/{name}")
    tree.edit("params.yaml", models=list(MODELS), corpora=["model_card"])
    tree.shorten()
    return tree


def test_who_names_no_pair_has_no_such_stage(workspace: Workspace):
    listed = workspace.run("dvc", "stage", "list", "--all", "--name-only")
    assert "measure_ledger@two" in listed
    assert "compare_" not in listed and "draw_compare" not in listed
    said = workspace.run("embspace", "run", "measures", check=False)
    assert "key 'compared' in params.yaml names nothing" in said


def test_a_pair_has_tables_and_figures_of_its_own(workspace: Workspace):
    workspace.edit("params.yaml", compared=as_params(PAIR))
    assert "fit" in workspace.run("embspace", "check")
    said = workspace.run("embspace", "run", "draw_compare", "--model", PAIR)
    for stage in compared_stages(PAIR):
        assert f"] {stage} done in" in said
    made = workspace.files("results", "figures", "data/drawn")
    assert compared_files(PAIR) <= made.keys()
    assert all(made[file].count(b"\n") > 1 for file in whole_files(PAIR))


def test_what_is_the_same_in_both_is_told_so(workspace: Workspace):
    results = workspace.folder / "results"
    tokens = load_table(str(results / f"vocabularies/{PAIR}.csv"))
    assert (tokens["jaccard_index"] == 1).all()
    measures = load_table(str(results / f"measures/{PAIR}.csv"))
    similarities = measures[(measures["noun"] == "similarity") & (measures["quantity"] == "n")]
    assert len(similarities) and (similarities["difference"] == 0).all()
    bounded = measures.dropna(subset="difference_low")
    assert {"synonyms", "differences", "homonyms"} <= {*bounded["noun"]}
    stimuli = load_table(str(results / f"alignment/{PAIR}.csv"))
    # Equal architectures have equal random weights of one seed, of which nothing is said.
    assert stimuli["random_weights_value"].isna().all()


def test_its_numbers_are_guarded(workspace: Workspace):
    def verify(*arguments: str) -> str:
        # Most results of the two models, and what others have published, are not made here.
        return workspace.run("embspace", "verify", *arguments, check=False)

    assert "no rule names" not in verify()
    (workspace.folder / f"results/measures/{PAIR}.csv").unlink()
    assert f"measures/{PAIR}.csv MISSING" in " ".join(verify().split())
    assert workspace.repro("draw_compare@one--two") == set()  # from DVC's cache of runs


def test_a_pair_that_is_dropped_leaves_nothing_behind(workspace: Workspace):
    workspace.edit("params.yaml", compared={})
    workspace.run("embspace", "prune", "--yes")
    assert not compared_files(PAIR) & workspace.files("results", "figures", "data/drawn").keys()
    workspace.edit("params.yaml", compared={"two--one": as_params(PAIR)[PAIR]})
    said = workspace.run("embspace", "check", check=False)
    assert "The pair 'two--one' of these models is called 'one--two'" in said
