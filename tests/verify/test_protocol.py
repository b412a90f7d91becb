import subprocess
from pathlib import Path

import pytest
import yaml

from embspace.errors import InputError
from embspace.settings.params import read_params
from embspace.verify.protocol import (
    PROTOCOLS,
    check_protocol,
    differences,
    freeze,
    read_protocol,
    state_of,
)
from tests.verify.protocol_tree import RANDOM, make_study, write_code
from tests.verify.tree import put


@pytest.fixture(autouse=True)
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make_study()
    freeze("mine")
    return tmp_path


def message() -> str:
    with pytest.raises(InputError) as error:
        check_protocol("mine")
    return str(error.value)


def test_an_unchanged_tree_fulfills_its_protocol():
    state = check_protocol("mine")
    assert state == read_protocol("mine")
    assert state["params"] == {"params.yaml": {"corpora": ["articles"], "roles": {}, "seed": 0}}
    assert [*state["code"]] == ["measure_shapes", "measure_words"]
    assert state["packages"] == {"numpy": "2.4.6"}


def test_a_setting_a_text_a_model_code_and_a_package_are_named():
    put("conf/measure/words.yaml", "n_pairs: 20\n")
    assert "conf/measure/words.yaml: key 'n_pairs': found 20, frozen: 10" in message()
    put("data/texts/articles.jsonl", '{"id": "1", "text": "The tide was in."}\n')
    put("conf/model/small.yaml", RANDOM.format(seed=1))
    write_code("shapes", added=1)
    put("requirements.lock", "numpy==2.5.0\n")
    named = [line.split(":")[0].strip() for line in message().splitlines()[1:]]
    assert named == [
        "conf/measure/words.yaml",
        "data/texts/articles.jsonl",
        "small",
        "measure_shapes",
        "numpy",
    ]


def test_a_comment_a_drawing_and_a_further_model_are_no_difference():
    code = write_code("words")
    code.write_text(f"# A comment.\n{code.read_text()}")
    put("conf/draw/words.yaml", "height_mm: 10\n")
    put("conf/measure/words.yaml", "# A comment.\nn_pairs: 10\n")
    put("conf/model/large.yaml", RANDOM.format(seed=3))
    params = Path("params.yaml").read_text()
    for models in ("[small, large]", "[large]"):
        put("params.yaml", params.replace("[small]", models))
        check_protocol("mine")


def test_another_seed_is_named():
    put("params.yaml", Path("params.yaml").read_text().replace("seed: 0", "seed: 1"))
    assert "params.yaml: key 'seed': found 1, frozen: 0" in message()


def test_a_setting_that_is_gone_is_not_there():
    frozen = read_protocol("mine")
    Path("conf/measure/words.yaml").unlink()
    (wrong,) = differences(state_of(read_params()), frozen)
    assert (wrong.kind, wrong.current, wrong.frozen) == ("settings", "not there", "10")


def test_an_installed_package_is_the_same_code_as_a_clone(monkeypatch: pytest.MonkeyPatch):
    Path("src").rename("site-packages")
    monkeypatch.setattr("embspace.verify.protocol.source_of", lambda: Path("site-packages"))
    assert check_protocol("mine") == read_protocol("mine")


def test_what_a_model_file_says_of_numbers_is_frozen_and_its_label_is_not():
    said = Path("conf/model/small.yaml").read_text()
    put("conf/model/small.yaml", said.replace("label: Small", "label: Tiny\nnote: mine"))
    check_protocol("mine")
    for key in ("most_documents: 20", "window: 4", "position_offset: 2"):
        put("conf/model/small.yaml", f"{said}\n{key}\n")
        assert "small: found" in message()


def test_a_folder_with_known_files_may_lie_elsewhere(monkeypatch: pytest.MonkeyPatch):
    def hash_at(path: str, files: dict[str, str]) -> str:
        pin = {"source": "path", "path": path, "sha256": files}
        monkeypatch.setattr("embspace.verify.protocol.prepare_model", lambda *_: pin)
        return state_of(read_params())["models"]["small"]

    assert hash_at("here", {"a": "0"}) == hash_at("there", {"a": "0"})
    assert hash_at("here", {"a": "0"}) != hash_at("here", {"a": "1"})
    assert hash_at("here", {}) != hash_at("there", {})


def test_how_a_run_is_trained_is_frozen_and_a_further_run_is_none():
    put("conf/train/sentiment.yaml", "steps: 10\n")
    check_protocol("mine")
    refreeze()
    put("conf/train/sentiment.yaml", "steps: 20\n")
    assert "conf/train/sentiment.yaml: key 'steps': found 20, frozen: 10" in message()


def refreeze() -> None:
    (PROTOCOLS / "mine.yaml").unlink()
    freeze("mine")


def test_a_further_text_in_a_folder_and_a_further_key_are_differences():
    stages = yaml.safe_load(Path("dvc.yaml").read_text())
    stages["stages"]["measure_words"]["deps"].append("data/stimuli/pairs")
    put("dvc.yaml", yaml.safe_dump(stages))
    put("data/stimuli/pairs/one.csv", "a,b\n")
    refreeze()
    put("data/texts/own.jsonl", '{"id": "1", "text": "It rained."}\n')
    put("conf/measure/own.yaml", "n: 1\n")
    check_protocol("mine")  # read by name, and of a further stage
    put("data/stimuli/pairs/two.csv", "c,d\n")
    put("conf/measure/words.yaml", "n_pairs: 10\nmargin: 2\n")
    key, text = message().splitlines()[1:]
    assert key.strip() == "conf/measure/words.yaml: key 'margin': found 2, frozen: not there"
    assert text.strip().startswith("data/stimuli/pairs/two.csv: found")
    assert text.endswith("frozen: not there")


def test_a_text_that_settings_name_is_frozen():
    stages = yaml.safe_load(Path("dvc.yaml").read_text())
    words = stages["stages"]["measure_words"]
    words |= {"vars": ["conf/measure/words.yaml:texts"], "deps": ["${texts}"]}
    put("dvc.yaml", yaml.safe_dump(stages))
    put("conf/measure/words.yaml", "texts: data/stimuli/reviews.jsonl\n")
    put("data/stimuli/reviews.jsonl", "{}\n")
    refreeze()
    put("data/stimuli/reviews.jsonl", "{} \n")
    assert "data/stimuli/reviews.jsonl: found" in message()


def test_a_protocol_is_not_overwritten_by_another_state():
    kept = (PROTOCOLS / "mine.yaml").read_text()
    freeze("mine")
    put("conf/measure/words.yaml", "n_pairs: 20\n")
    with pytest.raises(
        InputError, match=r"mine\.yaml: frozen before; conf/measure/words\.yaml: key"
    ):
        freeze("mine")
    put("conf/measure/words.yaml", "n_pairs: 10\n")
    put("conf/model/large.yaml", RANDOM.format(seed=3))
    put("params.yaml", Path("params.yaml").read_text().replace("[small]", "[large]"))
    with pytest.raises(InputError, match="other entries or models; remove the file"):
        freeze("mine")
    assert (PROTOCOLS / "mine.yaml").read_text() == kept


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".x"])
def test_the_name_of_a_protocol_is_a_file_name(name: str):
    with pytest.raises(InputError, match="--protocol: found"):
        freeze(name)


def test_a_protocol_names_its_commit(study: Path):
    def git(*arguments: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        command = ["git", *who, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def commit() -> str:
        refreeze()
        return yaml.safe_load((PROTOCOLS / "mine.yaml").read_text())["commit"]

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "all")
    assert commit() == git("rev-parse", "HEAD")
    put("conf/measure/words.yaml", "n_pairs: 20\n")
    assert commit() == f"{git('rev-parse', 'HEAD')}, with changes"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("yours", None, "--protocol: found 'yours', allowed: mine; `embspace verify --protocol"),
        ("mine", "protocol: mine\n", "mine.yaml: key 'params' is missing"),
        ("mine", "[]", "mine.yaml: expected keys and values, found []"),
    ],
)
def test_an_unknown_or_broken_protocol_is_refused(name: str, content: str | None, words: str):
    if content:
        put(str(PROTOCOLS / f"{name}.yaml"), content)
    with pytest.raises(InputError) as error:
        read_protocol(name)
    assert words in str(error.value)


def test_the_name_is_that_of_the_file():
    (PROTOCOLS / "mine.yaml").rename(PROTOCOLS / "yours.yaml")
    with pytest.raises(InputError, match="key 'protocol': found 'mine', allowed: 'yours'"):
        read_protocol("yours")
