"""The rules for figures notice what breaks them."""

import pytest
from matplotlib.figure import Figure

from embspace.draw.page.canvas import letter_panels, new_figure
from tests.draw import rules


def figure(title: str = "Tokens are alike", n: int = 2) -> Figure:
    made, axes = new_figure(1, n, height_mm=60, title=title, subtitle="s", stage="x")
    for ax in axes:
        ax.set_title("Heading")
        ax.plot([0.123, 4], [0.5, 17.04], label="line")
        ax.set_xticks([1], ["7"])
    made.legend(*axes[0].get_legend_handles_labels(), title="8 lines")
    letter_panels(made)
    return made


@pytest.mark.parametrize(
    ("title", "is_long"),
    [
        ("At layer 3, 12 % of 5 tokens", False),
        ("12 % of 5 tokens and 7 texts", True),
        ("Position 0 and layers 5 and 6 of ±0.2", False),
        ("A word after " * 30, True),
    ],
)
def test_a_title_has_two_lines_and_two_numbers(title: str, is_long: bool):
    assert bool(rules.long_title(figure(title))) == is_long


@pytest.mark.parametrize(
    ("title", "nowhere"),
    [
        ("A share of 12 % and 17.0 in all", ""),
        ("A share of 50 %", ""),
        ("A share of 51 %", "51 %"),
        ("1,704 tokens", "1,704"),
        ("7 tokens", "7"),
        ("8 tokens", ""),
    ],
)
def test_a_number_of_a_title_is_printed_or_drawn(title: str, nowhere: str):
    assert rules.numbers_nowhere(figure(title)) == nowhere


def test_six_panels_are_enough():
    assert not rules.many_panels(figure(n=6))
    assert rules.many_panels(figure(n=7)) == "7"


def test_two_names_have_two_looks():
    made = figure()
    look = {"color": "red", "marker": "o"}
    for name in ("one", "other"):
        made.axes[0].plot([0], [0], label=name, **look)
    made.axes[0].legend()
    assert rules.looks_of_two(made) == "one = other"
    made.axes[0].lines[-1].set_marker("s")
    made.axes[0].legend()
    assert not rules.looks_of_two(made)


def test_a_panel_has_a_heading():
    made = figure()
    assert not rules.panels_without_heading(made)
    made.axes[1].set_title("b", loc="left")
    assert rules.panels_without_heading(made) == "b"


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("| a |\n|---|\n" + "| 1 |\n" * 25, ""),
        ("| a |\n|---|\n" + "| 1 |\n" * 26, "26 rows"),
        ("| a " * 9 + "|\n", "9 columns"),
        ("| a |\n|---|\n| True |\n", "True or False"),
        ("<details>\n" + "| 1 |\n" * 99, ""),
        ("| a |\n|---|\n" + "| `|` \\| |\n", ""),
    ],
)
def test_a_table_is_short_and_narrow(page: str, said: str):
    assert rules.wide_tables(page) == said
