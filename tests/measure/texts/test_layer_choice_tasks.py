import numpy as np
import pandas as pd
import pytest

from embspace.geometry.inference.half_samples import half_sample_error, student_quantile
from embspace.measure.texts.layer_choice_tasks import (
    _Means,
    cluster_scores,
    label_scores,
    labeled,
    one_of_copies,
    search_scores,
)
from embspace.measure.texts.text_classifiers import Regularization
from embspace.prepare.copies import copies_of, joined


def texts(subjects: list[str], domains: list[str]) -> pd.DataFrame:
    names = [f"t{number}" for number in range(len(subjects))]
    return pd.DataFrame({"id": names, "document": names, "subject": subjects, "domain": domains})


def test_rare_labels_are_left_out_and_then_the_domain_is_asked():
    wish = {"fewest_documents": 2, "most_texts": 9, "seed": 0}
    common = labeled(texts(["a", "b", "a", "b", "c", ""], [""] * 6), **wish)
    assert common.rows.tolist() == [0, 1, 2, 3]
    assert common.labels.tolist() == [0, 1, 0, 1]
    rare = labeled(texts(list("abcdef"), ["x", "x", "y", "y", "y", "x"]), **wish)
    assert rare.labels.tolist() == [0, 0, 1, 1, 1, 0]
    assert not len(labeled(texts(list("abcdef"), ["x"] * 6), **wish).rows)


def test_texts_of_one_document_are_drawn_together():
    many = texts(["a", "b"] * 30, [""] * 60).assign(document=np.repeat(np.arange(20), 3))
    drawn = labeled(many, fewest_documents=2, most_texts=31, seed=1)
    assert 31 <= len(drawn.rows) <= 33
    assert set(np.bincount(drawn.documents)) <= {0, 3}


def test_search_ranks_by_the_score():
    scores = {("mean", 0, "trained"): np.eye(6), ("mean", 1, "trained"): -np.eye(6)}
    wish = {"n_half_samples": 20, "rng": np.random.default_rng(0)}
    scored = search_scores(scores, np.eye(6, dtype=bool), np.arange(6), **wish)
    assert scored.values == pytest.approx([1, 1 / 6])
    assert scored.half_values == pytest.approx(np.tile([1, 1 / 6], (20, 1)))
    assert scored.n_units == 6


def test_a_text_without_words_is_at_no_distance_from_itself():
    """Each label has one direction, so that all but the text without words lie well."""
    some = labeled(texts(["a", "b"] * 20, [""] * 40), fewest_documents=2, most_texts=99, seed=0)
    words = np.eye(3)[some.labels]
    words[0] = 0
    wish = {"n_half_samples": 2, "rng": np.random.default_rng(0)}
    score = cluster_scores({("tf_idf", None, "none"): words}, some, **wish).values[0]
    # It is at distance 1 from all others; the 19 of its label have one such among 19.
    assert score == pytest.approx((20 + 19 * (1 - 1 / 19)) / 40)


def test_labels_and_clusters_are_those_of_the_vectors():
    some = labeled(texts(["a", "b"] * 20, [""] * 40), fewest_documents=2, most_texts=99, seed=0)
    rng = np.random.default_rng(2)
    parted = rng.normal(size=(40, 4)) + 9 * some.labels[:, None] * [1, 0, 0, 0] - [4, 0, 0, 0]
    vectors = {("mean", 0, "trained"): parted, ("mean", 1, "trained"): rng.normal(size=(40, 4))}
    wish = {"n_half_samples": 10, "rng": rng}
    accuracy = label_scores(vectors, some, Regularization(1.0, 1.0), n_folds=4, seed=0, **wish)
    assert accuracy.values[0] == 1
    assert accuracy.values[1] < 0.8
    assert accuracy.chance == 0.5
    same = {("cls", 0, "trained"): np.ones((40, 4), np.float32)}
    clusters = cluster_scores(vectors | same, some, **wish)
    assert np.isnan(clusters.values[2]) and np.isnan(clusters.half_values[:, 2]).all()
    assert clusters.values[0] > 0.5 > abs(clusters.values[1]) + 0.3
    assert clusters.half_values.shape == (10, 3)


WORDS = [f"word{number}" for number in range(300)]
WEAK = Regularization(0.1, 10.0)


def shared_texts(rng: np.random.Generator, n: int, *, is_near: bool) -> pd.DataFrame:
    """Each of `n` texts five times, in capitals or with another last word; a label by chance."""
    whole = [" ".join(rng.choice(WORDS, 50)) for _ in range(n)]
    texts = [
        f"{text} tag{number}" if is_near else text.upper() if number % 2 else text
        for text in whole
        for number in range(5)
    ]
    label = np.repeat(rng.permutation(np.arange(n) % 2), 5)
    table = pd.DataFrame({"text": texts, "subject": np.where(label, "a", "b"), "domain": ""})
    table = table.sample(frac=1, random_state=int(rng.integers(2**31)), ignore_index=True)
    names = [str(number) for number in range(len(table))]
    table["id"] = names
    table["document"] = joined(names, copies_of(table["text"].tolist(), 0.9))
    return table


@pytest.mark.parametrize("is_near", [False, True])
def test_labels_by_chance_stay_at_chance_where_texts_are_shared(is_near: bool):
    """Where each text counted by itself, words told all labels of its copies: accuracy was 1."""
    accuracies, alone = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        table = shared_texts(rng, 24, is_near=is_near)
        wish = {"fewest_documents": 4, "most_texts": 999, "seed": seed}
        features = {("tf_idf", None, "none"): table["text"].tolist()}
        options = {"n_folds": 5, "seed": seed, "n_half_samples": 20, "rng": rng}
        scores = label_scores(features, labeled(table, **wish), WEAK, **options)
        accuracies.append(scores.values[0])
        assert scores.n_units == 24
        apart = labeled(table.assign(document=table["id"]), **wish)
        alone.append(label_scores(features, apart, WEAK, **options).values[0])
    assert np.mean(alone) == 1
    assert np.mean(accuracies) == pytest.approx(0.5, abs=0.14)  # some three standard errors


def holds_share(right: np.ndarray, unit: np.ndarray, rng: np.random.Generator) -> bool:
    made = _Means(right[None], unit).scores([("mean", 0, "trained")], 0.5, 100, rng)
    error = half_sample_error(made.half_values, made.n_units)[0]
    reach = error * student_quantile(made.n_units, 100, 0.95)
    return bool(abs(made.values[0] - 0.7) <= reach)


def test_intervals_over_copies_cover_the_truth():
    """Texts are shared up to eight times; 7 of 10 are told rightly, with all of their copies."""
    n_held, n_alone = 0, 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        document = np.repeat(np.arange(60), rng.integers(1, 9, 60))
        right = (rng.random(60) < 0.7)[document].astype(np.float64)
        n_held += holds_share(right, document, rng)
        n_alone += holds_share(right, np.arange(len(document)), rng)
    assert n_held >= 88
    assert n_alone <= 80


def test_of_copies_one_lies_among_clusters():
    table = texts(["a", "b"] * 20, [""] * 40)
    some = labeled(table, fewest_documents=2, most_texts=99, seed=0)
    name = table["id"].where(table.index % 4 != 2, "t0")
    once = one_of_copies(some, name)
    assert len(once.rows) == 30
    assert once.rows.tolist() == sorted({0, *[n for n in range(40) if n % 4 != 2]})
    assert (once.labels == some.labels[once.rows]).all()
