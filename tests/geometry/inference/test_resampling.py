import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from embspace.geometry.inference.resampling import (
    half_of_each,
    half_sample_bounds,
    half_sample_interval,
    probability_of_larger,
    stratified_interval,
    stream_of,
    upper_p_value,
)

OPTIONS = {"n_resamples": 300, "level": 0.95}


def interval(values: np.ndarray, statistic=np.mean, seed: int = 0, level: float = 0.9):
    return half_sample_interval(
        lambda units: np.asarray(statistic(values[units])),
        len(values),
        n_resamples=200,
        level=level,
        generator=np.random.default_rng(seed),
    )


@pytest.mark.parametrize("n", [20, 31])
def test_the_interval_of_a_mean_holds_the_truth_as_often_as_it_says(n: int):
    rng = np.random.default_rng(1)
    covered = 0
    for seed in range(400):
        low, high, _ = interval(rng.exponential(size=n), seed=seed)
        covered += low <= 1 <= high
    # Nine tenths, less what skewness and n cost; 400 trials have a standard error of 0.015.
    assert 0.82 <= covered / 400 <= 0.95


def test_it_is_as_wide_as_the_central_limit_theorem_says():
    values = np.random.default_rng(0).normal(size=400)
    low, high, _ = interval(values, level=0.95)
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.15)


def test_a_mean_cosine_of_pairs_is_covered_where_copies_would_raise_it():
    # Independent directions: the truth is 0, and a unit drawn twice would add a cosine of 1.
    rng = np.random.default_rng(3)

    def mean_cosine(x: np.ndarray) -> float:
        unit = x / np.linalg.norm(x, axis=1, keepdims=True)
        return ((unit @ unit.T).sum() - len(x)) / (len(x) * (len(x) - 1))

    covered = 0
    for seed in range(100):
        low, high, _ = interval(rng.normal(size=(24, 5)), mean_cosine, seed, level=0.95)
        covered += low <= 0 <= high
    assert covered >= 85


def test_several_values_at_once_each_with_what_it_has():
    values = np.array([1.0, 2.0, 3.0, 4.0])
    low, high, _ = interval(values, lambda x: np.array([x.mean(), np.nan]))
    assert low[0] < 2.5 < high[0]
    assert np.isnan(low[1])
    assert np.isnan(high[1])


def test_three_units_have_no_interval():
    low, high, deviations = interval(np.arange(3.0))
    assert np.isnan([low, high]).all()
    assert deviations.shape == (0,)


def mean_of_strata(values: np.ndarray, stratum: np.ndarray) -> np.ndarray:
    return np.asarray(np.mean([values[stratum == number].mean() for number in np.unique(stratum)]))


@pytest.mark.parametrize("sizes", [(6, 4), (27, 27, 27, 10), (3, 3, 5), (16, 24, 16)])
def test_half_of_each_stratum_and_half_of_all(sizes: tuple[int, ...]):
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    units = half_of_each(stratum, np.random.default_rng(0))
    assert len(units) == len(stratum) // 2
    assert len(np.unique(units)) == len(units)
    assert (np.diff(units) > 0).all()
    drawn = np.bincount(stratum[units], minlength=len(sizes))
    assert (np.abs(2 * drawn - sizes) <= 1).all()


def test_every_unit_is_drawn_at_times():
    stratum, rng = np.array([0, 1, 0, 1, 1]), np.random.default_rng(0)
    seen = np.concatenate([half_of_each(stratum, rng) for _ in range(50)])
    assert set(seen) == set(range(5))


def test_what_lies_between_strata_adds_no_width():
    rng = np.random.default_rng(0)
    stratum = np.repeat([0, 1], 100)
    noise = rng.normal(size=200)
    values = noise + 50 * stratum

    def mean(units: np.ndarray) -> np.ndarray:
        return np.asarray(values[units].mean())

    low, high, _ = stratified_interval(mean, stratum, generator=rng, **OPTIONS)
    assert high - low == pytest.approx(2 * 1.96 * noise.std() / np.sqrt(200), rel=0.2)
    blind = half_sample_interval(mean, 200, generator=rng, **OPTIONS)
    assert blind[1] - blind[0] > 5 * (high - low)


def test_a_stratified_interval_holds_the_truth_as_often_as_it_says():
    stratum, covered = np.repeat([0, 1, 2], [21, 20, 15]), 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=56) + 3 * stratum
        low, high, _ = stratified_interval(
            lambda units, values=values: mean_of_strata(values[units], stratum[units]),
            stratum,
            n_resamples=60,
            level=0.9,
            generator=rng,
        )
        covered += low <= 3 <= high
    assert 0.82 <= covered / 200 <= 0.95


def test_the_same_generator_gives_the_same_interval():
    stratum, values = np.repeat([0, 1], 8), np.arange(16.0)

    def interval() -> list[list[float]]:
        bounds = stratified_interval(
            lambda units: np.asarray(values[units].sum()),
            stratum,
            generator=np.random.default_rng(5),
            **OPTIONS,
        )
        return [bound.tolist() for bound in bounds]

    assert interval() == interval()


def test_three_units_of_strata_have_no_interval():
    interval = stratified_interval(
        lambda units: np.ones(2),
        np.zeros(3, dtype=int),
        generator=np.random.default_rng(0),
        **OPTIONS,
    )
    assert np.isnan([interval.low, interval.high]).all()


def test_p_values_count_the_value_itself():
    assert upper_p_value(2.0, np.array([1.0, 2.0, 3.0])) == 3 / 4
    assert upper_p_value(9.0, np.zeros(99)) == 1 / 100
    assert np.isnan(upper_p_value(float("nan"), np.zeros(3)))
    assert np.isnan(upper_p_value(1.0, np.full(3, np.nan)))


def test_bounds_of_drawn_halves_are_the_interval():
    values = np.random.default_rng(0).normal(size=31)
    rng = np.random.default_rng(5)
    drawn = [values[np.sort(rng.choice(31, 15, replace=False))].mean() for _ in range(200)]
    bounds = half_sample_bounds(np.array(values.mean()), np.array(drawn), 31, level=0.9)
    for one, other in zip(bounds, interval(values, seed=5), strict=True):
        assert one.tolist() == other.tolist()
    none = half_sample_bounds(np.zeros(2), np.zeros((9, 2)), 3, level=0.9)
    assert np.isnan([none.low, none.high]).all()


def test_a_stream_follows_from_the_seed_and_the_name_alone():
    generator = np.random.default_rng(5)
    before = stream_of(generator, "a", "b").random(4)
    generator.random(100)
    stream_of(generator, "a").random(7)
    assert (stream_of(generator, "a", "b").random(4) == before).all()
    others = [
        stream_of(generator, "ab"),
        stream_of(generator, "b", "a"),
        stream_of(np.random.default_rng(6), "a", "b"),
        stream_of(generator.spawn(1)[0], "a", "b"),
    ]
    assert all(np.abs(other.random(4) - before).min() > 1e-3 for other in others)


def test_extremes_and_ties():
    low, high = np.array([0.0, 1.0]), np.array([2.0, 3.0, 4.0])
    assert probability_of_larger(high, low) == 1
    assert probability_of_larger(low, high) == 0
    assert probability_of_larger(np.ones(3), np.ones(5)) == 0.5
    assert probability_of_larger(np.array([1.0, 2.0]), np.array([1.0])) == 0.75


def test_it_is_the_area_under_the_roc_curve_of_each_row():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 9, (4, 20)) + 1.0, rng.integers(0, 9, (4, 33)) + 0.0
    areas = probability_of_larger(x, y)
    for row in range(4):
        label = np.repeat([1, 0], [20, 33])
        assert areas[row] == pytest.approx(roc_auc_score(label, [*x[row], *y[row]]))


def test_shifted_gaussians_have_the_known_probability():
    # P(x > y) = Phi(d / sqrt 2) for a shift of d standard deviations.
    rng = np.random.default_rng(1)
    probability = probability_of_larger(rng.normal(1, 1, 20_000), rng.normal(0, 1, 20_000))
    assert probability == pytest.approx(0.7602, abs=0.01)


def test_no_scale_matters():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=9), rng.normal(size=7)
    assert probability_of_larger(np.exp(x), np.exp(y)) == probability_of_larger(x, y)


def test_undefined_without_values():
    assert np.isnan(probability_of_larger(np.zeros((2, 0)), np.zeros((2, 3)))).all()
    assert np.isnan(probability_of_larger(np.array([np.nan, 1.0]), np.zeros(3)))
