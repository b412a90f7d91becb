import numpy as np
import pandas as pd

from embspace.files.rows import load_rows, save_rows
from embspace.measure.tables.deviations import COLUMNS, by_row, units_named, without_deviations


def table_of(deviations: np.ndarray) -> pd.DataFrame:
    """Two rows, of which the second has no halves."""
    table = pd.DataFrame({"layer": [0, 1], "mean": [0.5, 0.25], **units_named("abcd")})
    table["mean_deviations"] = by_row(deviations)
    table.loc[1, "mean_deviations"] = None
    return table


def test_each_row_has_the_deviations_of_all_draws():
    deviations = np.arange(12.0).reshape(2, 3, 2)
    rows = by_row(deviations)
    assert [row.tolist() for row in rows] == [[n, n + 6] for n in range(6)]
    assert rows[0].dtype == np.float32
    assert [len(row) for row in by_row(deviations[:0])] == [0] * 6


def test_a_digest_knows_units_and_their_order():
    assert units_named("abc") == units_named(["a", "b", "c"])
    digests = {units_named(names)["units"] for names in ("abc", "acb", "abd", "ab")}
    assert len(digests) == 4
    assert units_named([1, 2])["n_units"] == 2


def test_tables_are_published_without_what_is_kept_apart(tmp_path):
    one = table_of(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    two = pd.DataFrame({"layer": [0], "mean": [1.0]})
    tables, kept = without_deviations({"one": one, "two": two})
    assert [list(table) for table in tables.values()] == [["layer", "mean"]] * 2
    save_rows(kept, str(tmp_path / "kept.parquet"))
    (row,) = load_rows(str(tmp_path / "kept.parquet")).to_dict("records")
    assert list(row) == COLUMNS
    assert (row["table"], row["row"], row["quantity"], row["n_units"]) == ("one", 0, "mean", 4)
    assert row["deviations"].tolist() == [1, 3, 5]


def test_nothing_is_kept_of_tables_without_rows(tmp_path):
    _, kept = without_deviations({"one": table_of(np.zeros((3, 2)))[:0]})
    save_rows(kept, str(tmp_path / "none.parquet"))
    assert list(load_rows(str(tmp_path / "none.parquet"))) == COLUMNS
    assert kept.empty
