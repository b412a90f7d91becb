import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from embspace.draw.compare.ledger import SUBJECTS, draw_ledger
from embspace.draw.page.looks import VERDICTS
from embspace.measure.compare.ledger import LEDGER
from embspace.measure.compare.ledger import ROWS as ROW_COLUMNS
from embspace.published.untrained import beside_untrained
from tests.draw.fits import assert_words_fit

SETTINGS = {"height_mm": 100.0, "digits": 2}
ROWS = [
    ("claim", "4.10", "norms are above one", "matches", 1.25),
    ("claim", "4.2.1", "steps are long", "differs", 0.5),
    ("number", "4.2.1", "norm", "not checkable", 3.0),
    ("undecided", "3.2", "table 1", "lost in the source", None),
]


NO_RULES = LEDGER.tables["rules"].of()


def table(rows: list[tuple[object, ...]], untrained: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the ledger of a model whose rows are these, and whose twin has others."""
    twin = None if untrained is None else untrained.assign(draws=1)
    return beside_untrained(verdicts(rows), twin)


def verdicts(rows: list[tuple[object, ...]]) -> pd.DataFrame:
    keys = ["kind", "section", "statement", "verdict", "value"]
    return (
        pd.DataFrame(rows, columns=keys)
        .assign(page=5, source="A. Author (2024), a thesis", about="weights")
        .assign(rule=lambda table: table["statement"])
        .reindex(columns=[*ROW_COLUMNS])
    )


def draw(rows: pd.DataFrame, rules: pd.DataFrame = NO_RULES) -> tuple[Figure, str]:
    return draw_ledger({"csv": rows, "rules": rules}, "a model", **SETTINGS)


def test_a_bar_a_section_in_the_order_of_the_thesis():
    figure, _ = draw(table(ROWS))
    assert_words_fit(figure)
    claims, totals = figure.axes
    assert [tick.get_text() for tick in claims.get_yticklabels()] == [
        "4.10",
        f"4.2.1  {SUBJECTS['4.2.1']}",
    ]
    widths = {bar.get_label(): [patch.get_width() for patch in bar] for bar in claims.containers}
    assert widths == {"matches": [1, 0], "differs": [0, 1]}
    colors = {bar.get_label(): to_rgb(bar.patches[0].get_facecolor()) for bar in claims.containers}
    looks = {look.name: to_rgb(look.color) for look in VERDICTS.values()}
    assert colors == {name: looks[name] for name in colors}
    bars = {
        tick.get_text(): bar
        for tick, bar in zip(totals.get_yticklabels(), totals.patches, strict=True)
    }
    assert {name: bar.get_width() for name, bar in bars.items()} == {"matches": 1, "differs": 1}
    assert {name: to_rgb(bar.get_facecolor()) for name, bar in bars.items()} == colors


def test_a_section_of_few_claims_and_what_cannot_be_checked_have_no_bar():
    many = [("claim", "4.2.1", f"claim {number}", "matches", 1.0) for number in range(3)]
    unknown = [("claim", "5", f"{number} more", "not checkable", 1.0) for number in range(3)]
    figure, _ = draw(table([*many, *unknown, ROWS[0]]))
    sections, totals = figure.axes
    assert [tick.get_text()[:5] for tick in sections.get_yticklabels()] == ["4.2.1"]
    assert {text.get_text() for text in sections.texts} == {"3"}
    assert [text.get_text() for text in totals.texts] == ["4", "3"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ROWS, "1 of 2 checkable claims matches; the others differ"),
        (ROWS[:1], "1 of 1 checkable claim matches"),
        (
            [*ROWS, ("claim", "5", "?", "undecided", 1), ("claim", "5", "?", "not checkable", 1)],
            "1 of 3 checkable claims matches; the others differ or are not decided",
        ),
    ],
)
def test_the_title_counts_the_verdicts_on_claims(rows: list[tuple[object, ...]], said: str):
    figure, _ = draw(table(rows))
    assert " ".join(figure.get_suptitle().split()) == said
    n = " ".join(text.get_text() for text in figure.texts)
    claims = [row for row in rows if row[0] == "claim"]
    assert f"{len(claims)} published claim" in n
    n_checkable = sum(row[3] != "not checkable" for row in claims)
    assert figure.axes[1].get_title("left") == f"All claims, {n_checkable} checkable"


def test_claims_and_numbers_have_a_table_each():
    _, text = draw(table(ROWS))
    first, _, rest = text.partition("<details>")
    assert "steps are long" in first and "norms are above one" not in first
    claims, _, numbers = rest.partition("## Numbers")
    assert "norms are above one" in claims
    assert "1.25" in claims
    assert "lost in the source" in numbers
    assert "norms are above one" not in numbers


def test_each_value_says_of_what_it_is():
    rows = table(ROWS).assign(statistic="mean norm", low=0.4, high=0.6)
    _, text = draw(rows)
    first, _, claims, numbers = (p for p in text.split("\n\n") if p.startswith("|"))
    for section in (first, claims):
        assert "| statistic " in section and "value of the statistic |" in section
        assert "[0.40, 0.60]" in section
    assert "value of this model |" in numbers and "statistic" not in numbers


def test_a_page_is_a_whole_number_though_another_row_has_none():
    rows = table(ROWS)
    rows["page"] = [17.0, 18.0, 19.0, None]
    _, text = draw(rows)
    assert " 17 |" in text
    assert "17.0" not in text


def test_a_ledger_without_claims_is_drawn():
    figure, text = draw(table(ROWS[2:]))
    assert_words_fit(figure)
    assert "None." in text


def test_a_source_without_sections_is_one_bar_of_its_own():
    rows = table([*ROWS, ("claim", None, "cosine", "matches", 0.5)])
    figure, _ = draw(rows)
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()][0] == "Author 2024"


def test_sections_of_other_sources_are_not_those_of_the_thesis():
    other = table([("claim", "4.2.1", "it grows", "matches", 0.5)])
    other["source"] = "Writer et al. (2025), a paper"
    figure, _ = draw(pd.concat([table(ROWS), other]))
    ticks = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert ticks == ["Writer 2025", "4.10", f"4.2.1  {SUBJECTS['4.2.1']}"]


def test_the_title_counts_no_claim_that_holds_untrained_too():
    rows = [*ROWS, ("claim", "5", "words tell", "matches", 0.7)]
    random = [("claim", "4.10", "norms are above one", "matches", 1.1)]
    random += [("claim", "5", "words tell", "differs", 0.2)]
    figure, text = draw(table(rows, verdicts(random)))
    assert_words_fit(figure)
    assert " ".join(figure.get_suptitle().split()) == (
        "1 of 3 checkable claims matches; the others differ or also hold untrained"
    )
    assert "holds, but also untrained" in {bar.get_label() for bar in figure.axes[0].containers}
    assert "holds, but also untrained" in text


def test_a_family_says_how_many_may_hold_by_chance():
    rows = table(ROWS).assign(rests_on="interval")
    _, text = draw(rows)
    families = text.partition("## By question")[2].partition("<details>")[0]
    row = next(line for line in families.splitlines() if "section 4.2.1" in line)
    assert row.split("|")[2:4] == [" 1 ", " 0 "] or "0.05" in row


def test_a_claim_asked_in_several_ways_has_a_row_a_way():
    rules = pd.DataFrame({"row": [1, 1], "statement": "norms are above one"})
    rules = rules.assign(asked_at=["perplexity 30", "perplexity 60"], verdict="matches")
    _, text = draw(table(ROWS), LEDGER.tables["rules"].of(rules))
    assert "perplexity 60" in text
