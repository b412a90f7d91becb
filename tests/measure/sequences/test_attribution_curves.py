"""Holds curves and areas, and their differences, to curves that are made by hand."""

from typing import Any

import numpy as np
import pytest

from embspace.measure.sequences.attribution_curves import area_rows, curve_rows
from embspace.measure.sequences.attribution_seeds import AT_RANDOM, REGRESSION, ScoredModel
from tests.measure.sequences.small import planted_sequences

OPTIONS: dict[str, Any] = {"n_resamples": 20, "level": 0.95, "seed": 0}
STEPS = [0, 3, 12]
N = 12


def models() -> list[ScoredModel]:
    """A curve that falls at once, and one that falls in a line."""
    has = np.arange(N) % 2 == 1
    curves = {
        "sudden": np.where(has, np.array([[1.0], [0.0], [0.0]]), np.nan),
        AT_RANDOM: np.where(has, np.array([[1.0], [0.75], [0.0]]), np.nan),
        REGRESSION: np.where(has, np.array([[1.0], [0.0], [0.0]]), np.nan),
    }
    return [
        ScoredModel("trained", 0, {}, {(method, "deletion"): v for method, v in curves.items()})
    ]


def test_curves_are_means_of_the_documents_with_a_change() -> None:
    placed, _ = planted_sequences(N)
    rows = list(curve_rows(models(), placed, STEPS, **OPTIONS))
    sudden = [row for row in rows if row["method"] == "sudden"]
    for end in ("", "_low", "_high"):  # nothing differs between documents
        assert [row[f"probability{end}"] for row in sudden] == pytest.approx([1, 0, 0])
    assert [row["n_hidden"] for row in sudden] == STEPS
    assert {row["n_documents"] for row in rows} == {N // 2}


def test_areas_and_what_they_are_less() -> None:
    placed, _ = planted_sequences(N)
    rows = {row["method"]: row for row in area_rows(models(), placed, STEPS, **OPTIONS)}
    assert rows["sudden"]["area"] == pytest.approx(0.125)
    assert rows[AT_RANDOM]["area"] == pytest.approx(0.5)
    assert rows["sudden"]["area_less_random"] == pytest.approx(-0.375)
    assert rows["sudden"]["area_less_random_high"] == pytest.approx(-0.375)
    assert rows["sudden"]["area_less_regression"] == pytest.approx(0)
    assert "area_less_random" not in rows[AT_RANDOM]
    assert "area_less_regression" not in rows[REGRESSION]


def test_bounds_of_probabilities_and_areas_are_shares() -> None:
    """One document is unlike all others, so that halves with it are far from the whole."""
    placed, _ = planted_sequences(14)  # seven have a change; halves have three of them
    rare = np.where(np.arange(14) == 1, 1.0, 0.0)
    curves = {"rare": np.tile(rare, (3, 1)), "usual": np.tile(1 - rare, (3, 1))}
    curves |= {AT_RANDOM: curves["rare"], REGRESSION: curves["rare"]}
    by_key = {(name, "deletion"): values for name, values in curves.items()}
    model = ScoredModel("trained", 0, {}, by_key)
    for make, name in ((curve_rows, "probability"), (area_rows, "area")):
        rows = list(make([model], placed, STEPS, **OPTIONS))
        lows, highs = (
            {row[f"{name}_{end}"] for row in rows if row["method"] == method}
            for method, end in (("rare", "low"), ("usual", "high"))
        )
        assert (lows, highs) == ({0}, {1})


def test_every_number_of_curves_and_areas() -> None:
    placed, _ = planted_sequences(N)
    falling, rising = np.array([[1.0], [0.5], [0.0]]), np.array([[0.0], [0.5], [1.0]])
    every = np.ones(N)
    curves = {("m", "deletion"): falling * every, ("m", "insertion"): rising * every}
    for name, height in ((AT_RANDOM, 0.2), (REGRESSION, 0.4)):
        curves |= {(name, kind): np.full((3, N), height) for kind in ("deletion", "insertion")}
    model = ScoredModel("trained", 7, {}, curves)
    rows = list(curve_rows([model], placed, STEPS, **OPTIONS))
    m_rows = [row for row in rows if row["method"] == "m"]
    assert [row["curve"] for row in m_rows] == ["deletion"] * 3 + ["insertion"] * 3
    assert [row["n_hidden"] for row in m_rows] == [*STEPS, *STEPS]
    for end in ("", "_low", "_high"):
        values = [row[f"probability{end}"] for row in m_rows]
        assert values == pytest.approx([1, 0.5, 0, 0, 0.5, 1])
    areas = {
        (row["method"], row["curve"]): row for row in area_rows([model], placed, STEPS, **OPTIONS)
    }
    # Of 12 places 3 at 0.75 and 9 at 0.25 if it falls, the other way round if it rises.
    for kind, area in (("deletion", 4.5 / 12), ("insertion", 7.5 / 12)):
        row = areas["m", kind]
        assert (row["model_seed"], row["n_documents"]) == (7, N // 2)
        for name, value in (
            ("area", area),
            ("area_less_random", area - 0.2),
            ("area_less_regression", area - 0.4),
        ):
            bounds = [row[f"{name}{end}"] for end in ("", "_low", "_high")]
            assert bounds == pytest.approx([value] * 3)
    assert areas[AT_RANDOM, "deletion"]["area_less_regression"] == pytest.approx(-0.2)
    assert areas[REGRESSION, "insertion"]["area_less_random"] == pytest.approx(0.2)
