"""Stage `measure_opposite_texts`: can a search find texts that a model takes for opposites?

The second question of Luisto's thesis, section 5.2, by the rules of docs/open_questions.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.device import Device, choose_device
from embspace.geometry.inference.resampling import stream_of
from embspace.measure.open_questions.opposite_texts_fluency import (
    Fluency,
    LanguageJudge,
    WordPairs,
    load_judge,
    rates_order,
)
from embspace.measure.open_questions.opposite_texts_search import (
    Passes,
    Search,
    TextSpace,
    all_pass,
)
from embspace.measure.open_questions.opposite_texts_sentences import (
    Sentence,
    Words,
    load_sentences,
    read_sentences,
)
from embspace.measure.open_questions.opposite_texts_values import (
    VERDICTS,
    Course,
    Tried,
    course_rows,
    likelihoods,
    search_row,
    tried_of,
    unless_at_random_weights,
)
from embspace.measure.open_questions.rounding_states import TextReader, load_text_reader
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.even_places import evenly
from embspace.models.weights import with_random_weights
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

FEWEST = 4  # sentences; fewer have no interval
FREE, WORD_PAIRS, JUDGED = "free", "word_pairs", "judged"
RANDOM_WORDS, RANDOM_WEIGHTS, CORPUS = "random_words", "random_weights", "corpus"
NOT_CHECKABLE = "not checkable"
NO_JUDGE = "none"

OPPOSITE_TEXTS = Analysis(
    noun="opposite_texts",
    question="Can a search find texts that a model takes for opposites, and that are fluent?",
    over="profiled",
    reads={
        "sentences": Source(load_sentences, "data/prepared/texts", lists=["corpora"]),
        "reader": Source(load_text_reader),
        "judging": Source(load_judge, "data/prepared/model", lists=["judge"], described=True),
    },
    tables={
        "csv": Table(
            {
                "search": ("row", "search"),
                "n_changed": ("row", "changed words"),
                **with_bounds("cosine", "searched", "cosine", "searched_bound"),
                "word_pairs": ("searched_likelihood", "log-likelihood, word pairs"),
                "judged": ("searched_likelihood", "log-likelihood, judge"),
            }
        ),
        "searches": Table(
            {
                "search": ("row", "search"),
                **with_bounds("smallest", "searched", "smallest cosine", "searched_bound"),
                **with_bounds("beyond_corpus", "searched", "less the corpus", "searched_bound"),
                **with_bounds("beyond_random", "searched", "less random words", "searched_bound"),
                "finds_opposites": ("name", "opposites"),
                "finds_strangers": ("name", "stranger than the corpus"),
            }
        ),
        "texts": Table(
            {
                "sentence": ("row", "number"),
                "search": ("row", "search"),
                "n_changed": ("searched_text", "changed words"),
                "own_cosine": ("searched_text", "cosine"),
                "word_pairs": ("searched_text", "log-likelihood, word pairs"),
                "judged": ("searched_text", "log-likelihood, judge"),
                "text": ("searched_text", "text"),
            }
        ),
    },
    scalars={
        "n_sentences": "count",
        "n_in_corpora": "count",
        "n_words": "count",
        "smallest_of_pairs": "profile",
        "corpus_cosine": "profile",
        "word_pairs_bound": "profile",
        "judged_bound": "profile",
        "judge": "name",
    },
)


def measure_opposite_texts(
    sentences: Sequence[str],
    reader: TextReader | None,
    judging: Fluency | None,
    *,
    fewest_words: PositiveInt,
    most_words: PositiveInt,
    n_sentences: Annotated[int, Field(ge=FEWEST)],
    n_changes: PositiveInt,
    n_tried: PositiveInt,
    n_checked: PositiveInt,
    n_random: PositiveInt,
    judge: str,
    n_judged: PositiveInt,
    quantile: Probability,
    n_resamples: PositiveInt,
    level: Probability,
    tokens_per_batch: PositiveInt,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Search, for some sentences, for the least similar text, by changes of one word.

    A text passes if its likelihood per token is at least the `quantile` of `n_judged` sentences. A
    judge that rates these no likelier than their words in random order counts as none.
    The searches `word_pairs` and `judged` use the likelihood that names them, `free` has no bound.
    `csv` has means over sentences by number of changes, cosines in [-1, 1]. `searches` has the
    smallest cosines with the verdicts of docs/open_questions.md, with intervals of `level` over
    sentences. `texts` has the resulting texts and, under `corpus`, the least similar sentence of
    the corpora. Empty for a model that reads no text, and with fewer than 4 sentences.
    """
    chosen, words = _read(sentences, reader, fewest_words, most_words)
    if reader is None or words is None or len(chosen) < FEWEST:
        return OPPOSITE_TEXTS.empty(**_counts())
    priced = [chosen[row].text for row in evenly(len(chosen), n_judged)]
    generator = stream_of(np.random.default_rng(seed), "judge")
    resampled: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "generator": generator}
    if judging and not rates_order(judging, priced, **resampled):
        judging = None
    known: dict[str, Fluency] = {WORD_PAIRS: WordPairs(sentences)}
    known |= {JUDGED: judging} if judging else {}
    bounds = {name: _bound(fluency, priced, quantile) for name, fluency in known.items()}
    trained, plain = (
        tried_of(
            Search(
                TextSpace(own, tokens_per_batch, choose_device(device)),
                words,
                n_changes,
                n_tried,
                n_checked,
            ),
            chosen,
            evenly(len(chosen), n_sentences),
            n_random=n_random,
            n_resamples=n_resamples,
            level=level,
            seed=seed,
        )
        for own in (reader, reader.with_module(with_random_weights(reader.module, seed)))
    )
    courses = {FREE: trained.course(lambda sentence: all_pass)}
    courses |= {
        name: trained.course(partial(_passing, fluency, bounds[name]))
        for name, fluency in known.items()
    }
    at_random = plain.course(lambda sentence: all_pass)
    return {
        "csv": OPPOSITE_TEXTS.tables["csv"].of(_steps(courses, at_random, trained, plain, known)),
        "searches": OPPOSITE_TEXTS.tables["searches"].of(
            _searches(courses, at_random, trained, plain)
        ),
        "texts": OPPOSITE_TEXTS.tables["texts"].of(_texts(courses, trained, known)),
        "json": _counts(trained, chosen, words, bounds, _judge_name(judging, judge)),
    }


def _read(
    sentences: Sequence[str], reader: TextReader | None, fewest: int, most: int
) -> tuple[list[Sentence], Words | None]:
    if reader is None:
        return [], None
    return read_sentences(sentences, reader.tokenizer, reader.window, fewest, most)


def _bound(fluency: Fluency, texts: Sequence[str], quantile: float) -> float:
    """Return the likelihood at a quantile of the sentences."""
    scores = [fluency.scores([text], text)[0] for text in texts]
    return float(np.nanquantile(scores, quantile))


def _judge_name(judging: Fluency | None, judge: str) -> str:
    if judging is None:
        return NO_JUDGE
    return judge if isinstance(judging, LanguageJudge) else "masked head"


def _passing(fluency: Fluency, bound: float, sentence: Sentence) -> Passes:
    """Return a function that says which texts are at least as likely as the bound."""
    return lambda texts: fluency.scores(texts, sentence.text) >= bound


def _counts(
    trained: Tried | None = None,
    chosen: Sequence[Sentence] = (),
    words: Words | None = None,
    bounds: Mapping[str, float] | None = None,
    judge: str = NO_JUDGE,
) -> dict[str, Any]:
    nan = float("nan")
    return {
        "n_sentences": len(trained.sentences) if trained else 0,
        "n_in_corpora": len(chosen),
        "n_words": len(words.texts) if words else 0,
        "smallest_of_pairs": trained.smallest_of_pairs if trained else nan,
        "corpus_cosine": float(trained.beside.corpus.mean()) if trained else nan,
        "word_pairs_bound": (bounds or {}).get(WORD_PAIRS, nan),
        "judged_bound": (bounds or {}).get(JUDGED, nan),
        "judge": judge,
    }


def _steps(
    courses: Mapping[str, Course],
    at_random: Course,
    trained: Tried,
    plain: Tried,
    known: Mapping[str, Fluency],
) -> Iterator[dict[str, Any]]:
    """Yield the means over sentences by search and number of changes."""
    for name, course in courses.items():
        likely = {key: x.mean(axis=0) for key, x in likelihoods(course, known).items()}
        for row in course_rows(course.cosines, trained.beside):
            prices = {key: float(x[row["n_changed"]]) for key, x in likely.items()}
            yield {"search": name, **row, **prices}
    for name, cosines, beside in (
        (RANDOM_WORDS, trained.beside.random, trained.beside),
        (RANDOM_WEIGHTS, at_random.cosines, plain.beside),
    ):
        yield from ({"search": name, **row} for row in course_rows(cosines, beside))


def _searches(
    courses: Mapping[str, Course], at_random: Course, trained: Tried, plain: Tried
) -> Iterator[dict[str, Any]]:
    """Yield the verdicts of every search; for random weights, of the search without a bound."""
    plain_row = search_row(at_random, plain.beside)
    for name in (FREE, WORD_PAIRS, JUDGED):
        if name in courses:
            row = search_row(courses[name], trained.beside)
            yield {"search": name, **unless_at_random_weights(row, plain_row)}
        else:
            yield {"search": name, **dict.fromkeys(VERDICTS, NOT_CHECKABLE)}
    yield {"search": RANDOM_WEIGHTS, **plain_row}


def _texts(
    courses: Mapping[str, Course], trained: Tried, known: Mapping[str, Fluency]
) -> Iterator[dict[str, Any]]:
    """Yield the sentences, the least similar sentences of the corpora, and results of searches."""
    likely = {name: likelihoods(course, known) for name, course in courses.items()}
    for number, sentence in enumerate(trained.sentences):
        first = {key: float(x[number, 0]) for key, x in likely[FREE].items()}
        place = {"sentence": number + 1}
        row = {"search": "", "n_changed": 0, "own_cosine": 1.0, **first, "text": sentence.text}
        yield place | row
        far = trained.farthest[number]
        scores = {key: float(fluency.scores([far], far)[0]) for key, fluency in known.items()}
        cosine = float(trained.beside.corpus[number])
        yield place | {"search": CORPUS, "own_cosine": cosine, **scores, "text": far}
        for name, course in courses.items():
            prices = {key: float(x[number, -1]) for key, x in likely[name].items()}
            yield place | {
                "search": name,
                "n_changed": int(course.n_changed[number]),
                "own_cosine": float(course.smallest[number]),
                **prices,
                "text": course.texts[number][-1],
            }


main = OPPOSITE_TEXTS.main(measure_opposite_texts)

if __name__ == "__main__":
    run_stage(main, measure_opposite_texts)
