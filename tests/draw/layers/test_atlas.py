"""Holds the heat map of a model's layers to its table."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.draw.layers.atlas import draw_atlas
from embspace.measure.layers.atlas import ATLAS, measure_atlas
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.draw.layer_tables import squeezed
from tests.measure.layers.test_atlas import nulls

VALUES = {
    ("direction", "mean_cosine"): [0.5, 0.25, 0.75],
    ("spectrum", "effective_rank"): [100.0, 300.0, 200.0],
    ("hubs", "hubness"): [2.0, 2.0, 2.0],
}


def table(**given: list[float]) -> pd.DataFrame:
    """`given` are other values, by measure."""
    rows = [
        {"family": family, "measure": measure, "layer": layer, "value": value, "n": 1234}
        | {"low": value - 0.1, "high": value + 0.1, "n_texts": 56}
        | {"converged": (measure, layer) != ("mean_cosine", 1)}
        for (family, measure), values in VALUES.items()
        for layer, value in enumerate(given.get(measure, values))
    ]
    return ATLAS.tables["csv"].of(rows)


def measures_of(rows: pd.DataFrame, random: tuple[float, ...] = ()) -> pd.DataFrame:
    """What the stage says of the rows, with `mean_cosine` of random weights by layer."""
    given = rows.assign(corpus="notes", space="token", change="as_is")
    profiles = {name: given[given["family"] == name] for name in given["family"].unique()}
    settings = settings_of(measure_atlas) | {"corpus": "notes", "measures": [m for _, m in VALUES]}
    known = nulls("mean_cosine", *random)
    return measure_atlas(profiles or {"none": given}, known, **settings)["measures"]


def drawn(
    rows: pd.DataFrame, label: str = "a model", random: tuple[float, ...] = ()
) -> tuple[Any, str]:
    measures = measures_of(rows, random)
    results = as_drawn(ATLAS, {"csv": rows, "measures": measures})
    return draw_atlas(results, label, **settings_of(draw_atlas))


def test_a_row_a_measure_a_column_a_layer_and_numbers_are_the_values() -> None:
    figure, _ = drawn(table(), "a model of a long name")
    assert_words_fit(figure)
    ax = figure.axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "mean cosine",
        "effective rank",
        "hubness (k-occurrence skew)",
    ]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1", "2"]
    words = [label.get_text() for label in ax.texts]
    assert words[:9] == ["0.500", "0.250", "0.750", "100", "300", "200", "2", "2", "2"]
    assert words[9:] == ["direction", "spectrum", "hubs"]
    assert "a model of a long name" in "".join(label.get_text() for label in figure.texts)


def test_small_values_are_short() -> None:
    figure, _ = drawn(table(mean_cosine=[7.33e-06, 0.00124, 0.5]))
    assert [label.get_text() for label in figure.axes[0].texts][:3] == ["7e-06", "0.00124", "0.500"]


def test_colors_are_percent_above_the_mean_of_the_row() -> None:
    figure, _ = drawn(table())
    [mesh] = figure.axes[0].collections
    expected = [[-20, -60, 20], [-50, 50, 0], [0, 0, 0]]  # 0.25 has not converged
    assert np.asarray(mesh.get_array()) == pytest.approx(np.array(expected))
    assert mesh.get_clim() == (-100, 100)


def frames_of(figure: Any) -> list[tuple[int, int]]:
    """Column and row of each framed cell."""
    places = [patch.get_xy() for patch in figure.axes[0].patches if not patch.get_fill()]
    return [(int(x), int(y)) for x, y in places]


def test_what_has_not_converged_is_gray_and_both_ends_of_the_rest_have_frames() -> None:
    figure, _ = drawn(table())
    ax = figure.axes[0]
    assert [patch.get_xy() for patch in ax.patches if patch.get_fill()] == [(1, 0)]
    assert frames_of(figure) == [(0, 0), (2, 0), (0, 1), (1, 1)]  # the third row is constant
    assert ax.texts[1].get_color() == "0.4"


def test_ends_whose_intervals_meet_have_no_frame() -> None:
    figure, _ = drawn(table(mean_cosine=[0.5, 0.1, 0.74]))
    assert frames_of(figure) == [(0, 1), (1, 1)]


def test_a_row_of_which_most_has_not_converged_is_gray() -> None:
    rows = table()
    is_moving = (rows["measure"] == "effective_rank") & (rows["layer"] > 0)
    figure, _ = drawn(rows.assign(converged=rows["converged"].where(~is_moving, "False")))
    gray = [patch.get_xy() for patch in figure.axes[0].patches if patch.get_fill()]
    assert gray == [(1, 0), (0, 1), (1, 1), (2, 1)]
    assert frames_of(figure) == [(0, 0), (2, 0)]


def test_what_has_no_interval_stands_in_the_table_alone() -> None:
    rows = table()
    rows.loc[rows["measure"] == "hubness", ["low", "high"]] = float("nan")
    figure, text = drawn(rows)
    assert len(figure.axes[0].get_yticklabels()) == 2
    assert "hubness" in text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "Layers surely differ in 2 of 3 converged measures"),
        (
            {"mean_cosine": [0.5, 0.5, 0.6]},
            "Layers surely differ in 1 of 3 converged measures",
        ),
        ({"hubness": [1.0, 2.0, 3.0]}, "Layers surely differ in all 3 converged measures"),
        (
            {"mean_cosine": [1.0] * 3, "effective_rank": [2.0] * 3},
            "No measure surely differs between layers",
        ),
    ],
)
def test_the_title_says_how_many_measures_differ(given: dict[str, Any], said: str) -> None:
    figure, _ = drawn(table(**given))
    assert " ".join(figure.get_suptitle().split()) == said
    assert any("1,234 vectors of 56 documents" in text.get_text() for text in figure.texts)


@pytest.mark.parametrize(
    ("n_beyond", "said"),
    [
        (0, "more than at random weights in none measured"),
        (1, "more than at random weights in 1 of 3 measured"),
        (2, "more than at random weights in 2 of 3 measured"),
    ],
)
def test_the_title_counts_measures_beyond_random_weights(n_beyond: int, said: str) -> None:
    rows = table(hubness=[1.0, 2.0, 3.0])
    beyond = ["yes"] * n_beyond + ["no"] * (3 - n_beyond)
    measures = measures_of(rows).assign(
        beyond_random_weights=beyond, random_weights_corpus="posts", differs="yes"
    )
    results = as_drawn(ATLAS, {"csv": rows, "measures": measures})
    figure, _ = draw_atlas(results, "a model", **settings_of(draw_atlas))
    assert said in " ".join(figure.get_suptitle().split())
    names = " ".join(label.get_text() for label in figure.axes[0].get_yticklabels())
    assert names.count("\N{BLACK CIRCLE}") == n_beyond
    # Rings alone would tell nothing apart.
    assert names.count("\N{WHITE CIRCLE}") == (3 - n_beyond if n_beyond else 0)
    shown = " ".join(" ".join(text.get_text() for text in figure.texts).split())
    assert ("ring: not beyond" in shown) == bool(n_beyond)
    assert ("no range over layers is beyond that of random weights" in shown) == (not n_beyond)
    alike = as_drawn(ATLAS, {"csv": rows, "measures": measures.assign(differs="no")})
    figure, _ = draw_atlas(alike, "a model", **settings_of(draw_atlas))
    words = " ".join(text.get_text() for text in figure.texts)
    assert "not measured" not in words


def test_a_layer_without_a_value_is_bare() -> None:
    given = {"mean_cosine": [0.5, float("nan"), 0.75], "hubness": [float("nan")] * 3}
    figure, text = drawn(table(**given))
    scaled = np.asarray(np.ma.filled(figure.axes[0].collections[0].get_array(), np.nan))
    assert scaled[0] == pytest.approx([-20, np.nan, 20], nan_ok=True)
    assert len(figure.axes[0].get_yticklabels()) == 2
    assert "hubness" not in text


def test_the_text_has_the_table() -> None:
    _, text = drawn(table())
    assert text.startswith("# Atlas of a model\n\nStage `measure_atlas`.")
    assert "1,234 vectors of 56 documents." in text
    assert "| spectrum | effective rank |" in squeezed(text)
    assert "layer 2" in text


def test_nothing_to_show_says_where_to_look() -> None:
    figure, text = drawn(ATLAS.empty()["csv"])
    assert "see conf/measure/layers/atlas.yaml" in figure.axes[0].texts[0].get_text()
    assert text.endswith("None.\n")


@pytest.mark.parametrize(
    ("random", "said"),
    [
        ((0.3, 0.4, 0.35), ", and more than at random weights in all measured there"),
        ((0.3, 0.9, 0.35), ", and more than at random weights in none measured there"),
    ],
)
def test_the_title_says_whether_layers_differ_more_than_at_random_weights(
    random: tuple[float, ...], said: str
) -> None:
    figure, _ = drawn(table(), random=random)
    assert " ".join(figure.get_suptitle().split()).endswith(said)
