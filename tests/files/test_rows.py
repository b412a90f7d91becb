from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.files.rows import load_rows, save_rows


@pytest.fixture(autouse=True)
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_table_comes_back_and_gives_the_same_bytes_again():
    table = pd.DataFrame({"id": [0, 1], "token": ["nan", "##ß"], "special": [True, False]})
    save_rows(table, "x.parquet")
    first = Path("x.parquet").read_bytes()
    save_rows(load_rows("x.parquet"), "x.parquet")
    assert Path("x.parquet").read_bytes() == first
    pd.testing.assert_frame_equal(load_rows("x.parquet"), table, check_dtype=False)


def test_something_else_than_parquet_is_refused():
    Path("x.parquet").write_text("no")
    with pytest.raises(InputError, match=r"x\.parquet: is no parquet table"):
        load_rows("x.parquet")
