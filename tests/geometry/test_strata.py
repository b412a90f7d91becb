import numpy as np
import pytest

from embspace.geometry.resampling import half_sample_interval
from embspace.geometry.strata import half_of_each, stratified_interval

OPTIONS = {"n_resamples": 300, "level": 0.95}


def mean_of_strata(values: np.ndarray, stratum: np.ndarray) -> np.ndarray:
    return np.asarray(np.mean([values[stratum == each].mean() for each in np.unique(stratum)]))


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

    low, high = stratified_interval(mean, stratum, generator=rng, **OPTIONS)
    assert high - low == pytest.approx(2 * 1.96 * noise.std() / np.sqrt(200), rel=0.2)
    blind = half_sample_interval(mean, 200, generator=rng, **OPTIONS)
    assert blind[1] - blind[0] > 5 * (high - low)


def test_the_interval_holds_the_truth_as_often_as_it_says():
    stratum, covered = np.repeat([0, 1, 2], [21, 20, 15]), 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=56) + 3 * stratum
        low, high = stratified_interval(
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

    def interval() -> tuple[np.ndarray, np.ndarray]:
        return stratified_interval(
            lambda units: np.asarray(values[units].sum()),
            stratum,
            generator=np.random.default_rng(5),
            **OPTIONS,
        )

    assert interval() == interval()


def test_three_units_have_no_interval():
    found = stratified_interval(
        lambda units: np.ones(2),
        np.zeros(3, dtype=int),
        generator=np.random.default_rng(0),
        **OPTIONS,
    )
    assert np.isnan(found).all()
