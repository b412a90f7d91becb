"""Holds intervals over texts to closed forms, to each half computed by itself, and to chance."""

import warnings
from dataclasses import asdict
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

import embspace.geometry.inference.half_samples as module
import embspace.geometry.measures.declaration as declared
from embspace.geometry import hubness, mean_cosine
from embspace.geometry.inference.half_samples import (
    TextEstimate,
    estimate_over_texts,
    half_sample_error,
    half_units,
    student_quantile,
)
from embspace.geometry.measures.declaration import Definition, Estimate, measure, value_of
from embspace.geometry.measures.registry import profiled_measures
from embspace.geometry.measures.unit_sums import UnitMoments, UnitSums
from embspace.geometry.pairs.moments import moments_of
from embspace.geometry.pairs.neighbors import NeighborGraph
from tests.geometry.brute import neighbors_of
from tests.geometry.clouds import CLOUD, LARGER, UNDEFINED, WORDS, N
from tests.lazy import torch

KNOWN = profiled_measures()
TEXTS = np.random.default_rng(4).permutation(N) // 10  # 20 texts, whose rows stand anywhere
FACTS: dict[str, Any] = {"formula": "x", "range": "x", "source": "x", "bias": "x"}


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def estimated(x: Any = CLOUD, text: Any = TEXTS, **changed: Any) -> dict[str, TextEstimate]:
    usual = {"word": WORDS, "n_half_samples": 20, "rng": rng()}
    return estimate_over_texts(x, text, **{**usual, **changed})


@cache
def usual() -> dict[str, TextEstimate]:
    """Return the estimates of all measures, which take seconds; treat them as read-only."""
    return estimated(measures=list(KNOWN.values()))


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> dict[str, Definition]:
    """What is declared here, which no other test sees."""
    monkeypatch.setattr(declared, "DEFINED", {})

    @measure("direction", **FACTS, invariant_to=[])
    def first_mean(x: np.ndarray) -> float:
        """Mean of the first coordinate."""
        return float(x[:, 0].mean())

    @measure("direction", **FACTS, invariant_to=[], is_sum=True)
    def first_sum(x: np.ndarray) -> Estimate:
        """Sum of the first coordinate."""
        return Estimate(float(x[:, 0].sum()), float("nan"), len(x) - 1, 1)

    @measure("direction", **FACTS, invariant_to=[])
    def n_vectors(x: np.ndarray) -> float:
        """Number of vectors."""
        return float(len(x))

    return declared.DEFINED


def alone(own: dict[str, Definition], name: str, values: Any, **changed: Any) -> TextEstimate:
    """Of texts of one vector of one coordinate."""
    x = np.asarray(values, dtype=np.float64)[:, None]
    return estimated(x, np.arange(len(x)), word=None, measures=[own[name]], **changed)[name]


# --- Halves, their error, the interval.


@pytest.mark.parametrize("n_units", [4, 5, 8, 9, 40])
def test_each_half_is_followed_by_the_other_one(n_units: int) -> None:
    chosen = half_units(n_units, 31, rng())
    assert chosen.shape == (31, n_units)
    assert (chosen[0:30:2] ^ chosen[1:31:2]).all()
    assert set(chosen[0::2].sum(axis=1)) == {n_units // 2}
    assert len(np.unique(half_units(40, 100, rng()), axis=0)) == 100


def test_every_unit_is_in_half_of_the_halves() -> None:
    assert (half_units(7, 200, rng()).mean(axis=0) == 0.5).all()
    firsts = half_units(6, 40_000, rng())[::2]
    assert firsts.mean(axis=0) == pytest.approx(np.full(6, 0.5), abs=0.02)
    both = [(firsts[:, i] & firsts[:, j]).mean() for i, j in combinations(range(6), 2)]
    assert both == pytest.approx(np.full(15, 0.2), abs=0.02)


@pytest.mark.parametrize("n_units", [0, 1, 3])
def test_too_few_units_have_no_half(n_units: int) -> None:
    assert half_units(n_units, 10, rng()).shape == (0, n_units)


@pytest.mark.parametrize("n_units", [4, 5, 8, 9, 10])
def test_all_halves_give_the_standard_error_of_a_mean(n_units: int) -> None:
    values = rng(n_units).normal(size=(n_units, 2)) * [1, 30]
    halves = [list(chosen) for chosen in combinations(range(n_units), n_units // 2)]
    others = [[unit for unit in range(n_units) if unit not in chosen] for chosen in halves]
    drawn = np.array([values[chosen].mean(axis=0) for chosen in halves + others])
    expected = values.std(axis=0, ddof=1) / np.sqrt(n_units)
    assert half_sample_error(drawn, n_units) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_units", [6, 7])
@pytest.mark.parametrize("n_halves", [2, 6])
def test_few_halves_are_right_on_average(n_units: int, n_halves: int) -> None:
    values = rng(1).normal(size=n_units)
    squared = []
    for seed in range(3000):
        halves = half_units(n_units, n_halves, rng(seed))
        drawn = np.array([values[half].mean() for half in halves])
        squared.append(half_sample_error(drawn, n_units) ** 2)
    assert np.mean(squared) == pytest.approx(values.var(ddof=1) / n_units, rel=0.06)


def test_the_error_is_that_of_what_is_defined() -> None:
    drawn = np.array([[1.0, np.nan, np.nan], [3.0, 5.0, np.nan], [np.nan, 7.0, 4.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        errors = half_sample_error(drawn, 8)
        none = half_sample_error(np.empty((0, 2)), 2)
    assert errors[:2] == pytest.approx([1, 1])
    assert np.isnan(errors[2])
    assert np.isnan(none).all()


@pytest.mark.slow
def test_an_interval_of_a_mean_is_students(own: dict[str, Definition]) -> None:
    values = rng(3).normal(size=12)
    for level in (0.5, 0.95):
        estimate = alone(own, "first_mean", values, n_half_samples=20_000, level=level)
        expected = stats.ttest_1samp(values, 0).confidence_interval(level)
        assert (estimate.low, estimate.high) == pytest.approx(tuple(expected), abs=0.02)
        assert estimate.value == pytest.approx(values.mean())
        assert estimate.high - estimate.value == pytest.approx(estimate.value - estimate.low)


def test_few_halves_leave_fewer_degrees_of_freedom() -> None:
    assert student_quantile(21, 10**9, 0.9) == pytest.approx(stats.t.ppf(0.95, 20), abs=1e-6)
    assert student_quantile(10**9, 40, 0.9) == pytest.approx(stats.t.ppf(0.95, 20), abs=1e-6)
    assert student_quantile(41, 80, 0.95) == pytest.approx(stats.t.ppf(0.975, 20))


@pytest.mark.parametrize(("n_units", "n_halves"), [(5, 20), (8, 100), (40, 10), (40, 40)])
def test_an_interval_of_a_mean_holds_the_truth_as_often_as_it_says(
    n_units: int, n_halves: int
) -> None:
    hits = []
    for seed in range(2000):
        values, halves = rng(seed).normal(size=n_units), half_units(n_units, n_halves, rng(seed))
        error = half_sample_error((halves @ values) / halves.sum(axis=1), n_units)
        hits.append(abs(values.mean()) <= error * student_quantile(n_units, n_halves, 0.95))
    assert np.mean(hits) == pytest.approx(0.95, abs=0.02)


# --- Every measure.


def test_every_measure_is_what_halves_computed_alone_give() -> None:
    halves = half_units(20, 20, rng())
    estimates = usual()
    assert set(estimates) == set(KNOWN) - {"iso_score_star"}
    groups = {"word": WORDS, "text": TEXTS}

    def value(name: str, rows: np.ndarray) -> float:
        definition = KNOWN[name]
        group = (
            {} if definition.grouped_by is None else {"group": groups[definition.grouped_by][rows]}
        )
        value_of_rows = value_of(definition.function(CLOUD[rows], **group))
        return value_of_rows * N / len(rows) if name == "cone_index" else value_of_rows

    for name in set(estimates) - UNDEFINED:
        estimate = estimates[name]
        drawn = np.array([value(name, np.flatnonzero(half[TEXTS])) for half in halves])
        assert estimate.value == pytest.approx(value(name, np.arange(N)), rel=1e-6), name
        assert estimate.of_half == pytest.approx(np.nanmean(drawn), rel=1e-4), name
        assert estimate.standard_error == pytest.approx(np.nanstd(drawn), rel=1e-3), name
        reach = estimate.standard_error * stats.t.ppf(0.975, 1 / (1 / 19 + 1 / 10))
        assert (estimate.low, estimate.high) == pytest.approx(
            (estimate.value - reach, estimate.value + reach)
        )


@pytest.mark.parametrize("cost", [0, 10**9])
def test_where_sums_of_products_are_taken_changes_nothing(
    cost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = usual()
    monkeypatch.setattr(module, "UNIT_COST", cost)
    kept: list[int] = []
    monkeypatch.setattr(module, "UnitSums", lambda units: kept.append(1) or UnitSums(units))
    assert_equal(estimated(), before, rel=1e-6)
    assert len(kept) == (5 if cost == 0 else 4)  # of moments, beside directions and three of texts


def test_sums_that_are_too_many_to_keep_and_other_blocks_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = usual()
    monkeypatch.setattr(module, "MOST_NUMBERS", 0)
    monkeypatch.setattr(module, "BLOCK", 3)
    monkeypatch.setattr(module, "with_spare", lambda k: k)
    assert_equal(estimated(), before, rel=1e-6)


@pytest.mark.parametrize("n_at_once", [1, 3, 19])
def test_products_of_units_that_do_not_fit_are_added_up_unit_by_unit(
    n_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = usual()
    kept: list[int] = []

    def counted(*parts: Any) -> UnitMoments:
        kept.append(1)
        return UnitMoments(*parts)

    monkeypatch.setattr(module, "UnitMoments", counted)
    monkeypatch.setattr(module, "UNIT_COST", -N)  # as quick as none
    monkeypatch.setattr(module, "MOST_NUMBERS", n_at_once * CLOUD.shape[1] ** 2)
    monkeypatch.setattr(module, "MOST_HELD", 3 * CLOUD.shape[1] ** 2)
    assert_equal(estimated(), before, rel=1e-6)
    assert kept == [1]


def test_of_equal_distances_the_smaller_row_is_nearer_in_halves_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "with_spare", lambda k: k)
    grid = np.stack(np.meshgrid(*[np.arange(-4.0, 5.0)] * 2), axis=-1).reshape(-1, 2)
    text = rng(6).permutation(len(grid)) % 9
    drawn = []
    for half in half_units(9, 20, rng()):
        indices, distances = neighbors_of(grid[half[text]].astype(np.float32), 10)
        drawn.append(hubness(NeighborGraph(indices.astype(np.int32), distances)))
    estimate = estimated(grid, text, word=None, measures=[KNOWN["hubness"]])["hubness"]
    assert estimate.of_half == pytest.approx(np.mean(drawn), rel=1e-9)


def test_the_seed_decides() -> None:
    assert_equal(estimated(rng=rng(5)), estimated(rng=rng(5)), rel=0)
    one, other = (estimated(rng=rng(seed))["two_nn"] for seed in (5, 6))
    assert one.value == other.value
    assert one.low != other.low


def test_the_order_of_the_vectors_changes_nothing() -> None:
    order = rng(3).permutation(N)
    measures = [
        definition for name, definition in KNOWN.items() if name != "text_curvature"
    ]  # of paths
    moved = estimated(CLOUD[order], TEXTS[order], word=WORDS[order], measures=measures)
    assert_equal(moved, estimated(measures=measures), rel=1e-6)


def test_the_names_of_the_texts_and_words_change_no_value_and_no_error_but_by_chance() -> None:
    many = {"n_half_samples": 400, "measures": [KNOWN["self_similarity"], KNOWN["effective_rank"]]}
    before = estimated(**many)
    renamed, words = rng(3).permutation(20)[TEXTS] * 7 - 50, rng(4).permutation(20)[WORDS] + 10**6
    after = estimated(text=renamed, word=words, **many)
    for name, estimate in after.items():
        assert estimate.value == pytest.approx(before[name].value, rel=1e-9)
        assert estimate.standard_error == pytest.approx(before[name].standard_error, rel=0.2)
        assert estimate.of_half == pytest.approx(before[name].of_half, rel=0.01)
    in_the_same_order = estimated(text=TEXTS * 3 + 8, **many)
    assert_equal(in_the_same_order, before, rel=0)


def test_a_tensor_is_as_good_as_an_array() -> None:
    short = CLOUD.astype(np.float32)
    tensor_estimates = estimated(torch.from_numpy(short), measures=[KNOWN["two_nn"]])
    assert tensor_estimates == estimated(short.astype(np.float64), measures=[KNOWN["two_nn"]])


def test_a_measure_that_needs_something_is_left_out_without() -> None:
    without = estimated(word=None)
    assert set(KNOWN) - set(without) == {
        "iso_score_star",
        *(definition.name for definition in KNOWN.values() if definition.grouped_by == "word"),
    }
    assert "intra_sentence_similarity" in without
    options: dict[str, dict[str, Any]] = {
        "iso_score_star": {"larger": LARGER, "zeta": 0.3},
        "hubness": {"k": 5},
    }
    estimates = estimated(measures=[KNOWN["iso_score_star"], KNOWN["hubness"]], options=options)
    for name, estimate in estimates.items():
        assert estimate.value == pytest.approx(KNOWN[name].function(CLOUD, **options[name]))
        assert estimate.low < estimate.value < estimate.high


def test_a_new_measure_is_one_function(own: dict[str, Definition]) -> None:
    @measure("context", **FACTS, invariant_to=["rotation"], grouped_by="word")
    def mean_squared_norm(x: np.ndarray, group: np.ndarray) -> float:
        """Mean over words of the mean square of the norm."""
        squared = np.square(x).sum(axis=1)
        return float(np.mean([squared[group == word].mean() for word in np.unique(group)]))

    estimates = estimated()
    assert set(estimates) == {*KNOWN, *own} - {"iso_score_star"}
    assert list(estimates)[:2] == list(KNOWN)[:2]
    new = estimates["mean_squared_norm"]
    assert new.value == pytest.approx(np.square(CLOUD).sum(axis=1).mean())
    assert new.low < new.of_half < new.high
    assert new.converged
    assert "mean_squared_norm" not in estimated(word=None)


# --- What an estimate says besides.


def test_numbers_of_vectors_and_texts(own: dict[str, Definition]) -> None:
    copies = np.vstack([CLOUD, CLOUD[:3]])
    text, word = np.append(TEXTS, [0, 1, 2]), np.append(WORDS, [0, 1, 2])
    estimates = estimated(copies, text, word=word)
    assert (estimates["mean_cosine"].n, estimates["mean_cosine"].dropped) == (N + 3, 0)
    assert estimates["two_nn_discarding"].n < N
    assert estimates["two_nn_discarding"].n + estimates["two_nn_discarding"].dropped == N + 3
    assert {estimate.n_texts for estimate in estimates.values()} == {20}
    assert (estimates["first_sum"].n, estimates["first_sum"].dropped) == (N + 2, 1)


def test_halves_of_a_sum_are_counted_twice(own: dict[str, Definition]) -> None:
    values = rng(1).normal(size=40) + 10
    mean, total = (alone(own, name, values) for name in ("first_mean", "first_sum"))
    for name in ("value", "low", "high", "standard_error", "of_half"):
        assert getattr(total, name) == pytest.approx(40 * getattr(mean, name)), name
    assert total.converged
    assert not alone(own, "n_vectors", values).converged
    assert usual()["cone_index"].converged


def test_what_depends_on_the_number_of_vectors_has_not_converged() -> None:
    x, text = rng(2).normal(size=(400, 100)), np.arange(400) // 10
    names = ("participation_ratio", "debiased_participation_ratio")
    measures = [KNOWN[name] for name in names]
    biased, level = estimated(x, text, measures=measures, word=None).values()
    assert biased.of_half < 0.95 * biased.value
    assert (biased.converged, level.converged) == (False, True)
    generous = estimated(x, text, measures=measures, word=None, tolerance=0.3)
    assert generous["participation_ratio"].converged


def test_chance_alone_is_no_lack_of_convergence() -> None:
    """Of a value near 0, no share is enough; the error of the mean of halves is."""
    text, measures = np.arange(1000) // 5, [KNOWN["mean_cosine"]]
    draws = [
        estimated(
            rng(seed).normal(size=(1000, 30)), text, word=None, measures=measures, tolerance=0.0
        )
        for seed in range(40)
    ]
    assert np.mean([estimates["mean_cosine"].converged for estimates in draws]) > 0.8
    assert max(abs(estimates["mean_cosine"].value) for estimates in draws) < 0.01


def test_a_constant_has_no_width(own: dict[str, Definition]) -> None:
    estimate = alone(own, "first_mean", np.full(8, 3.0))
    assert (estimate.low, estimate.value, estimate.high, estimate.of_half) == (3, 3, 3, 3)
    assert estimate.converged


def test_what_halves_do_not_have_has_no_interval() -> None:
    """24 vectors have 20 neighbors each, 12 have not."""
    x, text = CLOUD[:24], np.arange(24) // 3
    estimates = estimated(x, text, word=None)
    for name in ("mle_dimension", "correlation_dimension"):
        assert estimates[name].value == pytest.approx(value_of(KNOWN[name].function(x)))
        assert np.isnan([estimates[name].low, estimates[name].high, estimates[name].of_half]).all()
        assert not estimates[name].converged
    assert not np.isnan(estimates["hubness"].low)


def test_some_halves_may_lack_a_value(own: dict[str, Definition]) -> None:
    @measure("direction", **FACTS, invariant_to=[])
    def mean_with_the_first(x: np.ndarray) -> float:
        """Mean where the largest is among the vectors."""
        return float(x.mean()) if x.max() == 100 else float("nan")

    values = np.append(rng(1).normal(size=9), 100)
    estimate = alone(declared.DEFINED, "mean_with_the_first", values, n_half_samples=40)
    halves = [values[half] for half in half_units(10, 40, rng())]
    drawn = np.array([half.mean() for half in halves if half.max() == 100])
    assert len(drawn) == 20
    assert estimate.of_half == pytest.approx(drawn.mean())
    assert estimate.standard_error == pytest.approx(drawn.std())
    reach = estimate.standard_error * stats.t.ppf(0.975, 1 / (1 / 9 + 1 / 10))
    assert estimate.high == pytest.approx(estimate.value + reach)


@pytest.mark.parametrize("n_texts", [1, 2, 3])
def test_fewer_than_four_texts_have_no_interval(n_texts: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimates = estimated(text=np.arange(N) % n_texts)
    for name, estimate in estimates.items():
        assert estimate.n_texts == n_texts
        assert np.isnan(estimate.value) == (name in UNDEFINED), name
        bounds = [estimate.low, estimate.high, estimate.standard_error, estimate.of_half]
        assert np.isnan(bounds).all(), name
        assert not estimate.converged


def test_many_texts_are_joined_to_units(own: dict[str, Definition]) -> None:
    seen = []

    @measure("context", **FACTS, invariant_to=[], grouped_by="text")
    def spy(x: np.ndarray, group: np.ndarray) -> float:
        """Remember which texts there are, and how much of each."""
        seen.append(np.bincount(group, minlength=450))
        return float(x[:, 0].mean())

    text = rng().permutation(np.repeat(np.arange(450), 2))
    x = rng(1).normal(size=(900, 1))
    measures = [declared.DEFINED["spy"]]
    estimate = estimated(x, text, word=None, measures=measures, n_half_samples=60)["spy"]
    assert estimate.n_texts == 450
    whole = [counts for counts in seen if counts.sum() == 900]
    halves = np.array([counts for counts in seen if counts.sum() < 900])
    assert (len(whole), len(halves)) == (1, 60)
    assert set(halves.ravel()) == {0, 2}  # no text is divided
    assert (halves[0::2] + halves[1::2] == 2).all()
    together = (halves[:, :, None] == halves[:, None, :]).all(axis=0)
    n_units = len(np.unique(together, axis=0))
    assert n_units == 200
    assert set(together.sum(axis=1)) == {2, 3}
    assert estimate.standard_error == pytest.approx(1 / np.sqrt(900), rel=0.25)


def test_two_hundred_texts_are_as_many_units() -> None:
    assert module.units_of(np.arange(N)).tolist() == list(range(N))


# --- What is refused.


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"text": TEXTS[1:]}, r"text: expected the same points, found 200 and 199 rows"),
        ({"word": WORDS[1:]}, r"word: expected the same points, found 200 and 199 rows"),
        ({"x": CLOUD[0]}, r"x: expected vectors, \(n, dim\), found shape \(12,\)"),
        ({"x": CLOUD[:0]}, r"x: expected at least 1 row, found 0"),
        ({"x": [[1.0, 2.0], [3.0]]}, "x: expected vectors, .* found rows of several lengths"),
        ({"x": moments_of(CLOUD)}, r"x: expected vectors, \(n, dim\), found Moments"),
        ({"x": np.where(CLOUD[9, 3] == CLOUD, np.nan, CLOUD)}, "NaN or infinity in row 9"),
        ({"level": 95.0}, "level: expected a share between 0 and 1, found 95.0"),
        ({"options": {"hubness": {"k": 0}}}, "hubness: k: expected 1 to 100, found 0"),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimated(**changed)


def test_too_few_vectors_for_a_measure_name_it() -> None:
    x, text = CLOUD[:12], np.arange(12) // 3
    with pytest.raises(ValueError, match="correlation_dimension: k: expected 1 to 11"):
        estimated(x, text, word=None, measures=[KNOWN["correlation_dimension"]])
    assert estimated(x, text, word=None, measures=[KNOWN["mean_cosine"]])[
        "mean_cosine"
    ].value == pytest.approx(mean_cosine(x))


def assert_equal(
    estimates: dict[str, TextEstimate], expected: dict[str, TextEstimate], *, rel: float
) -> None:
    assert list(estimates) == list(expected)
    for name, estimate in estimates.items():
        expected_fields = asdict(expected[name])
        for key, value in asdict(estimate).items():
            same = pytest.approx(expected_fields[key], rel=rel, abs=rel, nan_ok=True)
            assert value == same, (name, key)
