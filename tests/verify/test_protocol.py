from pathlib import Path

import pytest

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
    assert (wrong.kind, wrong.found, wrong.frozen) == ("settings", "not there", "10")


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
