import io
from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.files.formats.arrow_rows import arrow_rows, saved_files
from embspace.files.formats.row import NoRow
from embspace.files.texts import load_texts


def test_rows_are_read_from_any_one_on(tmp_path: Path):
    pd.DataFrame({"a": range(10), "b": range(10)}).to_parquet(tmp_path / "x", row_group_size=3)
    content = (tmp_path / "x").read_bytes()
    for first in range(11):
        rows = list(arrow_rows(io.BytesIO(content), ".parquet", "x", columns=["b"], first=first))
        assert rows == [(row + 1, {"b": row}) for row in range(first, 10)]


def test_a_value_that_is_none_is_a_reason(tmp_path: Path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = pa.array([b"one", b"\xff", b"two"]).view(pa.string())
    pq.write_table(pa.table({"text": texts}), tmp_path / "x")
    rows = list(arrow_rows((tmp_path / "x").open("rb"), ".parquet", "x"))
    assert rows[0] == (1, {"text": "one"}) and rows[2] == (3, {"text": "two"})
    assert isinstance(rows[1][1], NoRow)


def test_names_that_are_an_index_are_not_lost(tmp_path: Path):
    table = pd.DataFrame({"id": ["b", "a"], "text": ["B", "A"]}).set_index("id")
    table.to_parquet(tmp_path / "x.parquet")
    assert load_texts(str(tmp_path / "x.parquet"))["id"].tolist() == ["b", "a"]


def test_whole_numbers_beside_missing_ones_stay_whole(tmp_path: Path):
    table = pd.DataFrame({"n": pd.array([7, None], dtype="Int64"), "text": ["A", "B"]})
    table.to_parquet(tmp_path / "x.parquet")
    assert load_texts(str(tmp_path / "x.parquet"))["n"].tolist()[0] == 7


def test_a_folder_that_datasets_has_saved_is_a_table(tmp_path: Path):
    from datasets import Dataset, DatasetDict

    table = {"id": ["b", "a"], "text": ["B\r\n€", "A"], "label": [1, 0]}
    Dataset.from_dict(table).save_to_disk(tmp_path / "saved", num_shards=2)
    texts = load_texts(str(tmp_path / "saved"))
    assert texts.to_dict("list") == table
    DatasetDict({"train": Dataset.from_dict(table)}).save_to_disk(tmp_path / "splits")
    with pytest.raises(InputError, match=r"splits: holds several splits; allowed: one, .*/train"):
        load_texts(str(tmp_path / "splits"))
    assert len(load_texts(str(tmp_path / "splits/train"))) == 2
    with pytest.raises(InputError, match="is a folder; allowed: a file, or a folder that `save"):
        load_texts(str(tmp_path))
    (tmp_path / "state.json").write_text('{"_data_files": [{"filename": "../x"}]}')
    with pytest.raises(InputError, match="names no files of a data set"):
        saved_files(tmp_path)
