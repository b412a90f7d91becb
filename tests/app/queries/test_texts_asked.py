import json
from typing import Any

import pytest

from embspace.app.queries.texts_asked import as_json_lines, checked_texts
from embspace.errors import InputError


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("a text", "found one string"),
        (None, "found None, expected a list of strings"),
        (7, "expected a list of strings"),
        ([], "found none"),
        (["a", 3], "text 2 is 3, not a string"),
        (["a", " \n"], "text 2 is empty"),
        (["\ud800"], "text 1 is not UTF-8"),
    ],
)
def test_what_is_no_list_of_texts_is_told(texts: Any, message: str):
    with pytest.raises(InputError, match=f"texts: .*{message}|texts: {message}"):
        checked_texts(texts)


def test_texts_become_lines_of_json_numbered_from_one():
    texts = checked_texts(iter(["ä\nb", '"c"']))
    lines = [json.loads(line) for line in as_json_lines(texts).decode().splitlines()]
    assert lines == [{"id": "1", "text": "ä\nb"}, {"id": "2", "text": '"c"'}]
