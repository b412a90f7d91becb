"""Reads curves and tables of joined layers back."""

import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.compare.model_stitching import JOINS
from embspace.draw.compare.model_stitching import draw_model_stitching
from tests.compare.stitched import DIM, strangers, turned_pair
from tests.compare.test_model_stitching import joined


def drawn(table: pd.DataFrame) -> tuple[Figure, str]:
    return draw_model_stitching({"csv": table}, "one--two", height_mm=112.0, digits=3)


@pytest.fixture(scope="module")
def turned() -> pd.DataFrame:
    return joined(turned_pair())


def title_of(figure: Figure) -> str:
    assert figure._suptitle is not None  # type: ignore[attr-defined]
    return " ".join(figure._suptitle.get_text().split())  # type: ignore[attr-defined]


def test_curves_are_those_of_the_table(turned: pd.DataFrame) -> None:
    figure, _ = drawn(turned)
    assert [ax.get_title(loc="left") for ax in figure.axes[:2]] == [
        "Last states: one below two",
        "Last states: two below one",
    ]
    lines = {str(line.get_label()): line for line in figure.axes[0].lines}
    rows = turned[(turned["lower_model"] == "one") & (turned["weights"] == "own")]
    shown = rows[rows["stitch"] == "vocabulary"]["cosine"].tolist()
    assert [*lines["through the vocabulary: 6 of 6 join"].get_ydata()] == pytest.approx(shown)
    assert {
        "as they are: 0 of 6 join",
        "trained stitch",
        "trained, random weights below",
    } <= lines.keys()


def test_marks_of_layers_that_join_are_filled(turned: pd.DataFrame) -> None:
    lines = drawn(turned)[0].axes[0].lines
    has_marks = [line.get_marker() in ("o", "s") and line.get_markevery() != [] for line in lines]
    marks = [line for line, shows in zip(lines, has_marks, strict=True) if shows]
    filled = {line.get_marker(): line.get_markerfacecolor() != "white" for line in marks}
    assert filled == {"o": True, "s": False}
    assert all(0 not in line.get_xdata() for line in marks)  # layer 0 has no verdict


def test_marks_of_no_block_below_have_an_entry_of_the_legend(turned: pd.DataFrame) -> None:
    legend = drawn(turned)[0].legends[0]
    entries = zip(legend.get_texts(), legend.legend_handles, strict=True)
    marks = {text.get_text(): getattr(handle, "get_marker", str)() for text, handle in entries}
    one, other = marks["no block below, vocabulary"], marks["no block below, as they are"]
    assert one != other
    assert marks["0.5, the bound"] not in (one, other)


def test_the_title_counts_joined_layers(turned: pd.DataFrame) -> None:
    said = title_of(drawn(turned)[0])
    assert said == (
        "Of the pairs of layers of one and two, 0 join as they are and 6 join through the "
        "vocabulary, better than the upper blocks alone"
    )


def test_verdicts_stand_first_and_all_stitches_behind_the_fold(turned: pd.DataFrame) -> None:
    _, text = drawn(turned)
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## Verdicts", "## one below two", "## two below one"]
    first, rest = text.split("<details>")
    assert first.count("| joins ") == 6
    assert "shuffled tokens" in rest and "trained, random weights below" in rest


@pytest.mark.parametrize(("verdict", "verb"), [("open", "surely join"), ("does not join", "join")])
def test_the_title_tells_open_verdicts_from_none(
    turned: pd.DataFrame, verdict: str, verb: str
) -> None:
    figure, _ = drawn(turned.assign(verdict=turned["verdict"].replace("joins", verdict)))
    assert (
        title_of(figure) == f"No layers of one and two {verb} as they are or through the vocabulary"
    )
    subtitle = " ".join(" ".join(words.get_text() for words in figure.texts).split())
    assert (
        "filled: surely above 0.5, random stitches, random weights and no block below" in subtitle
    )


def test_models_of_unlike_width_have_no_word_on_states_as_they_are() -> None:
    figure, text = drawn(joined(strangers(dim=2 * DIM)))
    assert title_of(figure) == "No layers of one and two join through the vocabulary"
    assert "as they are" not in text


def test_a_pair_that_is_not_compared_says_why() -> None:
    figure, text = drawn(JOINS.of([{"reason": "one: has no blocks"}]))
    assert title_of(figure) == "Layers of one and two cannot be compared by joining them"
    assert "Not compared: one: has no blocks." in text
