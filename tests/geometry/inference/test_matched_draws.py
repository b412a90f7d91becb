import numpy as np

from embspace.geometry.inference.matched_draws import two_unrelated_pairs, unrelated_pairs

N_CATEGORIES, N_FRAMES = 5, 8  # of each category, two texts a frame
FRAME = np.repeat(np.arange(N_CATEGORIES * N_FRAMES), 2)
CATEGORY = FRAME // N_FRAMES
LENGTH = np.random.default_rng(0).integers(6, 10, len(FRAME))


def draw(wanted: list[tuple[int, int]], tolerance: int = 1, n_draws: int = 200):
    return unrelated_pairs(
        LENGTH,
        FRAME,
        CATEGORY,
        np.array(wanted),
        tolerance=tolerance,
        n_draws=n_draws,
        generator=np.random.default_rng(1),
    )


def test_both_sides_are_as_long_as_wanted_and_of_different_categories():
    wanted = [(6, 7), (8, 8), (9, 6)]
    first, second = draw(wanted)
    assert (first >= 0).all()
    assert (second >= 0).all()
    for pair, (one, other) in enumerate(wanted):
        assert (np.abs(LENGTH[first[:, pair]] - one) <= 1).all()
        assert (np.abs(LENGTH[second[:, pair]] - other) <= 1).all()
    assert (CATEGORY[first] != CATEGORY[second]).all()


def test_no_frame_comes_twice_in_a_draw():
    first, second = draw([(7, 8)] * 10)
    frames = np.sort(FRAME[np.concatenate([first, second], axis=1)], axis=1)
    assert (np.diff(frames, axis=1) > 0).all()


def test_all_allowed_texts_are_equally_likely():
    first, _ = draw([(8, 8)], tolerance=0, n_draws=20_000)
    allowed = np.flatnonzero(LENGTH == 8)
    shares = np.bincount(first[:, 0], minlength=len(LENGTH))[allowed] / 20_000
    assert set(first[:, 0]) <= set(allowed)
    # Five standard errors.
    assert np.allclose(shares, 1 / len(allowed), atol=5 * np.sqrt(1 / len(allowed) / 20_000))


def test_a_pair_without_a_text_is_missing_on_both_sides():
    first, second = draw([(7, 40), (7, 7)])
    assert (first[:, 0] == -1).all()
    assert (second[:, 0] == -1).all()
    assert (first[:, 1] >= 0).all()


def test_texts_that_run_out_leave_pairs_missing():
    first, second = draw([(7, 7)] * 30)
    missing = (first < 0).sum(axis=1)
    assert (missing >= 10).all()  # of 30 pairs, for 40 frames
    assert ((first < 0) == (second < 0)).all()


def two_pairs(category: np.ndarray, n_draws: int = 300):
    return two_unrelated_pairs(
        LENGTH[: len(category)],
        category,
        tolerance=1,
        n_draws=n_draws,
        generator=np.random.default_rng(2),
    )


def test_four_texts_of_four_categories_matched_within_pairs():
    first, second = two_pairs(CATEGORY)
    assert first.shape == second.shape == (300, 2)
    # Texts that differ by just the tolerance are among them.
    assert set(np.abs(LENGTH[first] - LENGTH[second]).ravel()) == {0, 1}
    categories = np.sort(CATEGORY[np.concatenate([first, second], axis=1)], axis=1)
    assert (np.diff(categories, axis=1) > 0).all()


def test_three_categories_have_no_four():
    for categories in (CATEGORY[CATEGORY < 3], CATEGORY[:4], CATEGORY[:0]):
        first, second = two_pairs(categories)
        assert first.shape == second.shape == (0, 2)
