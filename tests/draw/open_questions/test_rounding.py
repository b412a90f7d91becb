from typing import Any

import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.draw.open_questions.rounding import draw_rounding
from embspace.measure.open_questions.rounding import ROUNDING
from embspace.settings.schema import read_yaml
from tests.analyses import ROOT, as_drawn, settings_of
from tests.measure.open_questions.test_rounding import measured

CONF = "conf/measure/open_questions/rounding.yaml"


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measured()


def drawn(given: Outcome) -> Any:
    results = as_drawn(ROUNDING, given, **{CONF: read_yaml(ROOT / CONF)})
    return draw_rounding(results, "a model", **settings_of(draw_rounding))


def test_lines_are_the_tables_and_gray_is_full_precision(outcome: Outcome):
    figure, _ = drawn(outcome)
    likeness, cosine = figure.axes[:2]
    rows = outcome["likeness"].query("bits == 2 and scales == 'block'")
    lines = {line.get_label(): line for line in likeness.lines}
    assert lines["2 bits"].get_ydata() == pytest.approx(rows["neighbors_kept"].to_numpy())
    (band,) = cosine.collections
    full = outcome["csv"].query("bits == 16 and scales == 'block' and measure == 'mean_cosine'")
    ends = band.get_paths()[0].vertices[:, 1]
    assert ends.min() == pytest.approx(full["full_low"].min())
    assert ends.max() == pytest.approx(full["full_high"].max())


@pytest.mark.parametrize(
    ("verdicts", "title", "said"),
    [
        (
            {16: "keeps", 2: "flips"},
            "With weights of 16 bits, one scale a block, all measures stay in their intervals; at "
            "2 some do not",
            ["2 bits: 72 %"],
        ),
        (
            {16: "keeps", 2: "keeps"},
            "Every measure of every layer stays in its interval down to 2 bits, one scale a block",
            [],
        ),
        ({16: "open", 2: "flips"}, "At no number of bits do all measures stay", ["16 bits: 100 %"]),
    ],
)
def test_the_title_names_the_fewest_bits(
    outcome: Outcome, verdicts: dict, title: str, said: list[str]
):
    table = outcome["csv"].assign(verdict=outcome["csv"]["bits"].map(verdicts))
    figure, _ = drawn({**outcome, "csv": table})
    assert title in " ".join(figure.get_suptitle().split())
    assert [text.get_text() for text in figure.axes[0].texts] == said


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        ("hubness", "hubness"),
        ("mean_cosine", "mean cosine"),
        ("two_nn", "TwoNN dimension"),
        ("reciprocal_rank", "reciprocal rank"),
    ],
)
def test_a_single_measure_that_leaves_has_a_short_name_in_the_title(
    outcome: Outcome, measure: str, name: str
):
    table = outcome["csv"]
    leaves = (table["bits"] == 2) & (table["measure"] == measure)
    rows = table[leaves | (table["bits"] == 16)]
    if not leaves.any():
        rows = pd.concat([rows, table[table["bits"] == 2].assign(measure=measure)])
    verdicts = rows["bits"].map({16: "keeps", 2: "flips"})
    figure, _ = drawn({**outcome, "csv": rows.assign(verdict=verdicts)})
    title = " ".join(figure.get_suptitle().split())
    assert f"; at 2 {name} does not (rings), and neighbors change (a)" in title


def test_a_measure_without_a_value_at_full_precision_leaves_no_interval(outcome: Outcome):
    table = outcome["csv"].assign(verdict=outcome["csv"]["bits"].map({16: "keeps", 2: "flips"}))
    is_unknown = (table["layer"] == 0) & (table["measure"] == "hubness")
    table = table.assign(
        full=table["full"].mask(is_unknown), verdict=table["verdict"].mask(is_unknown, "open")
    )
    figure, _ = drawn({**outcome, "csv": table})
    assert " ".join(figure.get_suptitle().split()).startswith(
        "With weights of 16 bits, one scale a block, all measures stay in their"
    )
