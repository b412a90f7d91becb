from importlib import import_module
from pathlib import Path
from shutil import copytree

import pandas as pd
import pytest

import embspace
from embspace.analysis import PIN
from embspace.app.api import Spaces
from embspace.app.queries.measured import files_read
from embspace.errors import InputError
from embspace.extract import embeddings
from embspace.files.tables import load_table
from embspace.graph.declarations import declaration, modules
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, checked_settings, settings_file
from tests.lazy import transformers
from tests.loaded.folders import tree

__all__ = ["tree"]
# One that reads another, one of chance alone, one of files of the model, one with large data.
NOUNS = ("positions", "explained_variance", "vocabulary", "pca")
FEW = {"n_shuffles": 9, "n_simulations": 99, "n_null_tables": 3}


@pytest.fixture(scope="module")
def study(root: Path, tree: Path) -> Path:
    """The tree with the settings of all analyses, of fewer draws."""
    for verb in ("measure", "project", "extract"):
        copytree(root / "conf" / verb, tree / "conf" / verb, dirs_exist_ok=True)
    for file in (tree / "conf/measure/positional").glob("*.yaml"):
        lines = file.read_text().splitlines()
        for key, value in FEW.items():
            lines = [f"{key}: {value}" if line.startswith(f"{key}:") else line for line in lines]
        file.write_text("\n".join(lines) + "\n")
    return tree


TEXTS = ["the cat sat on the mat . a dog", "a dog . the sun", "rain on the mat . the cat"] * 2


@pytest.fixture(scope="module")
def s(study: Path) -> Spaces:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(study)
        return embspace.spaces("tiny", TEXTS)


def run(stage: str) -> None:
    """Run the `main` of a stage in the current folder."""
    verb, _, noun = stage.partition("_")
    member = None if verb == "extract" else declaration(noun)
    module = import_module(member.function.__module__) if member else embeddings
    function = member.function if member else embeddings.extract_embeddings
    file = settings_file(function)
    settings = checked_settings(function, read_yaml(file), {"seed": 0, "device": "cpu"}, str(file))
    described = read_yaml(Path("conf/model/tiny.yaml"))
    module.main(StageConfig("tiny", described, "", {}, ["tiny"], [], settings))


@pytest.mark.parametrize("noun", NOUNS)
def test_tables_are_those_of_the_stage(
    noun: str, study: Path, s: Spaces, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(study)
    stages = ["extract_embeddings", "measure_regimes"]
    stages += ["measure_nearest_neighbors"] if noun == "pca" else []
    analysis = declaration(noun).analysis
    for stage in [*stages, analysis.stage]:
        run(stage)
    tables = s.measure(noun)
    assert set(tables) == {*analysis.tables, *(["json"] if analysis.scalars else [])}
    for name in analysis.tables:
        expected = load_table(analysis.outputs[name].format(model="tiny"))
        pd.testing.assert_frame_equal(tables[name], expected, obj=name)


def test_a_setting_stands_in_the_place_of_conf_s(s: Spaces):
    shares = s.measure("explained_variance", shares=[0.25])["dimensions"]["share"]
    assert set(shares) == {0.25}
    assert 0.25 not in set(s.measure("explained_variance")["dimensions"]["share"])


def test_an_unknown_analysis_or_setting_is_told(s: Spaces):
    with pytest.raises(InputError, match=r"found 'helicks'; did you mean 'helix'"):
        s.measure("helicks")
    with pytest.raises(InputError, match=r"explained_variance\.yaml: key 'share'"):
        s.measure("explained_variance", share=[0.25])
    with pytest.raises(InputError, match=r"explained_variance\.yaml: key 'shares"):
        s.measure("explained_variance", shares=[2.0])


@pytest.fixture(scope="module")
def in_memory(study: Path, tmp_path_factory: pytest.TempPathFactory) -> Spaces:
    """Spaces of a module of another folder, with a token more than its files have."""
    folder = copytree(study / "models/tiny", tmp_path_factory.mktemp("away") / "tiny")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(study)
        place = f"../{folder.parent.name}/tiny"
        model = transformers.AutoModel.from_pretrained(place)
        tokenizer = transformers.AutoTokenizer.from_pretrained(place)
        tokenizer.add_tokens(["embspace"])
        model.resize_token_embeddings(len(tokenizer))
        assert model.config._name_or_path.startswith("../")
        return embspace.spaces(model, ["a dog"], tokenizer=tokenizer)


def test_a_model_whose_name_is_a_path_has_its_files_in_the_temporary_folder(
    in_memory: Spaces, s: Spaces, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    made = tmp_path / "deep/in/the/temporary/folder/of/measurements"
    made.mkdir(parents=True)
    monkeypatch.setattr("embspace.app.queries.measured.mkdtemp", lambda: str(made))
    table = in_memory.measure("explained_variance")["dimensions"]
    assert table.columns.equals(s.measure("explained_variance")["dimensions"].columns)
    assert [*tmp_path.rglob("*.csv")] == [*made.rglob("*.csv")] != []
    assert [*tmp_path.rglob("*.safetensors")] == [*made.rglob("*.safetensors")] != []


def test_files_of_a_model_in_memory_are_not_read(in_memory: Spaces):
    nouns = [noun for noun in modules() if set(files_read(noun)) == {PIN}]
    assert "architecture" in nouns
    for noun in nouns:
        with pytest.raises(InputError, match=f"found '{noun}', which reads the .*save_pretrained"):
            in_memory.measure(noun)


def test_files_of_a_model_are_found_from_another_folder(
    s: Spaces, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert len(s.measure("architecture"))
