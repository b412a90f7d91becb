import numpy as np
import pytest

from embspace.measure.blocks.query_key_form_heads import LAYER_MEASURES, OF_RANK, Forms
from embspace.measure.blocks.query_key_form_nulls import (
    HEAD_MEASURES,
    null_rows,
    profile_rows,
    rank_rows,
)


def forms(*values: float, layer_value: float = 0.7) -> Forms:
    """Two layers, in each a head of each value, all measures alike."""
    heads = [
        {"layer": layer, "head": head} | dict.fromkeys(HEAD_MEASURES, value)
        for layer in (1, 2)
        for head, value in enumerate(values, start=1)
    ]
    layers = [
        {"layer": layer} | dict.fromkeys(LAYER_MEASURES, layer_value * layer) for layer in (1, 2)
    ]
    ranks = [
        {"layer": row["layer"], "head": row["head"], "rank": 1}
        | dict.fromkeys(OF_RANK, row["symmetry"])
        for row in heads
    ]
    return Forms(heads, layers, ranks)


def test_values_are_counted_below_within_and_above_the_draws_of_the_layer():
    table = null_rows(forms(0.1, 0.4, 0.9, 0.95), {"random": [forms(0.3, 0.5), forms(0.2, 0.8)]})
    for row in table.query("part == 'head'").to_dict("records"):
        counts = [row[column] for column in ("n_below", "n_within", "n_above", "n", "n_draws")]
        assert counts == [1, 1, 2, 4, 4]
        assert (row["null_smallest"], row["null_largest"]) == (0.2, 0.8)
        assert row["null_mean"] == pytest.approx(0.45)
        assert row["median"] == pytest.approx(0.65)


def test_a_value_that_is_a_draw_lies_within():
    table = null_rows(forms(0.3, 0.3 + 1e-12), {"random": [forms(0.3)]})
    assert (table["n_within"] == table["n"]).all()


def test_what_is_not_defined_is_no_value_and_no_draw():
    table = null_rows(forms(np.nan, 0.4), {"random": [forms(np.nan)]})
    rows = table.query("part == 'head'")
    assert (rows["n"] == 1).all() and (rows["n_draws"] == 0).all()
    assert rows[["null_mean", "null_smallest"]].isna().all(axis=None)
    assert (rows[["n_below", "n_within", "n_above"]] == 0).all(axis=None)


def test_the_median_over_layers_has_the_medians_of_draws_for_a_null():
    table = null_rows(forms(0.5), {"random": [forms(0.5, layer_value=v) for v in (0.1, 0.2)]})
    [row] = table.query("part == 'median_of_layers' and measure == 'symmetry'").to_dict("records")
    assert row["median"] == pytest.approx(1.05)
    assert (row["null_smallest"], row["null_largest"]) == pytest.approx((0.15, 0.3))


def test_printed_values_are_on_the_scale_of_the_publication():
    rows = profile_rows(forms(0.5))
    by_measure = rows[rows["layer"] == 1].set_index("measure")
    assert by_measure.loc["symmetry", "as_printed"] == pytest.approx(0.4)
    assert by_measure.loc["directionality", "as_printed"] == pytest.approx(-0.7)
    assert np.isnan(by_measure.loc["effective_rank", "as_printed"])


def test_ranks_are_means_over_heads_and_seeds():
    table = rank_rows(forms(0.2, 0.4), {"random": [forms(0.1), forms(0.5)]})
    means = table.set_index(["weights", "layer"])["singular_share"]
    assert means["trained", 1] == pytest.approx(0.3)
    assert means["random", 2] == pytest.approx(0.3)
    assert table["n"].tolist() == [2, 2, 2, 2]


def test_every_number_of_profiles_and_ranks():
    table = profile_rows(forms(0.5))
    assert table["part"].tolist() == (["layer"] * 2 + ["median_of_layers"]) * len(LAYER_MEASURES)
    layers = table["layer"].astype("object").where(table["layer"].notna(), None)
    assert layers.tolist() == [1, 2, None] * len(LAYER_MEASURES)
    assert table["value"].tolist() == pytest.approx([0.7, 1.4, 1.05] * len(LAYER_MEASURES))
    ranks = rank_rows(forms(0.2, 0.4, 0.9), {"random": [forms(0.1), forms(0.5)]})
    assert ranks["rank"].tolist() == [1] * 4 and ranks["layer"].tolist() == [1, 2, 1, 2]
    assert ranks["principal_angle"].tolist() == pytest.approx([0.5, 0.5, 0.3, 0.3])
    assert ranks["n"].tolist() == [3, 3, 2, 2]


def test_a_value_well_beyond_a_draw_is_not_within_it():
    table = null_rows(forms(0.3 - 1e-8, 0.3 + 1e-8, 0.3 + 1e-10), {"random": [forms(0.3)]})
    rows = table.query("part == 'head'")
    assert (rows[["n_below", "n_within", "n_above"]] == 1).all(axis=None)
