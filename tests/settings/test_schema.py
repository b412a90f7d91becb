import os
from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.settings.params import Params
from embspace.settings.schema import read_yaml, validate


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
