import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embspace.geometry.maps import links
from embspace.geometry.maps.links import circle_pair, linking_number


def crossings(a: np.ndarray, b: np.ndarray) -> float:
    """Half the signed crossings of the two polygons as seen from above: another way to count."""
    total = 0
    for p, q in zip(a, np.roll(a, -1, axis=0), strict=True):
        for r, s in zip(b, np.roll(b, -1, axis=0), strict=True):
            u, v, w = q - p, s - r, r - p
            turn = u[0] * v[1] - u[1] * v[0]
            if turn == 0:
                continue
            at_a, at_b = (w[0] * v[1] - w[1] * v[0]) / turn, (w[0] * u[1] - w[1] * u[0]) / turn
            if 0 <= at_a < 1 and 0 <= at_b < 1:
                above = p[2] + at_a * u[2] > r[2] + at_b * v[2]
                total += int(np.sign(turn)) * (1 if above else -1)
    return total / 2


def wound(turns: int, n: int = 200) -> np.ndarray:
    """A closed path that winds so often round the unit circle in the plane."""
    angle = 2 * np.pi * np.arange(n) / n
    radius = 1 + 0.4 * np.cos(turns * angle)
    height = 0.4 * np.sin(turns * angle)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), height])


@pytest.mark.parametrize("angle", [20.0, 75.0, 90.0, 160.0])
@pytest.mark.parametrize("n", [3, 12, 100])
def test_a_hopf_link_is_linked_once(n: int, angle: float):
    # Corners lie on the circle: a triangle is that much smaller.
    a, b = circle_pair(n, center_distance=0.5 if n == 3 else 1.0, angle=angle)
    assert abs(linking_number(a, b)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("distance", [2.1, 3.0, 100.0])
def test_circles_side_by_side_are_not_linked(distance: float):
    assert linking_number(*circle_pair(60, center_distance=distance, angle=75)) == pytest.approx(
        0, abs=1e-12
    )


def test_circles_in_one_plane_are_not_linked():
    angle = 2 * np.pi * np.arange(40) / 40
    inner = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(40)])
    assert linking_number(inner, 2 * inner) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("turns", [-3, -1, 0, 2, 5])
def test_a_path_that_winds_is_linked_as_often(turns: int):
    circle, _ = circle_pair(90, center_distance=0.0, angle=90)
    assert abs(linking_number(circle, wound(turns))) == pytest.approx(abs(turns), abs=1e-9)
    assert linking_number(circle, wound(turns)) == pytest.approx(
        -linking_number(circle, wound(-turns)), abs=1e-9
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 9), st.integers(3, 9), st.integers(0, 10**6))
def test_random_polygons_agree_with_counted_crossings(n: int, m: int, seed: int):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(n, 3)), rng.normal(size=(m, 3))
    assert linking_number(a, b) == pytest.approx(crossings(a, b), abs=1e-9)


def test_direction_order_motion_and_scale():
    a, b = circle_pair(30, center_distance=1.0, angle=75)
    number = linking_number(a, b)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    assert linking_number(b, a) == pytest.approx(number)
    assert linking_number(a[::-1], b) == pytest.approx(-number)
    assert linking_number(a * [1, 1, -1], b * [1, 1, -1]) == pytest.approx(-number)
    assert linking_number(1e6 * a @ turn + 5, 1e6 * b @ turn + 5) == pytest.approx(number)
    assert linking_number(np.roll(a, 7, axis=0), b) == pytest.approx(number)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch):
    a, b = circle_pair(30, center_distance=1.0, angle=75)
    whole = linking_number(a, b)
    monkeypatch.setattr(links, "BLOCK_EDGES", 70)
    assert linking_number(a, b) == pytest.approx(whole)


def test_polygons_that_meet_have_none():
    square = np.array([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]], dtype=float)
    through_edge = np.array([[1, 0, -1], [1, 0, 1], [1, -3, 0]], dtype=float)
    at_corner = np.array([[0, 0, 0], [-1, 0, 1], [-1, 0, -1]], dtype=float)
    assert np.isnan(linking_number(square, through_edge))
    assert np.isnan(linking_number(square, at_corner))


def test_two_corners_are_no_polygon():
    with pytest.raises(ValueError, match="at least 3 corners each, found 2 and 3"):
        linking_number(np.zeros((2, 3)), np.zeros((3, 3)))


@pytest.mark.parametrize("distance", [0.0, 1.0, 3.0])
def test_both_circles_have_radius_one_about_centres_so_far_apart(distance: float):
    a, b = circle_pair(50, center_distance=distance, angle=75)
    for points in (a, b):
        assert np.linalg.norm(points - points.mean(axis=0), axis=1) == pytest.approx(np.ones(50))
    assert b.mean(axis=0) - a.mean(axis=0) == pytest.approx([distance, 0, 0])
    assert a.mean(axis=0) == pytest.approx(-b.mean(axis=0))


def test_every_point_of_a_right_hopf_link_is_one_away_from_the_other():
    a, b = circle_pair(1000, center_distance=1.0, angle=90)
    apart = np.linalg.norm(a[:, np.newaxis] - b, axis=2)
    assert apart.min(axis=0) == pytest.approx(np.ones(1000), abs=1e-5)
    assert apart.min(axis=1) == pytest.approx(np.ones(1000), abs=1e-5)


def test_the_angle_is_that_of_the_planes():
    _, b = circle_pair(50, center_distance=1.0, angle=75)
    normal = np.cross(b[1] - b[0], b[20] - b[0])
    assert abs(normal[2]) / np.linalg.norm(normal) == pytest.approx(np.cos(np.deg2rad(75)))


def test_three_corners_are_enough():
    one = np.array([[-1.0, -1, 0], [2, -1, 0], [-1, 2, 0]])
    other = np.array([[0.0, 0, -1], [0, 0, 1], [9, 9, 0]])
    assert abs(linking_number(one, other)) == pytest.approx(1)
    with pytest.raises(ValueError, match="at least 3 corners each, found 3 and 2"):
        linking_number(one, other[:2])
