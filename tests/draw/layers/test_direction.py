"""Holds the figure of the family to its words; its lines are tested in `test_layer_profiles`."""

from pathlib import Path

import pytest

from embspace.draw.layers.direction import RESULTS, WORDS, draw_direction
from embspace.geometry.measures.registry import definitions
from tests.draw.fits import assert_words_fit
from tests.draw.layer_tables import empty_tables, profile_tables, settings_of, squeezed

NAMES = [name for name, each in definitions().items() if each.family == "direction"]


def test_the_settings_of_the_project_are_drawn(root: Path) -> None:
    settings = settings_of(root, "direction")
    tables = profile_tables(NAMES)
    assert {f"{name}.csv" for name in tables} == set(RESULTS)
    figure, text = draw_direction(tables, "a model of a long name", **settings)
    assert_words_fit(figure)
    said = "\n".join(each.get_text() for each in figure.texts)
    assert (
        "Do the vectors of a layer point the same way?" in said and "a model of a long name" in said
    )
    n_columns = 4
    assert len(figure.axes) == n_columns * len(settings["shown"])
    labels = [ax.get_ylabel() for ax in figure.axes[::n_columns]]
    assert labels == [WORDS.units.get(name, name.replace("_", " ")) for name in settings["shown"]]
    assert text.startswith("# Direction of a model of a long name\n\nStage `measure_direction`.")
    assert all(f"| {name.replace('_', ' ')} |" in squeezed(text) for name in NAMES)


def test_what_is_shown_and_what_has_another_name_are_measures_of_the_family(root: Path) -> None:
    assert set(settings_of(root, "direction")["shown"]) <= set(NAMES)
    assert set(WORDS.units) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_any_measure_may_be_shown(name: str, root: Path) -> None:
    settings = settings_of(root, "direction") | {"shown": [name]}
    figure, _ = draw_direction(profile_tables([name], spaces=["token"]), "a model", **settings)
    assert len(figure.axes) == 2 and len(figure.axes[0].lines) == 4


def test_nothing_to_show_is_said(root: Path) -> None:
    figure, _ = draw_direction(empty_tables(), "a model", **settings_of(root, "direction"))
    assert "no corpus has enough documents" in figure.axes[0].texts[0].get_text()
