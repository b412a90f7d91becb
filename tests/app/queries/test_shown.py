"""Notebooks show answers as the terminal does, tables below their names, and no one's markup."""

import pandas as pd

from embspace.app.queries.cosine import Comparison
from embspace.app.queries.read import Reading
from embspace.app.queries.shown import ShownAsText, ShownTables, as_list
from embspace.app.queries.track import Track, TrackOptions


def test_an_answer_has_its_lines():
    reading = Reading("m, layer 1 <b>", [("cat", 1.0)], [("dog", -1.0)])
    shown = reading._repr_html_()
    assert shown.startswith("<pre>m, layer 1 &lt;b&gt;\n") and "its negation\n" in shown
    track = Track("t", TrackOptions(), [])
    assert "own" not in track.title and issubclass(Track, ShownAsText)
    assert issubclass(Comparison, ShownAsText)


def test_tables_stand_below_their_names():
    tables = ShownTables(a=pd.DataFrame({"x": ["<i>", "z"]}), b=pd.DataFrame({"y": [1.5]}))
    shown = tables._repr_html_()
    assert shown.index("<h4>a</h4>") < shown.index("&lt;i&gt;") < shown.index("<h4>b</h4>")
    assert tables["b"]["y"].tolist() == [1.5]


def test_a_list_has_a_row_a_name():
    assert as_list("t <", {'s["a"]': "b & c"}).count("<tr>") == 1
    assert "t &lt;" in as_list("t <", {}) and "b &amp; c" in as_list("t", {"a": "b & c"})
