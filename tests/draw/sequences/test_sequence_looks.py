"""Holds looks of classes and the axis of codons."""

import pandas as pd
from matplotlib.figure import Figure

from embspace.draw.sequences.sequence_looks import (
    first_run,
    in_words,
    rows_of_run,
    show_codons,
    words_of,
)
from tests.draw.sequences.tables import places


def test_the_first_run_by_name_is_shown() -> None:
    table = pd.DataFrame({"run": ["b", "a", "a"], "x": [1, 2, 3]})
    assert first_run(pd.DataFrame(), table) == "a"
    assert rows_of_run(table, "a")["x"].tolist() == [2, 3]
    assert first_run(pd.DataFrame()) == ""
    assert words_of("rna_encoder") == "RNA encoder"


def test_a_codon_is_marked_where_it_lies_and_numbers_stand_apart() -> None:
    ax = Figure().add_subplot()
    ax.set_xlim(0, 12)
    show_codons(ax, pd.DataFrame(places()), [5, 4, 6])
    marks = [(text.get_text(), text.xy[0]) for text in ax.texts]
    assert marks == [("4", 1.0), ("5", 4 / 3), ("6", 5 / 3)]  # codon 4 is shared by places 0 and 1
    written = [text.get_position()[0] for text in ax.texts]
    assert min(b - a for a, b in zip(written, written[1:], strict=False)) > 1.5


def test_without_codons_the_axis_has_those_of_the_k_mers() -> None:
    ax = Figure().add_subplot()
    show_codons(ax, pd.DataFrame(places()), [])
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "31"]


def test_verdicts_are_yes_or_no() -> None:
    assert in_words(pd.Series([True, "False", None])).tolist()[:2] == ["yes", "no"]
