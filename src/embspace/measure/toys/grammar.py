"""Stage `measure_grammar`: exact values of the generated language, and what its texts show.

No model: the outputs are named `toy`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.errors import InputError
from embspace.grammar.agreement import MAIN, agreement_distances, agreement_items, attractor_counts
from embspace.grammar.context_free import entropy
from embspace.grammar.entropy import (
    entropy_bounds,
    log_probability,
    word_frequencies,
    words_per_sentence,
)
from embspace.grammar.language import Language, make_language, write_sentences
from embspace.settings.corpus import GrammarCorpus
from embspace.settings.schema import read_yaml, validate
from embspace.settings.stage import run_stage

WORDS, NATS, SHARE = "words", "nats a word", "share"
LARGEST_TAIL = 1e-6  # results keep six digits
GrammarRow = tuple[str, str, float, float, float, float]


def load_language(path: str) -> Language:
    """Return the language of a corpus that is described."""
    return make_language(validate(GrammarCorpus, read_yaml(Path(path)), path))


GRAMMAR = Analysis(
    noun="grammar",
    question=(
        "What is known exactly of the generated language, and do its texts show it? "
        "[The language](grammar.md)"
    ),
    over="",
    reads={"language": Source(load_language, "conf/corpus/grammar.yaml")},
    tables={
        "summary": Table(
            {
                "quantity": "row",
                "unit": "name",
                "exact": "moment",
                "measured": "moment",
                "standard_error": "moment",
                "n": "count",
            }
        ),
        # Distances from a sentence's noun to its verb, and numbers of attractors.
        "agreement": Table(
            {
                "quantity": "row",
                "count": "row",
                "exact": "moment",
                "measured": "share",
                "standard_error": "moment",
                "n": "count",
            }
        ),
    },
)


def measure_grammar(
    language: Language,
    *,
    n_documents: Annotated[int, Field(ge=2)],
    largest_distance: PositiveInt,
    largest_count: PositiveInt,
) -> Outcome:
    """Return the exact facts on a language, and measurements on the first `n_documents` documents.

    `exact` follows from the rules alone; `measured` is a mean over `n` documents, sentences or main
    clauses. The entropy of the language is only measured, between exact bounds. The standard error
    in the table of agreement supposes that the exact share is right.

    Raises:
        InputError: if the largest distance or count leaves more than a millionth out.
    """
    sentences = write_sentences(language, 0, n_documents)
    texts = sentences.groupby("document")["text"].agg(" ".join).rename_axis("id").reset_index()
    items = agreement_items(texts, language)
    clauses = items[items["clause"] == MAIN]
    distances = agreement_distances(language, largest_distance)
    attractors = attractor_counts(language, largest_count)
    _check_tail(distances, "largest_distance")
    _check_tail(attractors, "largest_count")
    lengths = sentences["text"].str.split().map(len)
    mean_distance = float(distances @ np.arange(len(distances)))
    any_attractor = clauses["n_attractors"] > 0
    summary = [
        *_word_counts(language),
        _compared("words_per_sentence", WORDS, words_per_sentence(language), lengths),
        *_entropy_rows(language, texts["text"]),
        _compared("agreement_distance", WORDS, mean_distance, clauses["distance"]),
        _compared("clauses_with_attractor", SHARE, 1 - float(attractors[0]), any_attractor),
    ]
    tables = [
        _distribution("distance", distances, clauses["distance"]),
        _distribution("attractors", attractors, clauses["n_attractors"]),
    ]
    columns = [*GRAMMAR.tables["summary"].columns]
    return {
        "summary": pd.DataFrame(summary, columns=columns),
        "agreement": pd.concat(tables, ignore_index=True),
    }


def _check_tail(probabilities: Float[np.ndarray, " count"], key: str) -> None:
    if (tail := 1 - probabilities.sum()) > LARGEST_TAIL:
        raise InputError(
            f"conf/measure/toys/grammar.yaml: key '{key}': found "
            f"{len(probabilities) - 1}, allowed: larger, "
            f"since what is above has the probability {tail:.2g}"
        )


def _word_counts(language: Language) -> Iterator[GrammarRow]:
    frequencies = word_frequencies(language)["probability"]
    yield _exact("words", WORDS, len(frequencies))
    yield _exact("words_never_used", WORDS, int((frequencies == 0).sum()))
    yield _exact("entropy_of_single_words", NATS, entropy(frequencies.to_numpy()))


def _entropy_rows(language: Language, texts: pd.Series) -> Iterator[GrammarRow]:
    below, above = entropy_bounds(language)
    yield _exact("entropy_lower_bound", NATS, below)
    yield _exact("entropy_upper_bound", NATS, above)
    log_p = np.array([log_probability(text, language) for text in texts])
    n_words = texts.str.split().map(len).to_numpy()
    estimate = -log_p.sum() / n_words.sum()
    # Of a ratio of means, to first order.
    error = np.std(log_p + estimate * n_words, ddof=1) / n_words.mean() / np.sqrt(len(texts))
    yield "entropy", NATS, np.nan, float(estimate), float(error), len(texts)


def _exact(quantity: str, unit: str, value: float) -> GrammarRow:
    return quantity, unit, value, np.nan, np.nan, np.nan


def _compared(quantity: str, unit: str, exact: float, values: pd.Series) -> GrammarRow:
    """The row of a quantity with its mean over independent values."""
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    return quantity, unit, exact, values.mean(), error, len(values)


def _distribution(
    quantity: str, exact: Float[np.ndarray, " count"], measured: pd.Series
) -> pd.DataFrame:
    n, counts = len(measured), np.arange(len(exact))
    return pd.DataFrame(
        {
            "quantity": quantity,
            "count": counts,
            "exact": exact,
            "measured": [float((measured == count).mean()) for count in counts],
            "standard_error": np.sqrt(exact * (1 - exact) / n),
            "n": n,
        }
    )


main = GRAMMAR.main(measure_grammar)

if __name__ == "__main__":
    run_stage(main, measure_grammar, groups=())
