"""Draws verdicts that are known."""

from math import inf
from pathlib import Path

import pandas as pd
import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure

from embspace.draw.page.canvas import use_style
from embspace.draw.page.looks import VERDICTS
from embspace.draw.runs.training_claims import bounds_of, draw_training_claims
from tests.draw.fits import assert_words_fit
from tests.draw.layer_tables import settings_of, squeezed
from tests.measure.runs.test_training_claims import claims, flat
from tests.train.runs import MASKED

SETTINGS = {"row_height_mm": 8.0, "digits": 3}


def tables() -> pd.DataFrame:
    """Of a decoder of which every claim holds and an encoder that is flat; two seeds each."""
    of_decoder, of_encoder = claims(), claims(flat, phase=MASKED)
    return pd.concat([of_decoder.assign(run="a_decoder"), of_encoder.assign(run="an_encoder")])


def title_of(figure: Figure) -> str:
    return " ".join(figure.get_suptitle().split())


def test_every_claim_has_its_panels_every_run_a_row_and_every_seed_a_mark() -> None:
    table = tables()
    with rc_context():
        use_style()
        figure, text = draw_training_claims({"csv": table}, "all runs", **SETTINGS)
        assert_words_fit(figure)
    assert [ax.get_title("left") for ax in figure.axes if ax.get_title("left")] == [
        "4.1  anisotropy is a bell over layers",
        "second condition (claimed of decoders)",
        "4.1  anisotropy is flat over layers (claimed of encoders)",
        "4.2  anisotropy grows, then settles",
        "second condition (claimed of decoders)",
        "4.3  dimension rises, then falls",
        "second condition (claimed of decoders)",
    ]
    growth = figure.axes[3]
    assert [each.get_text() for each in growth.get_yticklabels()] == ["a decoder", "an encoder"]
    given = table[table["claim"] == "anisotropy grows, then settles"]
    drawn = [x for line in growth.lines if line.get_marker() != "None" for x in line.get_xdata()]
    assert sorted(drawn) == sorted(given["value"].dropna())  # flat has no correlation
    heights = [y for line in growth.lines if line.get_marker() != "None" for y in line.get_ydata()]
    assert len(set(heights)) == len(drawn) == 2
    assert "2 runs, 4 models" in " ".join(each.get_text() for each in figure.texts)


def test_marks_have_the_look_of_the_verdict_on_the_whole_claim() -> None:
    figure, _ = draw_training_claims({"csv": claims()}, "a run", **SETTINGS)
    for ax in figure.axes:
        (marks,) = (line for line in ax.lines if line.get_label() == "claim: matches")
        assert marks.get_color() == VERDICTS["matches"].color


def test_the_title_counts_the_models_that_a_claim_speaks_of() -> None:
    table = tables()
    assert title_of(draw_training_claims({"csv": table}, "all runs", **SETTINGS)[0]) == (
        "4 of 4 published claims hold in every model (“anisotropy is a bell over layers” and "
        "“anisotropy grows, then settles” and “dimension rises, then falls” in 2 of 2 "
        "decoders; “anisotropy is flat over layers” in 2 of 2 encoders)"
    )
    is_one = (table["claim"] == "dimension rises, then falls") & (table["seed"] == 0)
    given = table.assign(verdict=table["verdict"].mask(is_one, "differs"))
    said = title_of(draw_training_claims({"csv": given}, "all runs", **SETTINGS)[0])
    assert said.startswith("3 of 4 published claims hold in every model (")
    assert "“dimension rises, then falls” in 1 of 2 decoders" in said


def test_the_text_has_verdicts_by_run_first_and_all_statistics_behind_a_fold() -> None:
    _, text = draw_training_claims({"csv": tables()}, "all runs", **SETTINGS)
    first, _, rest = squeezed(text).partition("<details>")
    row = next(line for line in first.splitlines() if "| flat over layers |" in line)
    assert row.endswith("| not asked | matches (2) |")
    assert "value <= 0.05" in rest


def test_a_single_run_has_its_label() -> None:
    figure, _ = draw_training_claims({"csv": claims()}, "my run", **SETTINGS)
    assert [each.get_text() for each in figure.axes[0].get_yticklabels()] == ["my run"]


def test_what_cannot_be_had_is_said() -> None:
    table = claims(lambda number, layer: float("nan"))
    figure, text = draw_training_claims({"csv": table}, "a run", **SETTINGS)
    assert VERDICTS["not checkable"].name in [each.get_text() for each in figure.axes[2].texts]
    assert title_of(figure).startswith("1 of 3 published claims holds in every model")
    assert "not checkable" in text


@pytest.mark.parametrize("table", [claims()[:0], pd.DataFrame()])
def test_runs_that_model_no_language_say_so(table: pd.DataFrame) -> None:
    figure, text = draw_training_claims({"csv": table}, "all runs", **SETTINGS)
    assert "no run models language" in figure.axes[0].texts[0].get_text()
    assert "None." in text


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("value > 0.05 and second_value > 0", (0.05, inf)),
        ("value >= -0.05 and value <= 0.05", (-0.05, 0.05)),
        ("second_value <= 0.1", (-inf, inf)),
    ],
)
def test_a_rule_holds_between_its_bounds(rule: str, expected: tuple[float, float]) -> None:
    assert bounds_of(rule, "value") == expected


def test_the_settings_of_the_project_are_drawn(root: Path) -> None:
    settings = settings_of(root, "training_claims")
    figure, _ = draw_training_claims({"csv": claims()}, "a run", **settings)
    assert_words_fit(figure)
