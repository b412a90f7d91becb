"""`make open-questions`: how often the verdicts of open questions come out where nothing is.

Each verdict is asked of worlds drawn from its null, by the code and settings of its analysis, until
200 worlds or the seconds of the processor are used up. Writes benchmarks/open_questions.md.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from embspace.draw.page.markdown import markdown_table
from embspace.files.atomic import writing
from embspace.geometry.groups.associations import exchange_p_value, word_associations
from embspace.geometry.groups.stable_clusters import Search as ClusterSearch
from embspace.geometry.positional.smooth_nulls import stationary_copies
from embspace.measure.open_questions.islands.labels import Families, families_of_islands
from embspace.measure.open_questions.islands.places import islands_of_space
from embspace.measure.open_questions.opposite_texts_values import Comparators, Course, search_row
from embspace.measure.open_questions.oppositeness import measure_oppositeness
from embspace.measure.open_questions.position_shape import measure_position_shape
from embspace.measure.open_questions.sparse_features import (
    GAUSSIAN,
    ICA,
    MODEL,
    NOT_BEYOND,
    RANDOM,
    How,
    _in_clouds,
    converged_share,
    verdict,
)
from embspace.measure.open_questions.vocabulary_clusters import measure_vocabulary_clusters
from embspace.measure.open_questions.words.professions import Held, Placed, profession_rows
from embspace.settings.schema import read_yaml

PAGE = Path("benchmarks/open_questions.md")
CONF = Path("conf/measure/open_questions")
MOST, SECONDS, ALPHA = 200, 120.0, 0.05
FEWEST = 60  # of so many, a rate of 20 % is beyond the bound in 93 of 100
N_LAYERS = 8
World = Callable[[np.random.Generator], bool]
"""Draws a world from the null, and returns whether the verdict says that something is there."""


class Contest(NamedTuple):
    """A verdict, the world in which nothing is there, and how such a world is drawn."""

    verdict: str
    world: str
    draw: World


def settings_of(noun: str, **change: Any) -> dict[str, Any]:
    """Return the settings of an analysis, but for a change."""
    return {**read_yaml(CONF / f"{noun}.yaml"), **change}


def association(rng: np.random.Generator) -> bool:
    """Two sets of ten words drawn alike, and two sets of attributes, in eight layers."""
    alpha = settings_of("associations")["alpha"]
    for _ in range(N_LAYERS):
        trained, plain = (
            exchange_p_value(*np.split(word_associations(x[:20], x[20:30], x[30:]), 2))
            for x in rng.normal(size=(2, 40, 30)) + 1
        )
        if trained < alpha / N_LAYERS and plain >= alpha:
            return True
    return False


def professions(rng: np.random.Generator, lean: float = 0.0) -> bool:
    """Professions whose vectors have nothing to do with their values, in eight layers."""
    settings = settings_of("associations")
    values = np.repeat([-1.0, 0.0, 1.0], 18)
    vectors = {
        name: {"state": rng.normal(size=(N_LAYERS, 134, 30))} for name in ("trained", "random")
    }
    if lean:
        vectors["trained"]["state"][:, :, 0] *= 2
        vectors["trained"]["state"][:, 80:, 0] += lean * values
    placed = Placed(np.arange(80, 134), values, np.arange(10), np.arange(10, 20), np.arange(20, 80))
    how = Held(settings["n_deals"], settings["n_directions"], 4, 0.95)
    alpha = settings["alpha"]
    return any(
        max(row["p_value"], row["directions_p_value"]) < alpha / N_LAYERS
        and row["random_weights_p_value"] >= alpha
        for row in profession_rows(vectors, placed, how, rng)
    )


def professions_on_any_direction(rng: np.random.Generator) -> bool:
    """Professions whose values lie along the axis in which all words differ most."""
    return professions(rng, lean=3.0)


def clusters(rng: np.random.Generator) -> bool:
    """A Gaussian cloud of 600 tokens with unequal axes."""
    x = rng.normal(size=(600, 24)) * np.geomspace(4, 0.5, 24)
    vocabulary = pd.DataFrame({"id": np.arange(600), "token": [f"t{i}" for i in range(600)]})
    vocabulary = vocabulary.assign(kind="word")
    change = {"smallest": [20], "seed": int(rng.integers(2**31))}
    outcome = measure_vocabulary_clusters(
        {"input": x.astype(np.float32)}, vocabulary, **settings_of("vocabulary_clusters", **change)
    )
    return bool(outcome["sizes"]["n_standing"].sum())


def loops_of_walk(rng: np.random.Generator) -> bool:
    """A random walk."""
    return _loops(rng.normal(size=(64, 12)).cumsum(axis=0), rng)


def loops_of_stationary(rng: np.random.Generator) -> bool:
    """A table that is random but for the mean cosine by offset."""
    positions = np.arange(64)
    angle = 2 * np.pi * positions[:, np.newaxis] * np.array([1 / 9, 1 / 21])
    waves = np.column_stack([np.cos(angle), np.sin(angle), rng.normal(size=(64, 8)) / 4])
    return _loops(next(stationary_copies(waves, positions, 1, rng)), rng)


def _loops(x: np.ndarray, rng: np.random.Generator) -> bool:
    regimes = pd.DataFrame(
        {"position": np.arange(len(x)), "outlying": False, "unstructured": False}
    )
    few = {"n_scales": 5, "n_planes": 1, "n_bars": 1}  # which no loop needs
    settings = settings_of("position_shape", **few, seed=int(rng.integers(2**31)))
    outcome = measure_position_shape({"positional": x.astype(np.float32)}, regimes, **settings)
    first = outcome["loops"][outcome["loops"]["rank"] == 1]
    return bool((first["verdict"] == "stands").any())


def islands(rng: np.random.Generator) -> bool:
    """A Gaussian cloud of 400 texts with unequal axes, at unit length."""
    settings = settings_of("text_islands")
    names = ("smallest", "n_density", "n_half_samples", "share", "jaccard")
    search = ClusterSearch(*(settings[name] for name in names))
    x = rng.normal(size=(400, 24)) * np.geomspace(4, 0.5, 24)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    sizes = settings["n_neighbors"], settings["n_clouds"]
    return bool(islands_of_space(x, search, *sizes, rng, on_sphere=True).stands.any())


def families(rng: np.random.Generator) -> bool:
    """Islands that have nothing to do with any label, of 60 documents of two sources."""
    settings = settings_of("text_islands")
    document = np.repeat(np.arange(60), 5)
    labels = pd.DataFrame(
        {
            "source": document % 2,
            "domain": rng.permutation(60)[document] % 6,
            "subject": rng.permutation(60)[document] % 20,
            "document": document,
            "length": rng.integers(4, size=300),
            "place": np.tile([0, 0, 1, 1, 2], 60),
        }
    )
    how = Families(*(settings[name] for name in ("n_half_samples", "share", "n_deals", "smallest")))
    verdicts, _ = families_of_islands(rng.integers(3, size=300), labels, how, rng)
    return verdicts["verdict"] != "undecided"


def features(rng: np.random.Generator) -> bool:
    """Three Gaussian clouds, by independent components."""
    settings = settings_of("sparse_features")
    x = rng.normal(size=(3, 3000, 24)) * np.geomspace(2, 0.5, 24)
    parts = np.array_split(rng.permutation(3000), settings["n_seeds"])
    how = How(
        n_components=12,
        max_iter=settings["max_iter"],
        training=None,  # type: ignore[arg-type]  # of the autoencoder, which is not asked
        n_seeds=settings["n_seeds"],
        n_draws=settings["n_draws"],
        seed=int(rng.integers(2**20)),
    )
    made = _in_clouds(dict(zip((MODEL, RANDOM, GAUSSIAN), x, strict=True)), parts, ICA, how)
    shares = {name: recurring.shares for name, (_, recurring) in made.items()}
    return verdict(shares, converged_share(made[RANDOM][0]), settings["margin"]) != NOT_BEYOND


def strangers(rng: np.random.Generator) -> bool:
    """A search whose texts are as far as the corpus, and as random words."""
    settings = settings_of("opposite_texts")
    n = settings["n_sentences"]
    smallest, corpus, random = rng.normal(-0.1, 0.1, size=(3, n))
    cosines = np.column_stack([np.ones(n), smallest])
    beside = Comparators(
        corpus,
        np.column_stack([np.ones(n), random]),
        settings["n_resamples"],
        settings["level"],
        int(rng.integers(2**31)),
    )
    course = Course([["", ""]] * n, cosines, np.ones(n, dtype=np.int64))
    return bool(search_row(course, beside)["finds_strangers"] == "yes")


@dataclass(frozen=True)
class Opposites:
    """A verdict on words whose pairs have nothing in common."""

    table: str
    column: str
    yes: str
    only: str = ""
    """A condition on rows; empty for all."""

    def __call__(self, rng: np.random.Generator) -> bool:
        """Return whether it says yes in any row; there are three layers."""
        words = [f"w{number}" for number in range(160)]
        table = pd.DataFrame({"part_of_speech": "adjective", "word": words})
        pairs = pd.DataFrame(
            {
                "part_of_speech": "adjective",
                "relation": ["antonym"] * 40 + ["synonym"] * 40,
                "word": words[:80],
                "other_word": words[80:],
            }
        )
        names = ("input", "state", "random_input", "random_state")
        states = {name: rng.normal(size=(1 + ("state" in name), 160, 24)) for name in names}
        change = {"n_resamples": 200, "n_components": 4, "seed": int(rng.integers(2**31))}
        outcome = measure_oppositeness(
            pairs, table, states, **settings_of("oppositeness", **change)
        )
        rows = outcome[self.table]
        rows = rows.query(self.only) if self.only else rows
        return bool((rows[self.column] == self.yes).any())


CONTESTS = (
    Contest("association present, at any of eight layers", "words drawn alike", association),
    Contest("professions follow, at any of eight layers", "values dealt", professions),
    Contest(
        "professions follow, at any of eight layers", "any direction", professions_on_any_direction
    ),
    Contest("a part of the vocabulary stands", "a Gaussian cloud", clusters),
    Contest("a loop stands, in either space", "a random walk", loops_of_walk),
    Contest("a loop stands, in either space", "a stationary table", loops_of_stationary),
    Contest("an island of texts stands", "a Gaussian cloud", islands),
    Contest("islands are of a family", "islands dealt", families),
    Contest("features learned, or also untrained", "three Gaussian clouds", features),
    Contest("a search finds strangers", "texts as far as random ones", strangers),
    Contest(
        "opposites freed, by one preparation at one layer",
        "pairs without a relation",
        Opposites(
            "cosines", "verdict", "freed", "preparation == 'less_mean' and vectors == 'input'"
        ),
    ),
    Contest(
        "opposites freed, by any of three at any of three layers",
        "pairs without a relation",
        Opposites("cosines", "verdict", "freed"),
    ),
    Contest(
        "antonyms told by cosine, at any layer",
        "pairs without a relation",
        Opposites("cosines", "is_told", "yes"),
    ),
    Contest(
        "opposites on one line, at any layer",
        "pairs without a relation",
        Opposites("lines", "is_shared", "yes"),
    ),
    Contest(
        "antonyms told by a classifier, at any layer",
        "pairs without a relation",
        Opposites("classifiers", "is_told", "yes"),
    ),
)


def counted(contest: Contest, most: int, seconds: float) -> dict[str, Any]:
    """Return how often a verdict says yes, in as many worlds as the processor's time allows."""
    start = time.process_time()
    n = n_yes = 0
    for stream in np.random.default_rng(0).spawn(most):
        n_yes += contest.draw(stream)
        n += 1
        if time.process_time() - start > seconds:
            break
    return {
        "verdict": contest.verdict,
        "world": contest.world,
        "worlds": n,
        "says yes": n_yes,
        "bound": bound_of(n),
        "within": _within(n_yes, n),
    }


def _within(n_yes: int, n: int) -> str:
    if n_yes > bound_of(n):
        return "no"
    return "yes" if n >= FEWEST else "too few"


def bound_of(n: int) -> int:
    """Return the count that 5 % of `n` worlds exceed in a fortieth of all cases: 16 of 200."""
    from scipy.stats import binom

    return int(binom.ppf(0.975, n, ALPHA))


def page(rows: list[dict[str, Any]]) -> str:
    """Return the table as a page."""
    return (
        "# Open questions where nothing is\n\nWritten by `make open-questions`. How often each "
        "verdict of the [open questions](../docs/open_questions.md) says yes in worlds drawn from "
        f"its null, {MOST} or as many as fit into two minutes of the processor, or less where "
        "it was busy. Bound: the largest count that a rate of 5 % explains (97.5 %); below "
        f"{FEWEST} worlds there are too few to say. Worlds are small: few vectors, few dimensions; "
        "rules are those of conf/.\n\n"
        f"{markdown_table(pd.DataFrame(rows), 3)}\n"
    )


def rows_of(most: int, seconds: float) -> Iterator[dict[str, Any]]:
    """Yield the row of each verdict."""
    for contest in CONTESTS:
        row = counted(contest, most, seconds)
        print(row, flush=True)
        yield row


def main() -> None:
    """Count, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="of the processor, a verdict"
    )
    given = parser.parse_args()
    text = page([*rows_of(MOST, given.seconds)])
    with writing(PAGE) as partial_page:
        partial_page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
