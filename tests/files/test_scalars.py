from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.files.scalars import load_scalars, save_scalars


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_nested_numbers_keep_six_digits_and_their_order():
    save_scalars({"b": {"cosine": 0.123456789}, "a": 10**12, "name": "ü"}, "x.json")
    assert load_scalars("x.json") == {"b": {"cosine": 0.123457}, "a": 10**12, "name": "ü"}
    assert Path("x.json").read_text().index('"b"') < Path("x.json").read_text().index('"a"')


def test_nan_becomes_null_and_infinity_is_refused():
    save_scalars({"x": float("nan")}, "x.json")
    assert load_scalars("x.json") == {"x": None}
    with pytest.raises(ValueError, match="JSON compliant"):
        save_scalars({"x": float("inf")}, "x.json")


def test_broken_json_names_the_file():
    Path("x.json").write_text("{")
    with pytest.raises(InputError, match=r"x\.json: is no JSON"):
        load_scalars("x.json")
