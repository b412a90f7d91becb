"""Holds the figure of the stream to its tables."""

import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from embspace.draw.blocks.information_stream import draw_information_stream
from embspace.measure.blocks.information_stream import INFORMATION_STREAM
from embspace.measure.blocks.information_stream_points import POINTS, steps_between
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit

POST = [point for point in POINTS if point not in ("attention_input", "mlp_input")]
PRE = [point for point in POINTS if point not in ("attention_sum", "mlp_sum")]
MEASURES = ("mean_cosine", "mean_resultant_length", "cone_index", "mean_norm")
FACTS = {"corpus": "articles", "n_texts": 9, "n_tokens": 1234, "n_dimensions": 8}
RANDOM = {f"random_weights_{end}": 0.3 for end in ("mean", "smallest", "largest")}


def estimate(value: float) -> dict[str, float]:
    return {"value": value, "low": value - 0.01, "high": value + 0.01, **RANDOM}


def tables(points: list[str], n_layers: int = 2) -> dict[str, pd.DataFrame]:
    """The value of a point is its place in the stream, in hundredths; of the MLP's less."""
    at = {point: number / 100 for number, point in enumerate(points)}
    at["output"] = 0.0
    layers = range(1, n_layers + 1)
    rows = [
        {"layer": layer, "point": point, "measure": measure, "isotropic": 0.0, **estimate(value)}
        for layer in layers
        for point, value in at.items()
        for measure in MEASURES
    ]
    heads = [
        {"layer": layer, "head": head, "point": "value", "measure": "mean_cosine", **estimate(0.2)}
        for layer in layers
        for head in (1, 2)
    ]
    steps = [
        {"step": step, "from_point": first, "to_point": last, "measure": "mean_cosine"}
        | estimate(at[last] - at[first])
        for step, (first, last) in steps_between(points).items()
    ]
    made = {
        "csv": rows,
        "heads": heads,
        "steps": [{**step, "layer": layer} for layer in layers for step in steps],
        "gains": [{**step, "n_blocks": n_layers} for step in steps],
    }
    return {
        name: pd.DataFrame([FACTS | row for row in made[name]], columns=[*table.columns])
        for name, table in INFORMATION_STREAM.tables.items()
    }


def drawn(tables: dict[str, pd.DataFrame]) -> tuple[Figure, str]:
    results = as_drawn(INFORMATION_STREAM, tables)
    return draw_information_stream(results, "a model", **settings_of(draw_information_stream))


def panel_of_gains(figure: Figure) -> Axes:
    return next(ax for ax in figure.axes if "gains" in (ax.get_title("left") or ax.get_title()))


def test_the_title_says_what_attention_and_the_mlp_do() -> None:
    figure, _ = drawn(tables(POST))
    assert_words_fit(figure)
    at = {point: number / 100 for number, point in enumerate(POST)}
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith(
        f"Attention raises the mean cosine of the stream by {at['after_attention']:.3f} a block"
    )
    assert "the MLP lowers it by" in title
    assert f"(adding {at['attention_sum']:+.3f}, norm +0.010)" in title


def test_blocks_without_norms_of_sums_say_nothing_of_them() -> None:
    figure, _ = drawn(tables(PRE))
    assert_words_fit(figure)
    assert "norm" not in figure.get_suptitle()


@pytest.mark.parametrize(("points", "n_steps"), [(POST, 4), (PRE, 2)])
def test_the_stream_goes_through_the_points_of_every_block(points: list[str], n_steps: int) -> None:
    results = tables(points)
    figure, _ = drawn(results)
    line = next(ax for ax in figure.axes if ax.get_ylabel() == "Mean cosine").lines[0]
    assert list(line.get_xdata()) == [number / n_steps for number in range(2 * n_steps + 1)]
    cosine = results["csv"].query("measure == 'mean_cosine' and layer == 1")
    values = dict(zip(cosine["point"], cosine["value"], strict=True))
    assert list(line.get_ydata())[0] == values["input"]
    assert list(line.get_ydata())[n_steps] == values["output"]


def test_gains_of_steps_are_those_of_the_table() -> None:
    results = tables(POST)
    figure, text = drawn(results)
    ax = panel_of_gains(figure)
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "attention added",
        "norm after attention",
        "MLP added",
        "norm after MLP",
        "whole block",
    ]
    gains = results["gains"].set_index("step")["value"]
    shown = [words.get_text() for words in ax.texts][::2]
    assert shown == [f"{gains[step]:.2f}" for step in gains.index if step in SHOWN]
    assert "## Gain of mean cosine by step" in text
    assert "| norm after attention" in text


SHOWN = ("attention", "norm_after_attention", "mlp", "norm_after_mlp", "block")


def test_deep_models_have_no_numbers_in_the_cells() -> None:
    figure, _ = drawn(tables(POST, 12))
    assert_words_fit(figure)
    assert not panel_of_gains(figure).texts


def test_without_random_weights_nothing_is_said_of_them() -> None:
    results = tables(POST)
    for table in results.values():
        table[list(RANDOM)] = float("nan")
    figure, text = drawn(results)
    assert "random" not in "".join(words.get_text() for words in figure.legends[0].get_texts())
    assert "with random weights\n" not in text


def test_an_architecture_that_is_not_known_has_a_sentence() -> None:
    figure, text = drawn(INFORMATION_STREAM.empty())
    assert "cannot be rebuilt" in text
    assert "cannot be rebuilt" in figure.axes[0].texts[0].get_text()
