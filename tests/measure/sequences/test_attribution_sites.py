"""Holds precision, recall and found changes to scores that are made by hand."""

from typing import Any

import numpy as np
import pytest

from embspace.measure.sequences.attribution_seeds import REGRESSION, ScoredModel
from embspace.measure.sequences.attribution_sites import (
    _bounded,
    _share,
    _share_of,
    change_rows,
    place_rows,
    precision_rows,
    recall_rows,
)
from embspace.measure.sequences.sequence_texts import PlacedSequences
from tests.measure.sequences.small import N_PLACES, SITES, planted_sequences

OPTIONS: dict[str, Any] = {"n_resamples": 20, "level": 0.95, "seed": 0}
N = 24


def models(placed: PlacedSequences) -> list[ScoredModel]:
    """A method that knows the sites, one that finds one of three, and a regression like it."""
    at_sites = np.tile(np.isin(np.arange(N_PLACES), SITES) * 1.0, (N, 1))
    one = np.tile(np.isin(np.arange(N_PLACES), [0, 1, SITES[0]]) * 1.0, (N, 1))
    return [
        ScoredModel("trained", 0, {"best": at_sites, "third": one}, {}),
        ScoredModel("random weights", 0, {"best": -at_sites}, {}),
        ScoredModel("logistic regression", None, {REGRESSION: one}, {}),
    ]


def test_precision_against_chance_and_the_regression() -> None:
    placed, _ = planted_sequences(N)
    best, third, worst, regression = precision_rows(models(placed), placed, **OPTIONS)
    assert best["n_documents"] == N // 2  # the other class has no defining change
    assert (best["precision"], best["precision_low"]) == pytest.approx((1, 1))
    assert best["chance_precision"] == pytest.approx(3 / N_PLACES)
    assert best["precision_less_regression"] == pytest.approx(2 / 3)
    assert best["precision_less_regression_low"] == pytest.approx(2 / 3)
    assert third["precision"] == pytest.approx(1 / 3)
    assert third["precision_less_regression"] == pytest.approx(0)
    assert worst["precision"] == 0
    assert worst["weights"] == "random weights"
    assert "precision_less_regression" not in regression
    assert "finds_sites" not in worst and "finds_sites" not in regression
    assert regression["any_class_precision"] == pytest.approx(1 / 3)


def test_a_method_finds_the_sites_above_chance_and_above_all_random_weights() -> None:
    placed, _ = planted_sequences(N)
    known, third, regression = (
        models(placed)[0].scores["best"],
        models(placed)[0],
        models(placed)[2],
    )
    trained = ScoredModel("trained", 0, {"best": known, "third": third.scores["third"]}, {})

    def verdicts(*at_random: str) -> dict[str, bool]:
        scores = {"best": known, "third": third.scores["third"], "none": -known}
        other = [
            ScoredModel("random weights", seed, {"third": scores[name], "best": scores["none"]}, {})
            for seed, name in enumerate(at_random)
        ]
        rows = precision_rows([trained, *other, regression], placed, **OPTIONS)
        return {row["method"]: row["finds_sites"] for row in rows if row["weights"] == "trained"}

    assert verdicts("none", "none") == {"best": True, "third": True}
    # Above chance and with no width, as documents share their places; and random weights are, too.
    assert verdicts("none", "third") == {"best": True, "third": False}
    assert verdicts("best", "none") == {"best": True, "third": False}
    assert verdicts() == {"best": False, "third": False}  # without a null nothing is decided


def test_recall_grows_with_the_number_of_places_to_one() -> None:
    placed, _ = planted_sequences(N)
    rows = list(recall_rows(models(placed), placed, [12, 1, 3, 99], **OPTIONS))
    best = {row["n_first"]: row for row in rows if row["weights"] == "trained"
            and row["method"] == "best"}  # fmt: skip
    assert [best[k]["recall"] for k in (1, 3, 12)] == pytest.approx([1 / 3, 1, 1])
    assert [best[k]["chance_recall"] for k in (1, 3, 12)] == pytest.approx([1 / 12, 1 / 4, 1])
    assert 99 not in best  # there are 12 places


def test_a_change_is_found_where_its_place_is_among_the_first() -> None:
    placed, _ = planted_sequences(N)
    rows = list(change_rows(models(placed), placed, **OPTIONS))
    assert {row["weights"] for row in rows} == {"trained", "logistic regression"}
    shares = {row["change"]: row["found"] for row in rows if row["method"] == "third"}
    assert shares == pytest.approx({"A3B": 1.0, "A6B": 0.0, "A10B": 0.0})
    assert [row["chance_found"] for row in rows] == pytest.approx([0.25] * len(rows))
    assert {row["n_documents"] for row in rows} == {N // 2}


def test_places_have_the_mean_score_of_trained_seeds() -> None:
    placed, _ = planted_sequences(N)
    rows = list(place_rows(models(placed), placed))
    best = [row for row in rows if row["method"] == "best" and row["class"] == "planted"]
    assert [row["place"] for row in best if row["attribution"] == 1] == list(SITES)
    assert [row["place"] for row in best if row["n_changes"]] == list(SITES)
    assert not any(row["n_changes"] for row in rows if row["class"] == "other")


def test_bounds_of_a_share_are_shares() -> None:
    assert _bounded("share", 0.5, -0.1, 1.2) == {"share": 0.5, "share_low": 0, "share_high": 1}
    assert _bounded("share", 0.5, 0.3, 0.6) == {"share": 0.5, "share_low": 0.3, "share_high": 0.6}


def test_every_number_of_precision_and_recall() -> None:
    placed, _ = planted_sequences(N)
    rows = precision_rows(models(placed), placed, **OPTIONS)
    names = ["precision", "any_class_precision"]
    # Of the regression's three first places one is a site, as of the second method's.
    by_hand = {"best": 1, "third": 1 / 3, REGRESSION: 1 / 3}
    for row in (row for row in rows if row["weights"] != "random weights"):
        assert (row["n_documents"], row["n_places"]) == (N // 2, N_PLACES)
        assert row["chance_precision"] == row["chance_any_class_precision"] == 1 / 4
        for name in names:
            ends = [row[f"{name}{end}"] for end in ("", "_low", "_high")]
            assert ends == pytest.approx([by_hand[row["method"]]] * 3)
    assert rows[0]["largest_random_any_class_precision"] == 0
    assert rows[0]["precision_less_regression_high"] == pytest.approx(2 / 3)
    assert np.isnan(rows[1]["largest_random_precision"])  # not scored at random weights
    recalls = list(recall_rows(models(placed), placed, [3], **OPTIONS))
    assert [row["recall"] for row in recalls] == pytest.approx([1, 1 / 3, 0, 1 / 3])
    assert [row["recall_low"] for row in recalls] == pytest.approx([1, 1 / 3, 0, 1 / 3])
    assert [row["recall_high"] for row in recalls] == pytest.approx([1, 1 / 3, 0, 1 / 3])
    assert {(row["n_first"], row["n_documents"]) for row in recalls} == {(3, N // 2)}
    assert [row["model_seed"] for row in recalls] == [0, 0, 0, None]


def test_every_number_of_changes_and_places() -> None:
    placed, _ = planted_sequences(N)
    rows = [
        row for row in change_rows(models(placed), placed, **OPTIONS) if row["method"] == "best"
    ]
    assert [(row["class"], row["change"], row["codon"]) for row in rows] == [
        ("planted", f"A{site + 1}B", site + 1) for site in SITES
    ]
    for end in ("", "_low", "_high"):
        assert [row[f"found{end}"] for row in rows] == [1, 1, 1]
    one, other = models(placed)[0], models(placed)[0].scores["best"]
    twice = ScoredModel("trained", 1, {"best": 3 * other}, {})
    places = [row for row in place_rows([one, twice], placed) if row["method"] == "best"]
    planted = [row for row in places if row["class"] == "planted"]
    assert [row["attribution"] for row in planted] == [2.0 * (k in SITES) for k in range(N_PLACES)]
    assert [row["first_codon"] for row in planted] == list(range(1, N_PLACES + 1))
    assert [row["last_codon"] for row in planted] == list(range(1, N_PLACES + 1))
    assert [row["n_changes"] for row in planted] == [int(k in SITES) for k in range(N_PLACES)]
    assert {row["n_documents"] for row in places} == {N // 2}


def test_a_share_of_first_places_by_hand() -> None:
    order = np.array([[2, 0, 1], [1, 2, 0]])
    wanted = np.array([[True, False, True], [True, False, False]])
    assert _share(order, wanted, np.array([2, 3])).tolist() == pytest.approx([1, 1 / 3])
    assert _share(order, wanted, np.array([1, 1])).tolist() == [1, 0]
    probability = np.array([[1.0, 0.5, 0.25], [1.0, 0.5, 0.25]])
    has = np.array([[True, True, False], [False, False, True]])
    assert _share_of(probability, has).tolist() == [0.75, 0.25]
