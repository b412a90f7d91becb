"""How far the numbers of a model lie from another one's."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from embspace.app.page.unusual import distances_of


@pytest.fixture
def study(root: Path, tmp_path: Path) -> Path:
    """A study with results of the default model alone."""
    study = tmp_path / "study"
    for place in ("conf/model", "conf/compare", "results/similarity", "results/positions"):
        shutil.copytree(root / place, study / place)
    shutil.copy(root / "params.yaml", study)
    return study


def tree_of(study: Path, folder: Path, factor: float) -> Path:
    """A tree of another model, whose learned vectors are this much longer."""
    file = study / "results/similarity/summary/minilm.csv"
    (folder / "results/similarity/summary").mkdir(parents=True)
    table = pd.read_csv(file)
    numbers = ["mean", "standard_deviation", "minimum", "quantile_0.5", "maximum"]
    table[numbers] = table[numbers] * factor
    table.to_csv(folder / "results/similarity/summary/mine.csv", index=False)
    return folder


def test_a_model_lies_from_another_as_far_as_its_numbers_do(study: Path, tmp_path: Path):
    distances = distances_of(tree_of(study, tmp_path / "tree", 4.0), "mine", study)
    assert list(distances) == ["similarity"]
    assert distances["similarity"].other == "MiniLM-L6"
    assert distances["similarity"].share == pytest.approx(0.75)
    assert distances["similarity"].told.endswith(" differ by 75 % in the median")


def test_the_same_numbers_are_no_distance_apart(study: Path, tmp_path: Path):
    distances = distances_of(tree_of(study, tmp_path / "tree", 1.0), "mine", study)
    assert distances["similarity"].share == 0


def test_a_model_of_the_study_is_held_against_random_weights(root: Path):
    distances = distances_of(root, "minilm", root)
    assert {distance.other for distance in distances.values()} == {"MiniLM-L6, random weights"}
    assert 0 < distances["positions"].share <= 2


def test_without_results_of_another_model_nothing_is_said(study: Path, tmp_path: Path):
    shutil.rmtree(study / "results")
    assert distances_of(tmp_path, "mine", study) == distances_of(study, "minilm", study) == {}
