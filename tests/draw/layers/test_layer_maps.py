"""Reads the numbers of the maps of layers back from the figure."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.analysis import Outcome
from embspace.app.page.nothing import says_nothing
from embspace.draw.layers.layer_maps import _finding, draw_layer_maps
from embspace.draw.page.canvas import percent
from embspace.project.layer_maps import LAYER_MAPS, project_layer_maps
from tests.analyses import as_drawn
from tests.draw.fits import assert_words_fit
from tests.measure.attention.reading import cached_reader
from tests.project.test_layer_maps import SETTINGS as OF_MAPS
from tests.project.test_layer_maps import planted

SETTINGS: dict[str, Any] = {"height_mm": 125.0, "n_named": 2, "digits": 3}


def layer_maps() -> Outcome:
    return project_layer_maps({"news": planted(8)}, cached_reader().module, None, **OF_MAPS)


def drawn(results: Outcome, label: str) -> tuple[Figure, str]:
    return draw_layer_maps(as_drawn(LAYER_MAPS, results), label, **SETTINGS)


@pytest.fixture(scope="module")
def results() -> dict[str, pd.DataFrame]:
    return layer_maps()


def deep(results: dict[str, pd.DataFrame], n_layers: int) -> dict[str, pd.DataFrame]:
    """The last layer again and again."""
    more = [2] * (n_layers - 3)
    return {
        name: pd.concat(
            [
                table,
                *(
                    table[table["layer"] == layer].assign(layer=3 + number)
                    for number, layer in enumerate(more)
                ),
            ],
            ignore_index=True,
        )
        for name, table in results.items()
    }


def test_the_title_names_the_step_at_which_most_changes(results: dict[str, pd.DataFrame]) -> None:
    figure, text = drawn(results, "a model of a long name")
    assert_words_fit(figure)
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith("Neighbors change most in the step to layer 2: ")
    words = " ".join(" ".join(label.get_text() for label in figure.texts).split())
    assert "of 8 documents" in words and "95 % intervals over documents" in words
    assert text.startswith("# Maps of the layers of a model of a long name\n")
    assert "changed by another seed" in text


def test_the_lines_are_those_of_the_table(results: dict[str, pd.DataFrame]) -> None:
    figure, _ = drawn(results, "a")
    ax = next(panel for panel in figure.axes if panel.lines)
    for line, name in zip(ax.lines, ("space", "map"), strict=False):
        expected = results["csv"][f"changed_in_{name}"].to_numpy(dtype=float)
        assert np.asarray(line.get_ydata()) == pytest.approx(expected, nan_ok=True)
    row = results["csv"].iloc[-1]
    named = [text.get_text() for text in ax.texts]
    assert named[1] == f"on the map, {percent(row['changed_in_map'])} at layer 2"
    assert f"{percent(row['changed_in_space'])} are new" in " ".join(figure.get_suptitle().split())
    assert named[0] == f"in the full space, {percent(row['changed_in_space'])} at layer 2"


def test_a_step_within_the_interval_of_another_is_not_the_largest() -> None:
    table = pd.DataFrame(
        {
            "layer": [0, 1, 2],
            "changed_in_space": [np.nan, 0.3, 0.4],
            "changed_in_space_low": [np.nan, 0.25, 0.35],
            "changed_in_space_high": [np.nan, 0.34, 0.45],
        }
    )
    said, others = "40 % are new in the full space", "30 % at most in others"
    assert _finding(table) == f"Neighbors change most in the step to layer 2: {said}, {others}"
    table.loc[1, "changed_in_space_high"] = 0.36
    assert _finding(table) == f"No step surely changes most: {said} at layer 2, {others}"


def test_neighbors_that_hardly_change_are_beside_those_at_random_weights() -> None:
    table = pd.DataFrame(
        {
            "layer": [0, 1, 2],
            "changed_in_space": [np.nan, 0.016, 0.017],
            "changed_in_space_low": [np.nan, 0.014, 0.015],
            "changed_in_space_high": [np.nan, 0.018, 0.018],
            "random_weights_changed": [np.nan, 0.016, 0.016],
        }
    )
    said = "Neighbors hardly change: 1.6 % to 1.7 % are new after a layer"
    assert _finding(table) == f"{said}, as at random weights (1.6 %)"
    assert says_nothing(_finding(table))
    assert _finding(table.assign(random_weights_changed=np.nan)) == said and says_nothing(said)


def test_fewer_new_neighbors_than_at_random_weights_are_a_finding(
    results: dict[str, pd.DataFrame],
) -> None:
    shares = {f"changed_in_space{end}": x for end, x in (("", 0.01), ("_low", 0), ("_high", 0.02))}
    known = results["csv"]["layer"] > 0
    table = results["csv"].copy()
    table.loc[known, [*shares]] = [*shares.values()]
    table.loc[known, "random_weights_changed"] = [0.4, 0.5]
    figure, _ = drawn(results | {"csv": table}, "a")
    assert_words_fit(figure)
    title = " ".join(figure.get_suptitle().split())
    assert title == (
        "At most 1 % of neighbors are new after a layer, in the step to layer 2; at random weights "
        "50 % there"
    )
    assert not says_nothing(title)
    named = [text.get_text() for ax in figure.axes for text in ax.texts]
    assert {"in space, random weights, 50 % at layer 2", "in the full space, 1 % at layer 2"} <= {
        *named
    }


def test_the_most_frequent_tokens_are_named_at_the_median_of_their_places(
    results: dict[str, pd.DataFrame],
) -> None:
    figure, _ = drawn(results, "a")
    places = results["parquet"].query("layer == 0")
    frequent = places["token"].value_counts().index[:2]
    texts = figure.axes[0].texts
    assert [text.get_text() for text in texts] == list(frequent)
    medians = [places.loc[places["token"] == token, ["x", "y"]].median() for token in frequent]
    assert np.array([text.get_position() for text in texts]) == pytest.approx(np.array(medians))


def test_a_name_that_meets_one_of_a_more_frequent_token_is_left_out(
    results: dict[str, pd.DataFrame],
) -> None:
    together = results["parquet"].assign(x=0.0, y=np.linspace(-0.01, 0.01, len(results["parquet"])))
    figure, _ = drawn(results | {"parquet": together}, "a")
    first = results["parquet"].query("layer == 0")["token"].value_counts().index[0]
    assert [text.get_text() for text in figure.axes[0].texts] == [first]


def test_maps_have_one_scale_and_all_tokens(results: dict[str, pd.DataFrame]) -> None:
    figure, _ = drawn(results, "a")
    maps = [ax for ax in figure.axes if ax.collections and not ax.lines and ax.get_title("left")]
    assert [ax.get_title("left") for ax in maps] == [
        "Layer 0", "Layer 1", "Layer 2",
    ]  # fmt: skip
    sizes = [sum(len(np.asarray(dots.get_offsets())) for dots in ax.collections) for ax in maps]
    assert sizes == [results["csv"]["n"][0]] * 3
    assert {ax.collections[1].get_clim() for ax in maps} == {(0, 1)}
    figure.draw_without_rendering()  # an equal aspect moves limits only then
    limits = np.array([[ax.get_xlim(), ax.get_ylim()] for ax in maps])
    farthest = results["parquet"][["x", "y"]].abs().to_numpy().max()
    assert np.ptp(limits, axis=0).max() == pytest.approx(0, abs=1e-9)
    assert np.abs(limits).min() >= farthest


def test_of_a_deep_model_first_middle_and_last_layer_are_shown(
    results: dict[str, pd.DataFrame],
) -> None:
    figure, _ = drawn(deep(results, 15), "a")
    titles = [
        ax.get_title("left") for ax in figure.axes if ax.get_title("left").startswith("Layer")
    ]
    numbers = [int(title.removeprefix("Layer ").partition(",")[0]) for title in titles]
    assert numbers == [0, 7, 14]
    assert_words_fit(figure)
    assert figure.get_size_inches()[1] * 25.4 <= 200


def test_without_tokens_the_page_says_so(results: dict[str, pd.DataFrame]) -> None:
    empty = {name: table[:0] for name, table in results.items()}
    figure, text = drawn(empty, "a")
    assert "No two layers" in figure.get_suptitle()
    assert "No corpus has enough tokens" in text
