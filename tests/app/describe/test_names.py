from pathlib import Path

from embspace.app.describe.description import description_of
from embspace.app.describe.find import find_model
from embspace.app.describe.names import placed
from tests.tiny import build_tiny_bert


def test_a_folder_called_as_what_is_no_model_has_another_name(root: Path, tmp_path: Path):
    folder = build_tiny_bert(tmp_path / "toy")
    assert find_model(str(folder), root, None).name.startswith("toy_model-")


def test_the_file_that_the_shell_makes_first_is_no_description(root: Path, tmp_path: Path):
    folder = build_tiny_bert(tmp_path / "mine")
    target = root / "conf/model/mine.yaml"
    target.write_text("")  # embspace describe FOLDER > conf/model/mine.yaml
    target.write_text(description_of(find_model(str(folder), root, None), root))
    assert find_model("mine", root, None).described is None
    assert find_model(str(folder), root, None).name == "mine"


def test_a_name_stays_a_name_beside_a_folder_of_that_name(tmp_path: Path):
    (tmp_path / "conf/model").mkdir(parents=True)
    (tmp_path / "conf/model/minilm.yaml").write_text("")
    for name in ("minilm", "mine", "texts"):
        (tmp_path / name).mkdir()
    for name in ("minilm", "mine"):
        (tmp_path / name / "config.json").write_text("{}")
    assert placed("minilm", tmp_path, tmp_path) == "minilm"
    assert placed("mine", tmp_path, tmp_path) == str(tmp_path / "mine")
    assert placed("./minilm", tmp_path, tmp_path) == str(tmp_path / "minilm")
    assert [placed(name, tmp_path, tmp_path) for name in ("texts", "", "nothing")] == [
        *("texts", "", "nothing")
    ]
