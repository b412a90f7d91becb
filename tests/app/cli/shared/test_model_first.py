import json
from pathlib import Path

import pytest

from embspace.app.cli.shared.model_first import model_and_words, model_first
from embspace.errors import InputError
from tests.verify.tree import put


def test_the_model_is_the_first_word(capsys: pytest.CaptureFixture[str]):
    assert model_first("cosine", ["m", "a", "b"], None, ["TEXT", "TEXT"]) == ("m", ["a", "b"])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("option", "model"), [(None, "minilm"), ("other", "other")])
def test_the_older_order_works_with_a_line_that_says_what_to_write(
    capsys: pytest.CaptureFixture[str], option: str | None, model: str
):
    assert model_first("search", ["a boat's sail"], option, ["QUERY"]) == (model, ["a boat's sail"])
    said = capsys.readouterr().err
    assert said == f"the model comes first: embspace search {model} 'a boat'\"'\"'s sail'\n"


@pytest.mark.parametrize(
    ("words", "option"), [([], None), (["m", "a", "b"], None), (["m", "a"], "other")]
)
def test_other_numbers_of_words_are_refused(words: list[str], option: str | None):
    with pytest.raises(InputError, match="track: found .*, allowed: MODEL TEXT"):
        model_first("track", words, option, ["TEXT"])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with a model, one of the hub, a fetched repository, a report and a folder."""
    for name in ("known", "hub"):
        put(str(tmp_path / f"conf/model/{name}.yaml"), f"label: {name}\nsource: hub\n")
    (tmp_path / "conf/model/hub.yaml").write_text("source: hub\nrepository: me/hub\n")
    put(str(tmp_path / "params.yaml"), "models: [known]\n")
    put(str(tmp_path / "dvc.yaml"), "stages: {}\n")
    lock = {"repository": "me/fetched", "revision": "main", "commit": "0" * 40}
    files = {"config.json": {"sha256": "0" * 64, "size": 2}}
    put(str(tmp_path / "models.lock"), json.dumps({"me_fetched": {**lock, "files": files}}))
    put(str(tmp_path / "mine/config.json"), "{}")
    for folder in (".cache/trees/mine-01234567", "reports/mine-01234567+all", "salt/pepper"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


MODELS = ("known", "hub", "me/hub", "me/fetched", "mine", "./mine", "mine-01234567")
REPORTS = ("mine-01234567+all", "reports/mine-01234567+all")
NONE = ("", ".", "..", "/", "a/b", "and/or", "salt", "salt/pepper", "../..", "conf/model/known")


@pytest.mark.parametrize("word", [*MODELS, *REPORTS])
@pytest.mark.usefixtures("here")
def test_the_first_of_any_number_of_words_is_a_model_that_is_here(word: str):
    assert model_and_words("lookup", [word, "pepper"], None, "WORD") == (word, ["pepper"])


@pytest.mark.parametrize("word", NONE)
@pytest.mark.usefixtures("here")
def test_what_names_no_model_is_a_word(word: str):
    assert model_and_words("lookup", [word, "x"], None, "WORD") == ("minilm", [word, "x"])


@pytest.mark.usefixtures("here")
def test_a_word_that_is_nearly_a_model_is_asked_back():
    with pytest.raises(InputError, match=r"'knwon' is no model; did you mean 'known'\?"):
        model_and_words("lookup", ["knwon", "pepper"], None, "WORD")
    assert model_and_words("lookup", ["knwon", "x"], "known", "WORD") == ("known", ["knwon", "x"])
    assert model_and_words("lookup", ["knwon"], None, "WORD") == ("minilm", ["knwon"])
