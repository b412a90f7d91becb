"""Tables are found by the noun of their analysis; see tests/app/test_api.py for what they hold."""

from pathlib import Path

import pytest

from embspace.app.queries.tables import Tables


@pytest.mark.parametrize(
    ("noun", "name", "message"),
    [
        ("alikeness", None, "found 'alikeness'; there are .*similarity"),
        ("similarty", None, r"'similarty'; did you mean 'similarity'\? there are "),
        ("similarity", "x", "of 'similarity', found 'x'; there are histogram, pairs"),
        ("positions", None, "of 'positions', found None; there are nulls, profiles, properties"),
        ("cubes", None, "found 'cubes'"),  # of no model
        ("dynamics", None, "of what `trained` in params.yaml names, .* `embspace run dynamics`"),
    ],
)
def test_an_unknown_table_is_told_with_those_there_are(
    root: Path, noun: str, name: str | None, message: str
):
    tables = Tables("minilm", "minilm", "texts", b'{"id": "1", "text": "a"}\n', root)
    with pytest.raises(KeyError, match=message):
        tables.table(noun, name)
