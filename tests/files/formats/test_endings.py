import pytest

from embspace.files.formats.endings import ENDINGS, ending_of, stem_of


@pytest.mark.parametrize(
    ("name", "ending", "stem"),
    [
        ("a/x.csv", ".csv", "x"),
        ("X.CSV.GZ", ".csv.gz", "X"),
        ("x.y.NDJSON", ".ndjson", "x.y"),
        ("x.gz", ".gz", "x"),
        ("s3://bucket/x.Parquet", ".parquet", "x"),
        ("x", "", "x"),
        (".csv", "", ".csv"),
    ],
)
def test_capitals_and_packing_change_nothing(name: str, ending: str, stem: str):
    assert (ending_of(name), stem_of(name)) == (ending, stem)


def test_what_is_read_whole_is_not_packed():
    assert ".parquet.gz" not in ENDINGS and ".tsv.gz" in ENDINGS
