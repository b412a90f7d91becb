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
    return next(ax for ax in figure.axes if "gain" in (ax.get_title("left") or ax.get_title()))


def test_the_title_says_what_attention_and_the_mlp_do() -> None:
    figure, _ = drawn(tables(POST))
    assert_words_fit(figure)
    at = {point: number / 100 for number, point in enumerate(POST)}
    title = " ".join(figure.get_suptitle().split())
    assert title == (
        "Attention with its norm raises the mean cosine of a text's tokens by "
        f"{at['after_attention']:.2f} a block (random weights: +0.30); the MLP with its norm "
        "lowers it"
    )


def test_random_weights_keep_their_sign_and_a_gain_of_nothing_is_none() -> None:
    results = tables(POST)
    results["gains"]["random_weights_mean"] = -0.03
    results["gains"].loc[results["gains"]["step"] == "mlp_and_norm", "value"] = 0.0002
    title = " ".join(drawn(results)[0].get_suptitle().split())
    assert title.endswith("(random weights: \N{MINUS SIGN}0.03); the MLP with its norm keeps it")


def test_blocks_that_change_nothing_are_said_to_do_nothing_in_pale_colors() -> None:
    results = tables(POST)
    for table in (results["gains"], results["steps"]):
        table[["value", "random_weights_mean"]] = [-0.002, 0.001]
    figure, _ = drawn(results)
    said = "Neither attention nor MLP changes the mean cosine of a text's tokens"
    assert " ".join(figure.get_suptitle().split()) == f"{said}, as at random weights"
    ax = panel_of_gains(figure)
    assert ax.collections[0].get_clim() == (-0.05, 0.05)
    assert {words.get_text() for words in ax.texts} == {"+0.00"}
    results["gains"]["random_weights_mean"] = 0.02
    title = " ".join(drawn(results)[0].get_suptitle().split())
    assert "keeps the mean cosine of a text's tokens (with random weights it changes by +0" in title
    results["gains"]["random_weights_mean"] = float("nan")
    assert " ".join(drawn(results)[0].get_suptitle().split()) == said


def test_blocks_without_norms_of_sums_are_drawn() -> None:
    figure, _ = drawn(tables(PRE))
    assert_words_fit(figure)
    assert " ".join(figure.get_suptitle().split()).startswith("Attention raises the mean cosine")
    assert panel_of_gains(figure).get_title("left") == "What a part gains in mean cosine"
    assert len(panel_of_gains(figure).texts) == 3 * 4


@pytest.mark.parametrize(("points", "n_steps"), [(POST, 4), (PRE, 2)])
def test_the_stream_goes_through_the_points_of_every_block(points: list[str], n_steps: int) -> None:
    results = tables(points)
    figure, _ = drawn(results)
    line = next(ax for ax in figure.axes if ax.get_ylabel() == "mean cosine").lines[0]
    assert list(line.get_xdata()) == [number / n_steps for number in range(2 * n_steps + 1)]
    cosine = results["csv"].query("measure == 'mean_cosine' and layer == 1")
    values = dict(zip(cosine["point"], cosine["value"], strict=True))
    assert list(line.get_ydata())[0] == values["input"]
    assert list(line.get_ydata())[n_steps] == values["output"]


def test_gains_of_steps_are_those_of_the_table() -> None:
    results = tables(POST)
    figure, text = drawn(results)
    ax = panel_of_gains(figure)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["attention", "MLP", "whole block"]
    gains = results["gains"].query("measure == 'mean_cosine'").set_index("step")["value"]
    shown = [words.get_text().replace("\N{MINUS SIGN}", "-") for words in ax.texts]
    assert shown[6:9] == [
        f"{gains[step]:+.2f}" for step in ("attention_and_norm", "mlp_and_norm", "block")
    ]
    assert shown[9:] == ["+0.30"] * 3
    assert shown[:3] == shown[6:9]
    assert "## Gain of mean cosine by step" in text
    assert "| norm after attention" in text


def test_a_layer_without_every_step_has_no_column_and_means_keep_theirs() -> None:
    results = tables(POST, 8)
    steps = results["steps"]
    steps.loc[(steps["layer"] == 3) & (steps["step"] == "mlp_and_norm"), "value"] = float("nan")
    ax = panel_of_gains(drawn(results)[0])
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert names == ["1", "2", "4", "5", "6", "7", "8", "mean", "random weights"]
    assert sum(bool(words.get_text()) for words in ax.texts) == 3 * (7 + 2)


def test_deep_models_have_numbers_in_the_cells_of_means_alone() -> None:
    figure, _ = drawn(tables(POST, 12))
    assert_words_fit(figure)
    numbers = [words.get_text() for words in panel_of_gains(figure).texts]
    assert sum(bool(number) for number in numbers) == 3 * 2


def test_of_most_change_in_few_blocks_these_are_named() -> None:
    results = tables(PRE, 30)
    steps = results["steps"]

    def title_of(**by_step: dict[int, float]) -> str:
        for part, gains in by_step.items():
            is_part = steps["step"] == f"{part}_and_norm"
            steps.loc[is_part, "value"] = steps.loc[is_part, "layer"].map(gains).fillna(0.001)
        return " ".join(drawn(results)[0].get_suptitle().split())

    assert title_of(attention={1: 0.41, 2: 0.28}, mlp={1: -0.26, 30: -0.18, 4: 0.02}) == (
        "Attention raises the mean cosine of a text's tokens mostly in blocks 1 and 2, by 0.69 "
        "(random weights: +0.60); the MLP lowers it mostly in blocks 1 and 30"
    )
    assert "mostly in block 9, by 0.90 (random weights: +0.30)" in title_of(attention={9: 0.9})
    for gains in ({1: 0.4, 2: 0.3, 3: 0.3, 4: 0.3}, {1: 0.41, 2: -0.38}, {}):  # none stands out
        assert " a block (random weights" in title_of(attention=gains), gains


def test_columns_of_means_have_room_beside_many_layers() -> None:
    figure, _ = drawn(tables(PRE, 30))
    assert_words_fit(figure)
    ax = panel_of_gains(figure)
    assert [label.get_text() for label in ax.get_xticklabels()][-3:] == [
        "29",
        "mean",
        "random\nweights",
    ]
    assert [*ax.get_xticks()[-3:]] == [28.5, 32, 34]


def test_without_random_weights_nothing_is_said_of_them() -> None:
    results = tables(POST)
    for table in results.values():
        table[list(RANDOM)] = float("nan")
    figure, text = drawn(results)
    legend = figure.axes[0].get_legend()
    assert "random" not in "".join(words.get_text() for words in legend.get_texts())
    assert "with random weights\n" not in text
    assert "random" not in figure.get_suptitle()
    assert len(panel_of_gains(figure).texts) == 3 * 3


def test_an_architecture_that_is_not_known_has_a_sentence() -> None:
    figure, text = drawn(INFORMATION_STREAM.empty())
    assert "cannot be rebuilt" in text
    assert "cannot be rebuilt" in figure.axes[0].texts[0].get_text()
