import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from embspace.compare.alignment import ALIGNMENT
from embspace.compare.alignment_table import MEASURES, corresponding_layers
from embspace.draw.compare.alignment import draw_alignment
from tests.draw.fits import assert_words_fit

SETTINGS = {"row_height_mm": 55.0, "largest_written": 5, "digits": 2}
SETS = [("articles", "text"), ("articles", "word"), ("posts", "text"), ("stimuli", "text")]


def table(layers: tuple[int, int] = (3, 5)) -> pd.DataFrame:
    rows = []
    for corpus, unit in SETS:
        for measure in MEASURES:
            for layer, other_layer in np.ndindex(layers):
                deep = (layer, other_layer) in corresponding_layers(*layers)
                if measure != "procrustes_similarity" or deep:
                    value = 0.9 - 0.1 * layer - 0.01 * other_layer
                    bounds = [np.nan] * 2 if corpus == "stimuli" else [value, value]
                    keys = [corpus, unit, layer, other_layer, 1200, measure]
                    rows.append([*keys, value, *bounds, 0.02, 0.03, np.nan])
    return pd.DataFrame(rows, columns=[*ALIGNMENT.tables["csv"].columns])


def maps_of(figure: Figure) -> list[Axes]:
    return [ax for ax in figure.axes if ax.collections and isinstance(ax.collections[0], QuadMesh)]


def test_a_map_a_set_and_three_panels_of_lines():
    figure, _ = draw_alignment({"csv": table()}, "one--two", **SETTINGS)
    assert_words_fit(figure)
    maps = maps_of(figure)
    assert [ax.get_title("left") or ax.get_title() for ax in maps] == [
        "Articles, 1,200 texts",
        "Articles, 1,200 words",
        "Posts, 1,200 texts",
        "Stimuli, 1,200 texts",
    ]
    values = np.asarray(maps[0].collections[0].get_array())
    assert values.shape == (3, 5)
    assert values[2, 4] == pytest.approx(0.9 - 0.24)
    assert [text.get_text() for text in maps[0].texts][:2] == [".90", ".89"]
    lines = [ax for ax in figure.axes if ax.lines]
    assert len(lines) == 3
    assert list(lines[1].lines[0].get_ydata()) == pytest.approx([0.9, 0.78, 0.66])
    assert len(lines[0].lines) == 2 * len(SETS)


@pytest.mark.parametrize(("null", "how"), [(0.03, "more alike than"), (0.9, "no more alike than")])
def test_the_title_holds_the_last_layers_against_the_null(null: float, how: str):
    figure, _ = draw_alignment({"csv": table().assign(null_high=null)}, "one--two", **SETTINGS)
    assert " ".join(figure.get_suptitle().split()) == (
        f"On texts of articles, the last layers of one and two are {how} by chance (CKA 0.66); "
        "most alike: layers 0 and 0 (0.90)"
    )


def test_values_of_many_layers_are_not_written():
    figure, _ = draw_alignment({"csv": table(layers=(6, 3))}, "a--b", **SETTINGS)
    assert not any(ax.texts for ax in figure.axes)


def test_tables_name_the_last_layers_and_the_most_alike():
    _, text = draw_alignment({"csv": table()}, "one--two", **SETTINGS)
    last, best = text.split("## ")[1:]
    assert "0.660 [0.660, 0.660]" in last
    assert len([line for line in last.splitlines() if line.startswith("|")]) == 2 + 4 * 4
    rows = [line for line in best.splitlines() if line.startswith("| articles | text")]
    assert len(rows) == 3
    assert "|             0 | 0.900 [0.900, 0.900]" in rows[0]


def test_the_models_are_named_on_the_axes_and_below_the_title():
    figure, text = draw_alignment({"csv": table()}, "one-x--two", **SETTINGS)
    assert_words_fit(figure)
    assert (figure.axes[0].get_ylabel(), figure.axes[0].get_xlabel()) == (
        "layer of one-x",
        "layer of two",
    )
    assert figure.texts[1].get_text().startswith("one-x and two · ")
    assert text.startswith("# Alignment of one-x and two\n")


def test_too_few_texts_are_said():
    figure, text = draw_alignment({"csv": ALIGNMENT.tables["csv"].of()}, "one--two", **SETTINGS)
    assert_words_fit(figure)
    assert "too few texts" in figure.axes[0].texts[0].get_text()
    assert text.count("\n\nNone.") == 2
