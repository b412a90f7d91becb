"""What the commands of practice find in vectors with a planted truth, and in vectors without.

`python -m benchmarks.practice --parts trials` draws each anew, 100 times, and writes the counts
into benchmarks/practice.md. The tests draw fewer, and the slow ones as many.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from embspace.app.practice.drift import drift
from embspace.app.practice.hubs import hubs
from embspace.app.practice.outliers import outliers
from embspace.app.practice.threshold import threshold
from embspace.app.practice.versions import versions
from embspace.geometry.groups.two_clouds import TwoClouds, compare_clouds
from embspace.geometry.parameters.untrained_rows import suspects, untrained_indicators
from embspace.geometry.practice.compression import nearest_by_scores, scores_of_neighbors_kept
from embspace.geometry.practice.high_pairs import high_pairs
from embspace.geometry.practice.rare_cosines import RareCosine, rare_cosine
from embspace.measure.practice.compression import kept_table, settings_of
from embspace.measure.practice.first_coordinates import (
    MORE,
    first_against_random,
    verdict_of_first,
)
from embspace.measure.practice.scored_versions import (
    K,
    Scored,
    cosines,
    half_of_documents,
    table_of,
)
from embspace.measure.practice.text_hubs import VERSIONS, hub_tasks, nearest_by_version
from embspace.measure.practice.text_vectors import VECTORS, TextVectors
from embspace.measure.practice.transforms import best_of, fitted_changes, uses_table

PLANTED, NULL, INTERVAL = "planted", "null", "interval"
SURE = 0.05
N_DRAWS = 100
# How often a planted truth is found at least, a null gives something at most, and an interval
# holds the truth at least: of 100 intervals at 95 %, fewer than 90 do in one of 50 draws.
LEAST, MOST = 90, 10


class Trial(NamedTuple):
    """Vectors that are drawn by a seed, and whether the command finds something in them."""

    command: str
    kind: str
    drawn: str
    """What is drawn."""
    counted: str
    """What a draw is counted for."""
    holds: Callable[[int], bool]


def gaussian(seed: int, n: int, dim: int, mean: float = 1.0) -> np.ndarray:
    """Return a cloud about a mean that is not 0."""
    return np.random.default_rng(seed).normal(size=(n, dim)) + mean


def labeled(x: np.ndarray, label: np.ndarray) -> TextVectors:
    """Return vectors with labels, which no array holds."""
    rows = [*map(str, range(len(x)))]
    table = pd.DataFrame({"id": rows, "document": rows, "text": "", "copy_of": rows})
    table = table.assign(label=label.astype(str), n_tokens=np.nan)
    return TextVectors(x.astype(np.float32), table, "planted", VECTORS, None, None)


def random_labels(seed: int, n: int = 120, dim: int = 16) -> TextVectors:
    """Return a cloud with labels that its vectors know nothing of."""
    label = np.random.default_rng(10_000 + seed).integers(0, 3, n)
    return labeled(gaussian(seed, n, dim), label)


def holds_zero(table: pd.DataFrame) -> bool:
    """Return whether no interval of a difference lies beside 0, for all versions at once."""
    rows = table[table["task"] == "labels"]
    return bool(((rows["difference_low"] <= 0) & (rows["difference_high"] >= 0)).all())


# threshold


def duplicates(seed: int) -> tuple[np.ndarray, pd.DataFrame]:
    """Return 300 vectors, of which the last 20 are near copies of the first, and these pairs."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(300, 24))
    x[280:] = x[:20] + 0.2 * rng.normal(size=(20, 24))
    return x, pd.DataFrame({"first": range(20), "second": range(280, 300)})


def lists_duplicates(seed: int) -> bool:
    """Return whether the 20 pairs of the highest cosine are the near copies."""
    x, known = duplicates(seed)
    listed = threshold(x).tables["pairs"][:20]
    return {*listed["first"].astype(int)} == {*known["first"]}


def has_a_threshold(seed: int, *, is_planted: bool) -> bool:
    """Return whether known pairs have a threshold that keeps a precision of .8 on other halves."""
    x, known = duplicates(seed)
    row = threshold(x if is_planted else gaussian(seed, 300, 24), known=known).tables["held_out"]
    return bool(row["precision"].iloc[0] >= 0.8)


def holds_rare_cosine(seed: int, rate: float = 1e-3) -> bool:
    """Return whether the interval holds the cosine that a thousandth of all pairs reaches."""
    return _rare(seed, 200, rate).low <= _rare(-1, 4000, rate).cosine <= _rare(seed, 200, rate).high


@cache
def _rare(seed: int, n: int, rate: float) -> RareCosine:
    rng = np.random.default_rng(seed + 1)
    centers = np.random.default_rng(99).normal(size=(8, 24))
    x = centers[rng.integers(0, 8, n)] + 1.5 * rng.normal(size=(n, 24))
    pairs = high_pairs(x.astype(np.float32), np.arange(n), largest_rate=rate, rng=rng)
    return rare_cosine(pairs, rate, level=0.95)


# drift


def is_apart(seed: int, shift: float) -> bool:
    """Return whether two corpora are called apart, if half of the second one is shifted."""
    x = gaussian(seed, 80, 10)
    x[60:, 0] += shift
    return bool(drift(x[:40], x[40:]).tables["distance"]["p_value"][0] <= SURE)


def holds_distance(seed: int) -> bool:
    """Return whether the interval holds the energy distance of the whole."""
    made = _compared(seed, 60)
    return made.distance_low <= _compared(-1, 3000).distance <= made.distance_high


@cache
def _compared(seed: int, n: int) -> TwoClouds:
    x = gaussian(seed + 1, 2 * n, 10)
    x[n:, 0] += 1
    rng = np.random.default_rng(seed + 1)
    return compare_clouds(x, np.arange(2 * n) < n, n_permutations=0, rng=rng)


def tells_the_moved(seed: int) -> bool:
    """Return whether the one text that was turned around is the first of those that moved."""
    x = gaussian(seed, 60, 12)
    moved = np.where(np.arange(60)[:, None] == seed % 60, -x, x)
    texts = versions(x, other_vectors=moved).tables["texts"]
    return bool(texts["id"][0] == str(seed % 60))


def holds_unrelated(seed: int) -> bool:
    """Return whether the interval of neighbors kept holds the value of unrelated vectors."""
    changes = versions(gaussian(seed, 60, 12), other_vectors=gaussian(500 + seed, 60, 12))
    row = changes.tables["changes"].set_index("quantity").loc["neighbors_kept"]
    return bool(row["low"] <= row["unrelated"] <= row["high"])


# compress


def is_matryoshka(seed: int, *, is_planted: bool) -> bool:
    """Return whether the first coordinates are said to keep more neighbors than random ones."""
    x = gaussian(seed, 80, 16, 0.0)
    if is_planted:
        x *= np.linspace(1, 0.05, 16) ** 2
    cloud = labeled(x, np.zeros(len(x)))
    return verdict_of_first(first_against_random(cloud)) == MORE


def compressed_hold_zero(seed: int) -> bool:
    """Return whether no setting changes labels at random."""
    cloud = random_labels(seed)
    is_fitted = half_of_documents(cloud)
    settings = settings_of(cloud, is_fitted)
    return holds_zero(kept_table(cloud.among(~is_fitted), None, settings))


def holds_neighbors(seed: int) -> bool:
    """Return whether the interval holds the mean share of neighbors that 8 coordinates keep."""
    row = _kept_by_first(seed)
    return bool(row["low"] <= _mean_kept() <= row["high"])


@cache
def _mean_kept(n_draws: int = 200) -> float:
    return float(np.mean([_kept_by_first(1000 + seed)["value"] for seed in range(n_draws)]))


def _kept_by_first(seed: int) -> pd.Series:
    """Return the row of neighbors alone: clusters take most of the time of `kept_table`."""
    x = gaussian(seed, 100, 32, 0.0).astype(np.float32)
    exact, kept = (nearest_by_scores(y, np.arange(100), cosines, K) for y in (x, x[:, :8]))
    scores = {"first 8": scores_of_neighbors_kept(exact, kept)}
    return table_of([Scored("neighbors", "share kept", scores, np.arange(100))]).iloc[0]


# transform


def topics(seed: int, signal: float) -> tuple[np.ndarray, np.ndarray]:
    """Return vectors of four topics, and the topics."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 4, 200)
    centers = np.random.default_rng(99).normal(size=(4, 6))
    return signal * centers[label] + 0.5 * rng.normal(size=(200, 6)), label


def changed(cloud: TextVectors) -> pd.DataFrame:
    """Return what changes do to labels, fitted on half of the texts and measured on the others."""
    is_fitted = half_of_documents(cloud)
    changes = fitted_changes(cloud.among(is_fitted))
    return uses_table(cloud.among(~is_fitted), None, dict(changes))


def whitening_helps(seed: int) -> bool:
    """Return whether whitening surely helps where two directions drown the topics."""
    x, label = topics(seed, 1.0)
    noise = 30 * gaussian(seed + 500, 200, 2)
    rows = changed(labeled(np.concatenate([x, noise], axis=1), label)).set_index("version")
    return bool(rows.loc["whitened", "difference_low"] > 0)


def whitening_harms(seed: int) -> bool:
    """Return whether whitening surely harms where topics have the variance."""
    x, label = topics(seed, 2.0)
    noise = 0.1 * gaussian(seed + 500, 200, 60, 0.0)
    table = changed(labeled(np.concatenate([x, noise], axis=1), label))
    is_worse = table.set_index("version").loc["whitened", "difference_high"] < 0
    return bool(is_worse and best_of(table) == "raw")


def noisy_topics(seed: int) -> TextVectors:
    """Return vectors of four topics, with labels of which three in ten are drawn anew."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, 4, 150)
    x = 3 * np.random.default_rng(99).normal(size=(4, 16))[topic] + rng.normal(size=(150, 16))
    return labeled(x, np.where(rng.random(150) < 0.3, rng.integers(0, 4, 150), topic))


def holds_share(seed: int) -> bool:
    """Return whether the interval holds the mean share of neighbors with the label."""
    row = _share_of_labels(seed)
    return bool(row["low"] <= _mean_share() <= row["high"])


@cache
def _mean_share(n_draws: int = 200) -> float:
    return float(np.mean([_share_of_labels(1000 + seed)["value"] for seed in range(n_draws)]))


def _share_of_labels(seed: int) -> pd.Series:
    cloud = noisy_topics(seed)
    return uses_table(cloud, None, {"raw": fitted_changes(cloud)["raw"]}).iloc[0]


# hubs


def names_a_hub(seed: int, *, is_planted: bool) -> bool:
    """Return whether a text is a hub beyond Gaussian clouds: the planted one, or any."""
    x = gaussian(seed, 100, 40)
    if is_planted:
        x[7] = x.mean(axis=0)
    texts = hubs(x).tables["texts"].set_index("id")["p_value"]
    return bool(texts["7"] <= SURE) if is_planted else bool((texts <= SURE).any())


def reductions_hold_zero(seed: int) -> bool:
    """Return whether no remedy changes labels at random."""
    cloud = random_labels(seed)
    nearest = {name: nearest_by_version(cloud, name) for name in VERSIONS}
    return holds_zero(hub_tasks(cloud, None, nearest))


# outliers


def within(seed: int, *, is_planted: bool) -> bool:
    """Return whether a corpus has an outlier of its own: the planted one alone, or any."""
    x = gaussian(seed, 150, 10, 3.0)
    if is_planted:
        x[20] = -x[20]
    texts = outliers(x).tables["texts"]
    chosen = {*texts.loc[texts["is_outlier"], "id"]}
    return chosen == {"20"} if is_planted else bool(chosen)


def among(seed: int, *, is_planted: bool) -> bool:
    """Return whether new texts have outliers: both planted ones among them, or any."""
    new = gaussian(seed + 500, 20, 10, 3.0)
    if is_planted:
        new[:2] *= -1
    texts = outliers(gaussian(seed, 500, 10, 3.0), of=new).tables["texts"]
    chosen = {*texts.loc[texts["is_outlier"], "id"]}
    return {"0", "1"} <= chosen if is_planted else bool(chosen)


def p_is_small(seed: int) -> bool:
    """Return whether the first of four texts of the same kind has a p-value of at most .05."""
    new = gaussian(seed + 500, 4, 10, 3.0)
    texts = outliers(gaussian(seed, 199, 10, 3.0), of=new).tables["texts"]
    return bool(texts.set_index("id").loc["0", "p_value"] <= SURE)


# tokens


def names_untrained(seed: int, *, is_trained: bool, is_planted: bool) -> bool:
    """Return whether rows are called under-trained: the planted one, or any."""
    rng = np.random.default_rng(seed)
    is_unread = np.arange(400) < 40
    x = rng.normal(size=384) / 4 + rng.normal(size=(400, 384)) / 10
    if is_trained:
        x[~is_unread] += rng.normal(size=(360, 384))
    if is_planted:
        # In the middle of its kind: 5 % of rows that were never trained are beyond the bound.
        x[399] = x[is_unread].mean(axis=0)
    chosen = suspects(untrained_indicators(x, is_unread)["cosine_distance"], is_unread).is_suspect
    return bool(chosen[399] if is_planted else chosen.any())


def _trials() -> Iterator[Trial]:
    near = "300 texts, 20 near copies"
    yield Trial("threshold", PLANTED, near, "copies have the highest cosines", lists_duplicates)
    yield Trial(
        *("threshold --known", PLANTED, f"{near} known", "a precision of 0.8, held out"),
        lambda seed: has_a_threshold(seed, is_planted=True),
    )
    yield Trial(
        *("threshold --known", NULL, "20 random pairs known", "a precision of 0.8, held out"),
        lambda seed: has_a_threshold(seed, is_planted=False),
    )
    what = "cosine of one pair in 1,000 in the interval"
    yield Trial("threshold", INTERVAL, "200 texts of 8 clusters", what, holds_rare_cosine)
    yield Trial(
        *("drift", PLANTED, "half of the second corpus shifted", "p ≤ 0.05"),
        lambda seed: is_apart(seed, 4.0),
    )
    yield Trial(
        *("drift", NULL, "two halves of one corpus", "p ≤ 0.05"), lambda seed: is_apart(seed, 0.0)
    )
    what = "energy distance of the whole in the interval"
    yield Trial("drift", INTERVAL, "60 of each of two shifted kinds", what, holds_distance)
    what = "that text changed most"
    yield Trial("drift, versions", PLANTED, "one text turned around", what, tells_the_moved)
    what = "neighbors kept by chance in the interval"
    yield Trial("drift, versions", INTERVAL, "unrelated vectors", what, holds_unrelated)
    what = "first coordinates keep more"
    yield Trial(
        *("compress", PLANTED, "coordinates of falling variance", what),
        lambda seed: is_matryoshka(seed, is_planted=True),
    )
    yield Trial(
        *("compress", NULL, "coordinates of one variance", what),
        lambda seed: is_matryoshka(seed, is_planted=False),
    )
    what = "mean share of neighbors kept by 8 in the interval"
    yield Trial("compress", INTERVAL, "32 coordinates of one variance", what, holds_neighbors)
    at_random, zero = "labels at random", "0 in the intervals of all differences"
    yield Trial("compress", INTERVAL, at_random, zero, compressed_hold_zero)
    what = "whitening surely helps labels"
    yield Trial("transform", PLANTED, "two directions drown topics", what, whitening_helps)
    what = "whitening surely harms, none is best"
    yield Trial("transform", PLANTED, "topics have the variance", what, whitening_harms)
    yield Trial(
        *("transform", NULL, at_random, "a change is best"),
        lambda seed: best_of(changed(random_labels(seed))) != "raw",
    )
    yield Trial(
        *("transform", INTERVAL, at_random, zero),
        lambda seed: holds_zero(changed(random_labels(seed))),
    )
    what = "mean share of neighbors with the label in the interval"
    yield Trial("transform", INTERVAL, "topics, 3 in 10 labels at random", what, holds_share)
    yield Trial(
        *("hubs", PLANTED, "a text in the middle of all", "a hub, p ≤ 0.05"),
        lambda seed: names_a_hub(seed, is_planted=True),
    )
    yield Trial(
        *("hubs", NULL, "a Gaussian cloud", "any hub, p ≤ 0.05"),
        lambda seed: names_a_hub(seed, is_planted=False),
    )
    yield Trial("hubs", INTERVAL, at_random, zero, reductions_hold_zero)
    yield from _trials_of_outliers()
    yield from _trials_of_tokens()


def _trials_of_outliers() -> Iterator[Trial]:
    yield Trial(
        *("outliers", PLANTED, "one of 150 texts turned around", "that text, and no other"),
        lambda seed: within(seed, is_planted=True),
    )
    yield Trial(
        *("outliers", NULL, "150 texts of one kind", "any outlier"),
        lambda seed: within(seed, is_planted=False),
    )
    yield Trial(
        *("outliers --of", PLANTED, "2 of 20 new texts turned around", "both"),
        lambda seed: among(seed, is_planted=True),
    )
    yield Trial(
        *("outliers --of", NULL, "20 new texts of the same kind", "any outlier"),
        lambda seed: among(seed, is_planted=False),
    )
    yield Trial("outliers --of", NULL, "one new text of the same kind", "p ≤ 0.05", p_is_small)


def _trials_of_tokens() -> Iterator[Trial]:
    yield Trial(
        *("tokens", PLANTED, "one of 360 rows never trained", "under-trained"),
        lambda seed: names_untrained(seed, is_trained=True, is_planted=True),
    )
    yield Trial(
        *("tokens", NULL, "all 360 rows trained", "any under-trained"),
        lambda seed: names_untrained(seed, is_trained=True, is_planted=False),
    )
    yield Trial(
        *("tokens", NULL, "random weights", "any under-trained"),
        lambda seed: names_untrained(seed, is_trained=False, is_planted=False),
    )


TRIALS = (*_trials(),)


def is_as_it_should(trial: Trial, n: int) -> bool:
    """Return whether a number of 100 draws is what the kind of the trial asks for."""
    return n <= MOST if trial.kind == NULL else n >= LEAST


def trials(n_draws: int = N_DRAWS) -> Iterator[dict[str, object]]:
    """Yield a row a trial, with the number of draws that it counts."""
    for trial in TRIALS:
        yield {
            "command": trial.command,
            "kind": trial.kind,
            "drawn": trial.drawn,
            "counted": trial.counted,
            f"of {n_draws} draws": sum(trial.holds(seed) for seed in range(n_draws)),
        }
