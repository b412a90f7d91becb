"""Holds the slope of the spectrum to planted power laws and to the package reptrix."""

import numpy as np
import pytest

from embspace.geometry.measures.spectrum_slope import alpha_req, alpha_req_as_coded


def with_variances(variances: np.ndarray) -> np.ndarray:
    """A turned cloud whose population covariance has exactly these eigenvalues."""
    rng, dim = np.random.default_rng(0), len(variances)
    raw = rng.normal(size=(300, dim))
    white = np.linalg.qr(raw - raw.mean(axis=0))[0] * np.sqrt(300)
    return white * np.sqrt(variances) @ np.linalg.qr(rng.normal(size=(dim, dim)))[0] + 2


RANK = np.arange(1.0, 121)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 2.5])
@pytest.mark.parametrize("ranks", [{}, {"first": 1, "last": 120}, {"first": 40, "last": 41}])
def test_a_power_law_has_its_exponent(alpha: float, ranks: dict[str, int]) -> None:
    assert alpha_req(with_variances(RANK**-alpha), **ranks) == pytest.approx(alpha, abs=1e-7)


def test_it_is_the_weighted_fit_of_numpy() -> None:
    variances = np.sort(np.random.default_rng(1).exponential(size=120))[::-1] + 0.01
    inside = np.arange(5, 80)  # of ranks 6 to 80; polyfit takes square roots of weights
    slope = np.polyfit(np.log(RANK[inside]), np.log(variances[inside]), 1, w=RANK[inside] ** -0.5)[
        0
    ]
    assert alpha_req(with_variances(variances), first=6, last=80) == pytest.approx(-slope)


def test_only_the_stated_ranks_count() -> None:
    variances = np.concatenate([1e3 * RANK[:10] ** -3.0, RANK[10:100] ** -0.7, 1e-9 / RANK[100:]])
    x = with_variances(variances)
    assert alpha_req(x) == pytest.approx(0.7, abs=1e-6)
    assert alpha_req(x, first=2) > 1


def test_reptrix_finds_the_same() -> None:
    """The value of the test of the package itself, of 1,000 vectors of noise."""
    torch = pytest.importorskip("torch")
    drawn = torch.randn(1000, 1024, generator=torch.Generator().manual_seed(0))
    assert alpha_req(drawn) == pytest.approx(0.148936, rel=1e-5)
    assert alpha_req_as_coded(drawn) == alpha_req(drawn, first=6) < 0.13


def test_later_calls_of_reptrix_look_at_other_ranks() -> None:
    x = with_variances(np.exp(-RANK / 30))
    slopes = [alpha_req_as_coded(x, call=call) for call in range(1, 14)]
    assert slopes == sorted(slopes)
    assert slopes[12] > 1.1 * slopes[0]  # of one cloud, a layer later each
    assert slopes[7] == alpha_req(x, first=13, last=107)


def test_noise_alone_falls_a_little() -> None:
    """Null: of n vectors in d dimensions by the law of Marchenko and Pastur; none of many."""
    rng = np.random.default_rng(2)
    few, many = (alpha_req(rng.normal(size=(n, 120))) for n in (400, 40_000))
    assert 0 < many < 0.15 < few


def test_without_enough_variances_there_is_none() -> None:
    x = np.random.default_rng(0).normal(size=(50, 120))
    assert np.isnan(alpha_req(x))  # 49 variances
    assert np.isnan(alpha_req(x.T))  # 50 coordinates
    assert np.isnan(alpha_req(np.ones((200, 120))))
    assert alpha_req(x, last=49) > 0


@pytest.mark.parametrize(("first", "last"), [(0, 5), (5, 5), (6, 5)])
def test_ranks_that_are_none_are_refused(first: int, last: int) -> None:
    with pytest.raises(ValueError, match=f"first: expected 1 to 4, under `last`, found {first}"):
        alpha_req(np.eye(9), first=first, last=last)


def test_a_call_is_counted_from_one() -> None:
    with pytest.raises(ValueError, match="call: expected at least 1, found 0"):
        alpha_req_as_coded(np.eye(9), call=0)


@pytest.mark.parametrize("start", [-1, 8, 9])
def test_a_start_that_is_none_is_refused(start: int) -> None:
    message = f"start: expected 0 to 7, under `stop` - 1, found {start}"
    with pytest.raises(ValueError, match=message):
        alpha_req_as_coded(np.eye(9), start=start, stop=9)


def test_two_ranks_from_the_first_make_a_slope() -> None:
    x = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]])  # variances 2 and 1/2
    assert alpha_req(x, first=1, last=2) == pytest.approx(2)
    assert alpha_req_as_coded(x, start=0, stop=2, call=1) == pytest.approx(2)
    for first in (0, 2):
        with pytest.raises(
            ValueError, match=f"first: expected 1 to 1, under `last`, found {first}"
        ):
            alpha_req(x, first=first, last=2)
    with pytest.raises(ValueError, match="start: expected 0 to 0"):
        alpha_req_as_coded(x, start=1, stop=2)
    with pytest.raises(ValueError, match="call: expected at least 1, found 0"):
        alpha_req_as_coded(x, start=0, stop=2, call=0)
