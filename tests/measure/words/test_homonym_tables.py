import numpy as np
import pandas as pd
import pytest

from embspace.measure.tables.deviations import ENDING
from embspace.measure.words.homonym_statistics import (
    FIRST_LAYERS,
    MEASURES,
    OVER_LAYERS,
    WordValues,
    slope_name,
)
from embspace.measure.words.homonym_tables import (
    CellColumns,
    Findings,
    bag_of_words,
    columns_of,
    drift_rows,
    find_senses,
    largest,
    layer_table,
    word_table,
)


def findings_of(name: str, draws: np.ndarray) -> Findings:
    """The same draws at each place; at random weights ten times as large."""
    values = draws[:, np.newaxis, np.newaxis, np.newaxis] * np.array([1.0, 10.0])[:, None, None]
    values = np.broadcast_to(values, (len(draws), 2, 1, len(MEASURES)))
    bounds = {name: values[:1] - 0.5}, {name: values[:1] + 0.5}
    halves = {name: values[:1] * [[[-0.5]], [[0.25]]]}
    return Findings({name: values}, *bounds, halves, n_words=np.full((2, 1, 3), 7.0), level=0.8)


def cell_of(name: str, **beside: bool) -> CellColumns:
    return CellColumns(name, "distance", **beside)


def test_a_cell_has_a_column_for_all_that_stands_beside_it():
    assert cell_of("ratio").columns("") == {"ratio": "distance"}
    bounded = cell_of("ratio", interval=True).columns("")
    assert bounded == dict.fromkeys(["ratio", "ratio_low", "ratio_high"], "distance")
    full = cell_of("ratio", interval=True, null=True, p_value=True).columns("random_weights_")
    nulls = ["random_weights_null_ratio" + end for end in ("", "_low", "_high")]
    expected = [*((name, "null_value") for name in nulls), ("random_weights_p_value", "p_value")]
    assert [*full.items()][3:] == expected


def test_the_values_of_a_cell_by_hand():
    findings = findings_of("ratio", np.array([4.0, 0.0, 1.0, 2.0, 3.0, 4.0]))
    cell = cell_of("slope", interval=True, null=True, p_value=True)
    row = findings.cells(cell, "ratio", (0, 0, 2), "")
    assert row == pytest.approx(
        {
            "slope": 4.0,
            "slope_low": 3.5,
            "slope_high": 4.5,
            "null_slope": 2.0,
            "null_slope_low": 0.4,
            "null_slope_high": 3.6,
            "p_value": 2 / 6,  # one draw is as large, and the value itself
        }
    )


def test_trained_and_random_weights_stand_side_by_side():
    findings = findings_of("ratio", np.array([4.0, 0.0]))
    assert findings.both(cell_of("ratio"), "ratio", 0, 1) == {
        "ratio": 4.0,
        "random_weights_ratio": 40.0,
    }


@pytest.mark.parametrize("measure", range(len(MEASURES)))
def test_mean_distances_of_cosines_are_shown_as_cosines(measure: int):
    findings = findings_of("within", np.array([0.25, 0.0]))
    row = findings.cells(cell_of("within"), "within", (0, 0, measure), "")
    assert row["within"] == (0.75 if MEASURES[measure][1] == "cosine" else 0.25)


def test_draws_that_differ_by_rounding_are_as_large():
    findings = findings_of("ratio", np.array([0.3, 0.3 - 1e-16, 0.1 + 0.2, 0.2]))
    row = findings.cells(cell_of("ratio", p_value=True), "ratio", (0, 0, 0), "")
    assert row["p_value"] == 3 / 4


def test_a_null_that_is_not_defined_has_no_range():
    findings = findings_of("ratio", np.array([1.0, np.nan, np.nan]))
    row = findings.cells(cell_of("ratio", null=True), "ratio", (0, 0, 0), "")
    assert row.pop("ratio") == 1
    assert np.isnan(list(row.values())).all()


def test_the_layer_of_the_largest_value_counts_from_the_embedding_output():
    values = np.array([9.0, 1.0, np.nan, 5.0])
    assert largest(values, 0) == 0
    assert largest(values, 1) == 3
    assert np.isnan(largest(np.full(3, np.nan), 0))
    assert np.isnan(largest(np.array([1.0]), 1))


def test_shares_that_are_equal_but_for_rounding_differ_by_zero():
    findings = findings_of("context_gain", np.array([0.3 - (0.1 + 0.2)]))
    row = findings.cells(cell_of("context_gain"), "context_gain", (0, 0, 0), "")
    assert str(row["context_gain"]) == "0.0"  # neither -5.6e-17 nor -0.0


def test_the_largest_layer_is_that_of_the_true_senses_at_trained_weights():
    values = np.tile(np.array([2.0, 1.0, 0.0])[:, np.newaxis], (2, 2, 1, len(MEASURES)))
    values[0, 0] = values[0, 0, ::-1]  # falling in the draw, and at random weights
    estimates = dict.fromkeys(OVER_LAYERS, values)
    slopes = [slope_name(name, first) for name in OVER_LAYERS for first in FIRST_LAYERS]
    estimates |= dict.fromkeys(slopes, values[:, :, :1])
    table = pd.DataFrame(
        drift_rows(
            Findings(estimates, estimates, estimates, estimates, np.full((2, 3, 3), 7.0), level=0.8)
        )
    )
    assert (table["largest_layer"] == 2).all()


def test_distances_of_a_word_are_shown_as_cosines_where_those_are_measured():
    distances = np.full((1, 1, 2, 1, len(MEASURES)), 0.25)
    bags = np.full((1, 1, 1, 1, 1), 0.5)
    values = WordValues(distances, 3 * distances, *[distances] * 3, bags)
    senses = pd.DataFrame({"word": ["a"], "sense": ["x"], "n_tokens": 1})
    table = word_table(values, findings_of("between_words", np.array([1.0])), senses)
    shown = {row["quantity"]: (row["within"], row["between"]) for _, row in table.iterrows()}
    assert shown == {"cosine": (0.75, 0.25), "euclidean_distance": (0.25, 0.75)}
    assert (table["difference"] == 0.5).all()


def findings_of_places(names: list[str], n_layers: int = 2) -> Findings:
    """The value of weights w, layer l and measure m is 100 w + 10 l + m, less the draw's number."""
    weights, layer, measure = np.indices((2, n_layers, len(MEASURES)))
    place = 100.0 * weights + 10 * layer + measure
    values = dict.fromkeys(names, place - np.arange(6.0)[:, None, None, None])
    low, high = ({name: x[:1] + end for name, x in values.items()} for end in (-2, 3))
    deviations = {name: x[:2] * 0 + [[[[1.0]]], [[[2.0]]]] for name, x in values.items()}
    n_words = np.full((2, n_layers, len(MEASURES)), 9.0)
    n_words[0, 1] = [7, 8, 9]
    return Findings(values, low, high, deviations, n_words, level=0.5)


def test_every_number_of_the_layers():
    cell = cell_of("difference", interval=True, null=True, p_value=True)
    table = layer_table(findings_of_places(["difference"]), [cell])
    assert {*columns_of(cell), f"difference{ENDING}"} < set(table)
    assert table["layer"].tolist() == [0, 0, 0, 1, 1, 1]
    assert list(zip(table["preparation"], table["quantity"], strict=True)) == [*MEASURES] * 2
    assert table["n_words"].tolist() == [9, 9, 9, 7, 8, 9]
    place = np.array([0.0, 1, 2, 10, 11, 12])
    for prefix, values in (("", place), ("random_weights_", place + 100)):
        ends = {"difference": 0, "difference_low": -2, "difference_high": 3}
        # Of the draws 1 to 5 less than the value the mean, and the quarters from either end.
        ends |= {"null_difference": -3, "null_difference_low": -4, "null_difference_high": -2}
        for name, end in ends.items():
            assert table[prefix + name].tolist() == (values + end).tolist(), name
        assert table[f"{prefix}p_value"].tolist() == pytest.approx([1 / 6] * 6)
    assert all(differences.tolist() == [1, 2] for differences in table[f"difference{ENDING}"])


def test_every_number_of_the_drift():
    slopes = [slope_name(name, first) for name in OVER_LAYERS for first in FIRST_LAYERS]
    table = pd.DataFrame(drift_rows(findings_of_places([*OVER_LAYERS, *slopes])))
    names = ["difference", "ratio", "relative_difference"]
    assert table["statistic"].tolist() == [name for name in names for _ in range(2)] * 3
    assert table["first_layer"].tolist() == [0, 1] * 9
    assert (table["last_layer"] == 1).all() and (table["largest_layer"] == 1).all()
    assert table["n_words"].tolist() == [7] * 6 + [8] * 6 + [9] * 6
    measure = np.repeat([0.0, 1, 2], 6)
    assert table["slope"].tolist() == measure.tolist()
    assert table["random_weights_slope"].tolist() == (100 + measure).tolist()
    assert table["slope_low"].tolist() == (measure - 2).tolist()
    assert table["random_weights_slope_high"].tolist() == (103 + measure).tolist()
    assert table["random_weights_null_slope"].tolist() == (97 + measure).tolist()


def test_every_number_of_the_words():
    within, between = np.zeros((2, 2, 2, 1, 3)), np.zeros((2, 2, 2, 1, 3))
    within[0], between[0] = 0.5, 0.75  # the first word
    within[1], between[1] = 0.25, 1.0
    within[:, 0, 1], between[:, 0, 1] = 0.5, 0.25  # at random weights
    within[:, 1], between[:, 1] = 7, 7  # in a draw
    accuracy = np.full_like(within, 0.1)
    accuracy[0, 0, 0], accuracy[1, 0, 0] = 0.6, 0.8
    bags = np.full((2, 2, 1, 1, 1), 0.5)
    values = WordValues(within, between, within[:, :1] + within[:1], accuracy, accuracy, bags)
    senses = pd.DataFrame({"word": [*"bab"], "sense": [*"xyz"], "n_tokens": [1, 2, 3]})
    table = word_table(values, findings_of("between_words", np.array([2.0])), senses)
    assert table["rank"].tolist() == [1, 2] * 3
    assert table["word"].tolist() == ["a", "b"] * 3
    assert table["senses"].tolist() == ["y", "x, z"] * 3
    assert table["n_sentences"].tolist() == [1, 2] * 3
    assert table["n_tokens"].tolist() == [2, 3] * 3
    assert (table["layer"] == 0).all()
    assert table["difference"].tolist() == [0.75, 0.25] * 3
    assert table["ratio"].tolist() == [4, 1.5] * 3
    assert table["relative_difference"].tolist() == [0.375, 0.125] * 3
    assert table["accuracy"].tolist() == [0.8, 0.6] * 3
    assert (table["random_weights_difference"] == -0.25).all()
    assert (table["random_weights_ratio"] == 0.5).all()


def test_how_many_words_have_a_measure_is_counted_of_the_true_senses():
    rng = np.random.default_rng(0)
    x = rng.random((5, 3, 2, 2, 3))
    x[0, 0, 0, 1, 2] = np.nan
    x[:, 1] = np.nan  # of a draw
    values = WordValues(x, x + 1, rng.random((5, 5, 2, 2, 3)), x, x, x[:, :, :1, :1, :1])
    findings = find_senses(values, n_resamples=9, level=0.8, generator=rng)
    expected = np.full((2, 2, 3), 5.0)
    expected[0, 1, 2] = 4
    assert findings.n_words.tolist() == expected.tolist() and findings.level == 0.8
    assert bag_of_words(findings)["accuracy"] == pytest.approx(x[:, 0, 0, 0, 0].mean())
