"""How far the numbers of a model lie from another one's."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from embspace.app.page.unusual import distances_of
from embspace.files.tables import load_table, save_table
from embspace.settings.schema import read_yaml


@pytest.fixture
def study(root: Path, tmp_path: Path) -> Path:
    """A study with results of the default model alone."""
    study = tmp_path / "study"
    folders = ("conf/model", "conf/corpus", "conf/compare")
    for place in (*folders, "pipeline", "results/similarity", "results/positions"):
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
    assert distances["similarity"].sentence.endswith(" differ by more than 75 %")


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


def with_pair(root: Path, study: Path, pair: str = "minilm--minilm_random") -> Path:
    """Give a study the results of a pair."""
    (study / "results/measures").mkdir()
    shutil.copy(
        root / "results/measures/minilm--minilm_random.csv", study / f"results/measures/{pair}.csv"
    )
    return study


def reading(study: Path, folder: Path, corpora: list[str]) -> Path:
    """A tree of the default model of a study, with all its results, that reads some corpora."""
    shutil.copytree(study / "conf", folder / "conf")
    shutil.copytree(study / "results", folder / "results")
    params = read_yaml(study / "params.yaml") | {"corpora": corpora}
    (folder / "params.yaml").write_text(yaml.safe_dump(params))
    return folder


def test_a_pair_of_the_study_says_nothing_of_other_texts(root: Path, study: Path, tmp_path: Path):
    with_pair(root, study)
    corpora = read_yaml(study / "params.yaml")["corpora"]
    same = reading(study, tmp_path / "same", corpora)
    assert distances_of(same, "minilm", study) == distances_of(study, "minilm", study) != {}
    assert distances_of(reading(study, tmp_path / "mine", ["my"]), "minilm", study) == {}
    assert distances_of(reading(study, tmp_path / "fewer", corpora[:1]), "minilm", study) == {}
    (study / "data/texts").mkdir(parents=True)
    file = study / read_yaml(study / "conf/corpus/posts.yaml")["path"]
    file.write_text("[]")
    assert distances_of(same, "minilm", study) == {}
    shutil.copytree(study / "data", same / "data")
    assert distances_of(same, "minilm", study) != {}
    (same / file.relative_to(study)).write_text("{}")
    assert distances_of(same, "minilm", study) == {}
    assert distances_of(tmp_path / "empty", "minilm", study) == {}


def test_numbers_on_other_texts_are_held_against_none_of_the_study(
    root: Path, study: Path, tmp_path: Path
):
    shutil.copytree(root / "results/evolution", study / "results/evolution")
    tree = tree_of(study, tmp_path / "tree", 4.0)
    for part in ("layers", "shared_steps"):
        target = tree / f"results/evolution/{part}/mine.csv"
        target.parent.mkdir(parents=True)
        shutil.copy(study / f"results/evolution/{part}/minilm.csv", target)
    shutil.copytree(study / "conf", tree / "conf")
    shutil.copy(study / "params.yaml", tree)
    assert set(distances_of(tree, "mine", study)) == {"similarity", "evolution"}
    params = read_yaml(tree / "params.yaml") | {"corpora": ["my"]}
    (tree / "params.yaml").write_text(yaml.safe_dump(params))
    assert set(distances_of(tree, "mine", study)) == {"similarity"}


def test_the_number_of_vectors_and_chance_are_nothing_unusual(root: Path, study: Path):
    with_pair(root, study)
    file = study / "results/measures/minilm--minilm_random.csv"
    table = load_table(str(file))
    is_size = table["quantity"].isin(["n", "dim", "null_n_components"])
    assert is_size.sum() > 6
    before = distances_of(study, "minilm", study)
    save_table(
        table.assign(other_model_value=table["other_model_value"].mask(is_size, 1e9)), str(file)
    )
    assert distances_of(study, "minilm", study) == before
    save_table(table[is_size], str(file))
    assert distances_of(study, "minilm", study) == {}


def test_either_model_of_a_pair_is_held_against_the_other(root: Path, study: Path):
    with_pair(root, study)
    first = distances_of(study, "minilm", study)
    second = distances_of(study, "minilm_random", study)
    assert {distance.other for distance in second.values()} == {"MiniLM-L6"}
    assert {noun: distance.share for noun, distance in second.items()} == {
        noun: distance.share for noun, distance in first.items()
    }
    assert distances_of(study, "mini", study) == {}


def test_a_study_without_the_settings_says_nothing_of_a_model_outside_a_pair(
    study: Path, tmp_path: Path
):
    tree = tree_of(study, tmp_path / "tree", 4.0)
    shutil.rmtree(study / "conf/compare")
    assert distances_of(tree, "mine", study) == {}


def test_a_tree_with_random_weights_is_held_against_these(study: Path, tmp_path: Path):
    tree = tree_of(study, tmp_path / "tree", 4.0)
    for place in ("conf", "pipeline"):
        shutil.copytree(study / place, tree / place)
    (tree / "params.yaml").write_text("models: [mine, mine_random]\ncorpora: [mine]\n")
    own = tree / "results/similarity/summary"
    shutil.copy(own / "mine.csv", own / "mine_random.csv")
    distance = distances_of(tree, "mine", study)["similarity"]
    assert (distance.other, distance.share) == ("mine_random", 0)


@pytest.mark.parametrize(
    ("decoders", "n"), [({"mine"}, 0), ({"minilm"}, 0), ({"mine", "minilm"}, 1)]
)
def test_a_decoder_is_compared_with_decoders_alone(
    study: Path, tmp_path: Path, monkeypatch, decoders: set[str], n: int
):
    tree = tree_of(study, tmp_path / "tree", 4.0)
    (tree / "conf/model").mkdir(parents=True)
    shutil.copy(study / "conf/model/minilm.yaml", tree / "conf/model/mine.yaml")
    monkeypatch.setattr(
        "embspace.app.page.unusual.is_decoder", lambda _, model, described: model in decoders
    )
    assert len(distances_of(tree, "mine", study)) == n
