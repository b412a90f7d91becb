"""Stage `measure_layer_choice`: which layer and pooling serve best on the texts of a corpus."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.pooling import SENTENCE
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.device import Device, choose_device
from embspace.files.rows import load_rows
from embspace.geometry.groups.folds import Features
from embspace.geometry.inference.best_choice import Differences, simultaneous_differences
from embspace.geometry.inference.half_samples import half_sample_error, student_quantile
from embspace.geometry.inference.resampling import stream_of
from embspace.measure.tables.columns import shown, with_bounds
from embspace.measure.tables.half_scores import best_cosines, copies_of_queries
from embspace.measure.tables.pooled_states import (
    PooledStates,
    final_norm_of,
    pooled_states,
)
from embspace.measure.tables.text_poolings import load_sentence_vectors, load_text_states
from embspace.measure.texts.layer_choice_tasks import (
    EmbeddingKey,
    Labeled,
    Scores,
    cluster_scores,
    label_scores,
    labeled,
    one_of_copies,
    search_scores,
)
from embspace.measure.texts.search import word_scores
from embspace.measure.texts.text_classifiers import Regularization
from embspace.models.weights import load_model, with_random_weights
from embspace.prepare.copies import names_of_copies
from embspace.prepare.sentences import split_halves
from embspace.scripts.words import longer_words_in
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

TRAINED, RANDOM, WORDS = "trained", "random", "none"
OWN: EmbeddingKey = (SENTENCE, None, TRAINED)


@dataclass(frozen=True, eq=False)
class ReadTexts:
    """Texts, the windows read by a model, and the windows' pooled states."""

    texts: pd.DataFrame
    windows: pd.DataFrame
    tokens: pd.DataFrame
    states: PooledStates
    sentences: Float[np.ndarray, "text dim"] | None = None
    """The vectors of `texts` by a sentence model's own pooling; None without a sentence model."""


@dataclass(frozen=True, eq=False)
class ReadCorpus:
    """The texts of a corpus, and the halves of those that have halves."""

    whole: ReadTexts
    halves: ReadTexts


def load_read_corpora(states: str, texts: str, corpora: list[str]) -> dict[str, ReadCorpus]:
    """Return each corpus, from the folders of a model's states and of all texts."""
    paths = {corpus: f"{states}/{corpus}" for corpus in corpora}
    paths |= {f"{corpus}.halves": f"{path}.halves" for corpus, path in paths.items()}
    windows = {part: load_rows(f"{path}.windows.parquet") for part, path in paths.items()}
    files = {part: f"{path}.safetensors" for part, path in paths.items() if len(windows[part])}
    pooled = load_text_states(files)
    read = {}
    for corpus in corpora:
        table = load_rows(f"{texts}/{corpus}.parquet")
        whole, halves = (
            _read(paths[part], rows, windows[part], pooled.get(part, {}))
            for part, rows in ((corpus, table), (f"{corpus}.halves", split_halves(table)))
        )
        read[corpus] = ReadCorpus(whole, halves)
    return read


def _read(path: str, texts: pd.DataFrame, windows: pd.DataFrame, states: PooledStates) -> ReadTexts:
    texts = texts[texts["id"].isin(windows["text"])].reset_index(drop=True)
    own = load_sentence_vectors(f"{path}.safetensors") if states else None
    return ReadTexts(texts, windows, load_rows(f"{path}.tokens.parquet"), states, own)


LAYER_CHOICE = Analysis(
    noun="layer_choice",
    question=(
        "Which layer and pooling serve best, for search, labels and clusters? Of models under "
        "`profiled`"
    ),
    over="profiled",
    reads={
        "module": Source(load_model),
        "final_norm": Source(final_norm_of),
        "corpora": Source(load_read_corpora, TEXT_FOLDERS, lists=["corpora"]),
    },
    tables={
        "csv": Table(
            {
                **shown("row", "corpus", "task"),
                "rank": ("order_of_layers", "rank"),
                **shown("row", "embedding", "layer", "weights"),
                "n": "count",
                "n_units": "count",
                "level": "setting",
                **with_bounds("value", "probed_accuracy", "value"),
                **with_bounds("less_last", "probed_accuracy", "difference from the last layer"),
                **with_bounds("less_best", "probed_accuracy", "difference from the best"),
                "among_best": ("order_of_layers", "not told from the best"),
                "chance": ("moment", "chance level"),
            }
        )
    },
)


@dataclass(frozen=True)
class Inference:
    """Settings of the intervals: half-samples, level and seed."""

    n_half_samples: int
    level: float
    seed: int


def measure_layer_choice(
    module: Any,
    final_norm: str | None,
    corpora: Mapping[str, ReadCorpus],
    *,
    left_out: list[str],
    fewest_documents: Annotated[int, Field(ge=4)],
    most_texts: PositiveInt,
    stop_words: Literal["english"] | None,
    n_folds: Annotated[int, Field(ge=2)],
    inverse_regularization: PositiveFloat,
    inverse_regularization_of_words: PositiveFloat,
    tokens_per_batch: PositiveInt,
    n_half_samples: PositiveInt,
    level: Probability,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Return a row per corpus, task, embedding, layer and weights, the best layers first.

    Tasks: `search`, the mean reciprocal rank of the first half of a text when its second half asks;
    `labels`, the held-out accuracy of a logistic regression; `clusters`, the mean silhouette of the
    labels. A text of several windows is the mean of the windows; in search the most alike windows
    count. `less_last` is the difference from the last layer at the same pooling, `less_best` the
    difference from the best layer and pooling, which these values have picked; the intervals of
    either difference are simultaneous, and `among_best` marks the layers that cannot be told from
    the best. For comparison: `sentence`, the sentence model's own vector of a text; random weights;
    and words alone, TF-IDF. For a decoder, the last token is a pooling, too.
    """
    regularization = Regularization(inverse_regularization, inverse_regularization_of_words)
    inference = Inference(n_half_samples, level, seed)
    randomized = None if module is None else with_random_weights(module, seed)
    parts = [LAYER_CHOICE.tables["csv"].of()]
    for corpus, read in corpora.items():
        if corpus in left_out or read.whole.windows.empty:
            continue
        some = labeled(
            read.whole.texts, fewest_documents=fewest_documents, most_texts=most_texts, seed=seed
        )
        has_halves = read.halves.texts["document"].nunique() >= fewest_documents
        encoding = (randomized, final_norm, tokens_per_batch, choose_device(device))
        if has_halves:
            states = _by_weights(read.halves, *encoding)
            scores = _search(read.halves, states, stop_words, inference, corpus)
            parts.append(_table(scores, inference).assign(corpus=corpus, task="search"))
        if len(some.rows):
            states = _by_weights(read.whole, *encoding)
            for task, scores in _label_tasks(
                read.whole, states, some, regularization, n_folds, inference, corpus
            ):
                parts.append(_table(scores, inference).assign(corpus=corpus, task=task))
    table = pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
    return {"csv": LAYER_CHOICE.tables["csv"].of(table)}


def _by_weights(
    read: ReadTexts, randomized: Any, final_norm: str | None, tokens_per_batch: int, device: str
) -> dict[str, PooledStates]:
    """Return the states of the model and, if extracted, of the same model at random weights."""
    states = {TRAINED: read.states}
    if randomized is not None:
        states[RANDOM] = pooled_states(
            randomized, read.tokens, final_norm, tokens_per_batch, device, [*read.states]
        )
    return states


def _layers(
    states: Mapping[str, PooledStates],
) -> Iterator[tuple[EmbeddingKey, Float[np.ndarray, "window dim"]]]:
    for weights, by_pooling in states.items():
        for pooling, layers in by_pooling.items():
            for layer, vectors in enumerate(layers):
                yield (pooling, layer, weights), vectors


def _search(
    halves: ReadTexts,
    states: Mapping[str, PooledStates],
    stop_words: str | None,
    inference: Inference,
    corpus: str,
) -> Scores:
    half_of = halves.texts.set_index("id")["half"]
    is_candidate = (halves.windows["text"].map(half_of) == 1).to_numpy()
    names = halves.windows["text"].to_numpy()
    scores: dict[EmbeddingKey, np.ndarray] = {
        key: best_cosines(x.astype(np.float64), names, is_candidate) for key, x in _layers(states)
    }
    for (name, _, _), by_words in word_scores(halves.texts, stop_words).items():
        scores[name, None, WORDS] = by_words
    if halves.sentences is not None:
        first = (halves.texts["half"] == 1).to_numpy()
        x = halves.sentences.astype(np.float64)
        scores[OWN] = best_cosines(x, halves.texts["id"].to_numpy(), first)
    queries = halves.texts.loc[halves.texts["half"] == 2, "document"]
    return search_scores(
        scores,
        copies_of_queries(halves.texts),
        pd.factorize(queries)[0].astype(np.int64),
        n_half_samples=inference.n_half_samples,
        rng=stream_of(np.random.default_rng(inference.seed), corpus, "search"),
    )


def _label_tasks(
    read: ReadTexts,
    states: Mapping[str, PooledStates],
    some: Labeled,
    regularization: Regularization,
    n_folds: int,
    inference: Inference,
    corpus: str,
) -> Iterator[tuple[str, Scores]]:
    """Yield the scores of the classifier, and those of the labels as clusters."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    text_means = {key: _text_means(read, x) for key, x in _layers(states)}
    content = read.texts["text"].to_numpy()
    words: EmbeddingKey = ("tf_idf", None, WORDS)
    own = {} if read.sentences is None else {OWN: read.sentences.astype(np.float64)}
    n_half_samples, seed = inference.n_half_samples, inference.seed
    streams = [
        stream_of(np.random.default_rng(seed), corpus, task) for task in ("labels", "clusters")
    ]
    features: dict[EmbeddingKey, Features] = {key: x[some.rows] for key, x in text_means.items()}
    features[words] = content[some.rows].tolist()
    features |= {key: x[some.rows] for key, x in own.items()}
    yield (
        "labels",
        label_scores(
            features,
            some,
            regularization,
            n_folds=n_folds,
            seed=seed,
            n_half_samples=n_half_samples,
            rng=streams[0],
        ),
    )
    once = one_of_copies(some, names_of_copies(read.texts))
    counter = TfidfVectorizer(sublinear_tf=True, tokenizer=longer_words_in, token_pattern=None)
    vectors = {key: x[once.rows] for key, x in text_means.items()}
    vectors[words] = counter.fit_transform(content[once.rows].tolist()).toarray()
    vectors |= {key: x[once.rows] for key, x in own.items()}
    yield (
        "clusters",
        cluster_scores(vectors, once, n_half_samples=n_half_samples, rng=streams[1]),
    )


def _text_means(
    read: ReadTexts, vectors: Float[np.ndarray, "window dim"]
) -> Float[np.ndarray, "text dim"]:
    """Return the mean of the windows of each text, in the order of the texts."""
    place = pd.Index(read.texts["id"]).get_indexer(read.windows["text"])
    sums = np.zeros((len(read.texts), vectors.shape[1]))
    np.add.at(sums, place, vectors)
    return sums / np.bincount(place, minlength=len(sums))[:, None]


def _table(scores: Scores, inference: Inference) -> pd.DataFrame:
    """Return a row per embedding: the layers of the model by value, then the comparisons."""
    table = pd.DataFrame(scores.keys, columns=["embedding", "layer", "weights"])
    is_layer = (table["weights"] == TRAINED) & (table["embedding"] != SENTENCE)
    trained = np.flatnonzero(is_layer)
    order = trained[np.argsort(-scores.values[trained], kind="stable")]
    best = np.full(len(table), order[0])
    last = np.arange(len(table))
    last_layer = int(table["layer"].iloc[trained].max())
    for pooling in table["embedding"].iloc[trained].unique():
        has_pooling = is_layer & (table["embedding"] == pooling)
        last[has_pooling] = np.flatnonzero(has_pooling & (table["layer"] == last_layer))[0]
    table["n"], table["n_units"], table["level"] = scores.n, scores.n_units, inference.level
    error = half_sample_error(scores.half_values, scores.n_units)
    reach = error * student_quantile(scores.n_units, len(scores.half_values), inference.level)
    table["value"] = scores.values
    table["value_low"] = np.clip(scores.values - reach, *scores.limits)
    table["value_high"] = np.clip(scores.values + reach, *scores.limits)
    for name, reference, is_picked in (("less_last", last, False), ("less_best", best, True)):
        differences = _differences(scores, reference, inference.level, is_picked=is_picked)
        table[name], table[f"{name}_low"], table[f"{name}_high"] = differences
    outside = ["less_last", "less_last_low", "less_last_high"]
    table.loc[~is_layer, outside] = np.nan
    table["among_best"] = is_layer & (table["less_best_high"] >= 0)
    table["chance"] = scores.chance
    table.loc[order, "rank"] = np.arange(1, len(order) + 1)
    others = np.setdiff1d(np.arange(len(table)), order)
    return table.iloc[[*order, *others]]


def _differences(
    scores: Scores, reference: Int[np.ndarray, " key"], level: float, *, is_picked: bool
) -> Differences:
    """Return the simultaneous differences; the makers' vector comes last and widens no interval.

    Its own interval is simultaneous over all embeddings, the others over all but the makers'.
    """
    n_others = len(scores.keys) - (OWN in scores.keys)

    def among_first(n: int) -> Differences:
        return simultaneous_differences(
            scores.values[:n],
            scores.half_values[:, :n],
            reference[:n],
            n_units=scores.n_units,
            level=level,
            is_picked=is_picked,
        )

    others = among_first(n_others)
    if n_others == len(scores.keys):
        return others
    own = among_first(len(scores.keys))
    return Differences(*map(np.append, others, (bound[n_others:] for bound in own)))


main = LAYER_CHOICE.main(measure_layer_choice)

if __name__ == "__main__":
    run_stage(main, measure_layer_choice)
