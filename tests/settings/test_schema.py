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


def test_an_unknown_key_is_answered_with_the_likeliest():
    given = {"models": ["m"], "corpora": ["c"], "sead": 0, "device": "cpu"}
    with pytest.raises(InputError, match="'sead' is unknown; .*; did you mean 'seed'"):
        validate(Params, given, "params.yaml")
