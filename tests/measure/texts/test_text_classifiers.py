import numpy as np

from embspace.measure.texts.text_classifiers import Regularization, held_out_classes

STRENGTH = Regularization(1.0, 10.0)


def test_vectors_that_a_plane_parts_are_told_apart_and_noise_is_not():
    rng = np.random.default_rng(0)
    labels, folds = np.arange(200) % 2, np.arange(200) // 2 % 5
    noise = rng.normal(size=(200, 8))
    parted = noise + 10 * labels[:, None]
    assert (held_out_classes(parted, labels, folds, STRENGTH) == labels).all()
    assert abs((held_out_classes(noise, labels, folds, STRENGTH) == labels).mean() - 0.5) < 0.15


def test_scale_and_shift_of_a_coordinate_change_nothing():
    rng = np.random.default_rng(1)
    labels, folds = np.arange(60) % 2, np.arange(60) // 2 % 3
    x = rng.normal(size=(60, 4)) + labels[:, None]
    scaled = x * [1, 10, 0.1, 3] + [5, 0, -2, 1]
    classes, same = (held_out_classes(vectors, labels, folds, STRENGTH) for vectors in (x, scaled))
    assert (classes == same).all()


def test_words_are_counted_without_the_texts_that_are_held_out():
    labels, folds = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    texts = ["good day", "bad day", "good sea", "bad sea"]
    assert (held_out_classes(texts, labels, folds, STRENGTH) == labels).all()
    unseen = ["good day", "bad day", "fine sea", "poor sea"]
    classes = held_out_classes(unseen, labels, folds, STRENGTH)
    assert len(set(classes[2:])) == 1  # no word is known, so that both texts are alike
