"""The results of a search for opposite texts: cosines by change, smallest cosines, verdicts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.inference.resampling import half_sample_interval, stream_of
from embspace.measure.open_questions.opposite_texts_fluency import Fluency
from embspace.measure.open_questions.opposite_texts_search import Passes, Search
from embspace.measure.open_questions.opposite_texts_sentences import Sentence

OPPOSITE = -0.5  # the rule of opposites
VERDICTS = ("finds_opposites", "finds_strangers")


@dataclass(frozen=True, eq=False)
class Course:
    """The texts of a search after every change, with their cosines to the sentences."""

    texts: list[list[str]]
    """By sentence; the first is the sentence, and the last stays where a search has ended."""
    cosines: Float[np.ndarray, "sentence change"]
    n_changed: Int[np.ndarray, " sentence"]

    @property
    def smallest(self) -> Float[np.ndarray, " sentence"]:
        """The smallest cosine of every sentence."""
        return self.cosines[:, -1]


@dataclass(frozen=True, eq=False)
class Comparators:
    """Cosines for comparison with a search, and settings of the intervals."""

    corpus: Float[np.ndarray, " sentence"]
    """The smallest cosine of every sentence with any sentence of the corpora."""
    random: Float[np.ndarray, "sentence change"]
    """The mean cosine after replacements by random words."""
    n_resamples: int
    level: float
    seed: int

    def interval(self, name: str, values: Float[np.ndarray, " sentence"]) -> dict[str, float]:
        """Return the mean over sentences, with its interval by halves of the sentences."""
        interval = half_sample_interval(
            partial(_mean_of, values),
            len(values),
            n_resamples=self.n_resamples,
            level=self.level,
            generator=stream_of(np.random.default_rng(self.seed), "sentences"),
        )
        bounds = {f"{name}_low": float(interval.low), f"{name}_high": float(interval.high)}
        return {name: float(values.mean()), **bounds}


def _mean_of(values: np.ndarray, units: np.ndarray) -> np.ndarray:
    return np.asarray(values[units].mean())


@dataclass(frozen=True, eq=False)
class Tried:
    """A search, the sentences to start from, and the cosines for comparison."""

    search: Search
    sentences: list[Sentence]
    beside: Comparators
    farthest: list[str]
    """The least similar sentence of the corpora, for every sentence."""
    smallest_of_pairs: float
    """The smallest cosine of all pairs of sentences."""

    def course(self, passes: Callable[[Sentence], Passes]) -> Course:
        """Return the course of the search from all sentences; `passes` makes a sentence's test."""
        return course_of(self.search, self.sentences, [*map(passes, self.sentences)])


def tried_of(
    search: Search,
    chosen: Sequence[Sentence],
    rows: Int[np.ndarray, " sentence"],
    *,
    n_random: int,
    n_resamples: int,
    level: float,
    seed: int,
) -> Tried:
    """Return a search from some `rows` of all sentences `chosen`."""
    unit = search.space.vectors([sentence.text for sentence in chosen])
    cosines = unit @ unit.T
    some = [chosen[row] for row in rows]
    beside = Comparators(
        cosines[rows].min(axis=1),
        random_course(search, some, n_random, seed),
        n_resamples,
        level,
        seed,
    )
    farthest = [chosen[row].text for row in cosines[rows].argmin(axis=1)]
    return Tried(search, some, beside, farthest, float(cosines.min()))


def course_of(search: Search, sentences: Sequence[Sentence], passes: Sequence[Passes]) -> Course:
    """Return the course of a search from all sentences, with a test of texts per sentence."""
    texts, cosines, n_changed = [], [], []
    for sentence, own in zip(sentences, passes, strict=True):
        steps = search.descend(sentence, own)
        n_changed.append(len(steps) - 1)
        steps += steps[-1:] * (search.n_changes + 1 - len(steps))
        texts.append([step.text for step, _ in steps])
        cosines.append([cosine for _, cosine in steps])
    return Course(texts, np.array(cosines), np.array(n_changed))


def random_course(search: Search, sentences: Sequence[Sentence], n: int, seed: int) -> np.ndarray:
    """Return mean cosines (sentence, change) after replacements by random words."""
    rows = []
    for number, sentence in enumerate(sentences):
        generator = stream_of(np.random.default_rng(seed), "random", str(number))
        row = search.random_cosines(sentence, n, generator)
        rows.append(np.concatenate([row, row[-1:].repeat(search.n_changes + 1 - len(row))]))
    return np.array(rows)


def search_row(course: Course, beside: Comparators) -> dict[str, Any]:
    """Return the smallest cosine, alone and beside corpus and random words, and the verdicts."""
    rows = np.arange(len(course.n_changed))
    at_random = beside.random[rows, course.n_changed]
    values = {
        **beside.interval("smallest", course.smallest),
        **beside.interval("beyond_corpus", course.smallest - beside.corpus),
        **beside.interval("beyond_random", course.smallest - at_random),
    }
    is_search = values["beyond_random_high"] < 0
    return {
        **values,
        "finds_opposites": _yes(is_search and values["smallest_high"] <= OPPOSITE),
        "finds_strangers": _yes(is_search and values["beyond_corpus_high"] < 0),
    }


def unless_at_random_weights(row: Mapping[str, Any], plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row, with `no` for every verdict whose rule random weights meet as well."""
    return {**row, **{name: _yes(row[name] == "yes" != plain[name]) for name in VERDICTS}}


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def course_rows(
    cosines: Float[np.ndarray, "sentence change"], beside: Comparators
) -> Iterator[dict[str, Any]]:
    """Yield the mean cosine after every number of changes, with its interval."""
    for n_changed, values in enumerate(cosines.T):
        yield {"n_changed": n_changed, **beside.interval("cosine", values)}


def likelihoods(course: Course, known: Mapping[str, Fluency]) -> dict[str, np.ndarray]:
    """Return the likelihood of all texts of a course (sentence, change), by name in `known`."""
    return {
        name: np.array([fluency.scores(texts, texts[0]) for texts in course.texts])
        for name, fluency in known.items()
    }
