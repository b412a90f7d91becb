"""Any table of texts that pandas or `csv` can write comes back equal, or is refused by name."""

import csv
import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from embspace.errors import InputError
from embspace.files.texts import flaw_of_text, load_texts

# All of Unicode but halves of characters, with more of what breaks lines and cells.
CHARACTERS = st.one_of(
    st.sampled_from(list("\r\n\t,;|\"'\\#=\ufeff\u2028\x85\x1c \0ab")),
    st.characters(exclude_categories=["Cs"]),
)
TEXTS = st.text(CHARACTERS, max_size=12)
# pandas ends a name at a NUL when it writes JSON.
NAMES = st.text(CHARACTERS, min_size=1, max_size=6).filter(lambda name: "\0" not in name)
QUICK = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    n = draw(st.integers(1, 5))
    columns = {"text": draw(st.lists(TEXTS, min_size=n, max_size=n))}
    if draw(st.booleans()):
        columns["id"] = draw(st.lists(NAMES, min_size=n, max_size=n, unique=True))
    for name in draw(st.lists(NAMES, max_size=2, unique=True)):
        if name not in columns:
            columns[name] = draw(st.lists(TEXTS, min_size=n, max_size=n))
    return pd.DataFrame(columns, dtype=object)[draw(st.permutations(list(columns)))]


def comes_back(path: Path, table: pd.DataFrame, **how: Any) -> None:
    """Hold that a file has the table's cells, or is refused with its name."""
    try:
        texts = load_texts(str(path), **how)
    except InputError as error:
        assert str(path) in str(error)
        return
    for column in table:
        assert texts[column].tolist() == table[column].tolist(), column
    if "id" not in table:
        assert texts["id"].tolist() == [str(row) for row in range(1, len(table) + 1)]
    assert not any(map(flaw_of_text, texts["text"]))


def is_plain(table: pd.DataFrame) -> bool:
    """Return whether nothing but characters of words stands in a table, which is never refused."""
    cells = [*table.columns, *table.to_numpy().ravel()]
    return all(cell.isalnum() for cell in cells)


@QUICK
@given(
    table=tables(),
    separator=st.sampled_from([",", ";", "\t", "|", " "]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    end=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig"]),
    packed=st.booleans(),
    by_pandas=st.booleans(),
)
def test_cells_come_back(
    tmp_path: Path,
    table: pd.DataFrame,
    separator: str,
    quoting: Any,
    end: str,
    encoding: str,
    packed: bool,
    by_pandas: bool,
):
    path = tmp_path / ("x.csv.gz" if packed else "x.CSV")
    opener: Any = gzip.open if packed else open
    with opener(path, "wt", encoding=encoding, newline="") as stream:
        if by_pandas:
            table.to_csv(stream, sep=separator, quoting=quoting, lineterminator=end, index=False)
        else:
            writer = csv.writer(stream, delimiter=separator, quoting=quoting, lineterminator=end)
            writer.writerows([list(table.columns), *table.to_numpy().tolist()])
    comes_back(path, table, separator=separator)
    if is_plain(table):
        assert len(load_texts(str(path), separator=separator)) == len(table)


@QUICK
@given(table=tables(), lines=st.booleans(), ascii_only=st.booleans(), packed=st.booleans())
def test_json_comes_back(
    tmp_path: Path, table: pd.DataFrame, lines: bool, ascii_only: bool, packed: bool
):
    ending = (".ndjson.gz" if packed else ".JSONL") if lines else ".json"
    path = tmp_path / f"x{ending}"
    table.to_json(
        path,
        orient="records",
        lines=lines,
        force_ascii=ascii_only,
        compression="gzip" if lines and packed else None,
    )
    comes_back(path, table)


@QUICK
@given(table=tables(), is_index=st.booleans())
def test_parquet_comes_back(tmp_path: Path, table: pd.DataFrame, is_index: bool):
    path = tmp_path / "x.parquet"
    named = table.set_index("id") if is_index and "id" in table else table
    named.to_parquet(path)
    comes_back(path, table)


@pytest.mark.parametrize("text", ['say "hi"', "a, b", 'a\\ "b"', '"'])
@pytest.mark.parametrize("double", [True, False])
def test_an_escape_character_is_refused_or_right(tmp_path: Path, text: str, double: bool):
    table = pd.DataFrame({"id": ["a", "b"], "text": ["plain", text]})
    path = tmp_path / "x.csv"
    table.to_csv(path, index=False, doublequote=double, escapechar="\\")
    if "\\" not in text:  # one that stands twice may be meant
        comes_back(path, table)
