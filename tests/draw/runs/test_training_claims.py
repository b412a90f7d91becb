"""Draws verdicts that are known."""

from math import inf
from pathlib import Path

import pytest
from matplotlib import rc_context

from embspace.draw.page.canvas import use_style
from embspace.draw.page.looks import VERDICTS
from embspace.draw.runs.training_claims import bounds_of, draw_training_claims
from tests.draw.fits import assert_words_fit
from tests.draw.layer_tables import settings_of
from tests.measure.runs.test_training_claims import claims, flat
from tests.train.runs import MASKED

SETTINGS = {"row_height_mm": 34.0, "digits": 3}


def test_every_claim_has_a_row_and_every_seed_its_mark() -> None:
    table = claims()
    with rc_context():
        use_style()
        figure, text = draw_training_claims({"csv": table}, "a run of a long name", **SETTINGS)
        assert_words_fit(figure)
    assert len(figure.axes) == 3 * 2
    for number, claim in enumerate(dict.fromkeys(table["claim"])):
        rows = table[table["claim"] == claim]
        for ax, name in zip(figure.axes[2 * number :], ("value", "second_value"), strict=False):
            (marks,) = (line for line in ax.lines if line.get_label().startswith("the claim"))
            assert list(marks.get_xdata()) == list(rows[name])
            assert marks.get_label() == "the claim as a whole: matches"
    said = " ".join(figure.get_suptitle().split())
    assert said.startswith("3 of 3 published claims hold in every seed: ")
    assert any("seeds" in each.get_text() for each in figure.texts)
    assert "anisotropy grows, then settles" in text and table["verdict"].eq("matches").all()


def test_flat_has_one_statistic_and_what_is_said_of_another_kind_is_marked() -> None:
    figure, text = draw_training_claims({"csv": claims(flat, phase=MASKED)}, "a run", **SETTINGS)
    assert [ax.get_title(loc="left") for ax in figure.axes[::2]] == [
        "4.1  flat over layers",
        "4.2  anisotropy grows, then settles (of decoders)",
        "4.3  dimension rises, then falls (of decoders)",
    ]
    assert [ax.axison for ax in figure.axes[:2]] == [True, False]
    assert "value >= -0.05 and value <= 0.05" in text


def test_what_cannot_be_had_is_said() -> None:
    table = claims(lambda number, layer: float("nan"))
    figure, text = draw_training_claims({"csv": table}, "a run", **SETTINGS)
    assert VERDICTS["not checkable"].name in [each.get_text() for each in figure.axes[2].texts]
    assert " ".join(figure.get_suptitle().split()).startswith("1 of 3 published claims hold")
    assert "not checkable" in text


def test_a_run_that_models_no_language_says_so() -> None:
    figure, text = draw_training_claims({"csv": claims()[:0]}, "a run", **SETTINGS)
    assert "models no language" in figure.axes[0].texts[0].get_text()
    assert "None." in text


def test_a_claim_that_holds_in_some_seeds_is_named_with_their_number() -> None:
    table = claims()
    first = table["claim"] == table["claim"].iloc[0]
    differs = first & (table["seed"] == table["seed"].iloc[0])
    given = table.assign(verdict=table["verdict"].mask(differs, "differs"))
    figure, _ = draw_training_claims({"csv": given}, "a run", **SETTINGS)
    n, said = table["seed"].nunique(), " ".join(figure.get_suptitle().split())
    assert said.startswith("2 of 3 published claims hold in every seed: ")
    assert f"; in some: {table['claim'].iloc[0]} ({n - 1} of {n})" in said


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
