import os
from pathlib import Path

import pytest
import yaml
from pydantic import Field

from embspace.errors import InputError
from embspace.settings.params import Params
from embspace.settings.schema import Strict, read_yaml, validate


def test_a_list_at_the_top_of_a_settings_file_is_refused(tmp_path: Path):
    (tmp_path / "x.yaml").write_text("- a\n")
    with pytest.raises(InputError, match="expected keys and values"):
        read_yaml(tmp_path / "x.yaml")


def test_a_path_that_is_no_file_is_named(tmp_path: Path):
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_yaml(tmp_path)


def test_a_pipe_is_named_and_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "x.yaml")
    with pytest.raises(InputError, match=r"x\.yaml: cannot be read: found a pipe"):
        read_yaml(tmp_path / "x.yaml")


def test_an_unknown_key_is_answered_with_the_likeliest():
    given = {"models": ["m"], "corpora": ["c"], "sead": 0, "device": "cpu"}
    with pytest.raises(InputError, match="'sead' is unknown; .*; did you mean 'seed'"):
        validate(Params, given, "params.yaml")


@pytest.mark.parametrize("text", ["a: 1\nb: 2\na: 3\n", "c: {a: 1, b: 2, a: 3}\n"])
def test_a_key_that_stands_there_twice_is_told(tmp_path: Path, text: str):
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(
        InputError, match=r"x\.yaml: is not YAML: key 'a' stands there twice, below"
    ):
        read_yaml(tmp_path / "x.yaml")


def test_what_was_found_is_told_in_short_however_long_it_is(tmp_path: Path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)]
    (tmp_path / "x.yaml").write_text("\n".join([*lines, "seed: *a8", "models: *a8"]))
    with pytest.raises(InputError, match="key 'seed': ") as caught:
        validate(Params, read_yaml(tmp_path / "x.yaml"), "x.yaml")
    assert len(str(caught.value)) < 10_000


class Level(Strict):
    level: float
    names: list[str] = Field(min_length=2)


@pytest.mark.parametrize(
    ("text", "typed"), [("1e-5", "1.0e-05"), ("0.5", "0.5"), ("2", "2.0"), ("-3E4", "-30000.0")]
)
def test_a_number_that_yaml_takes_for_text_is_shown_as_yaml_takes_it(text: str, typed: str):
    with pytest.raises(
        InputError, match="key 'level': .*found .*; write it as a number:"
    ) as caught:
        validate(Level, {"level": text, "names": ["a", "b"]}, "x.yaml")
    shown = str(caught.value).split("\n")[1]
    assert shown == f"  level: {typed}"
    assert yaml.safe_load(shown) == {"level": float(text)}


@pytest.mark.parametrize("wrong", ["nan", "many", None])
def test_what_is_no_number_has_no_hint(wrong: object):
    with pytest.raises(InputError, match=f"found {wrong!r} .*\\)$"):
        validate(Level, {"level": wrong, "names": ["a", "b"]}, "x.yaml")


def test_a_short_list_is_told_how_many_it_takes():
    with pytest.raises(InputError, match=r"should have at least 2 items, found \['a'\] \(list\); "):
        validate(Level, {"level": 1.0, "names": ["a"]}, "x.yaml")
