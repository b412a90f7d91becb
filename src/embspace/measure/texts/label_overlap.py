"""Stage `measure_label_overlap`: how many neighbors of a text have its label, by layer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.pooling import SENTENCE
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.device import Device, choose_device
from embspace.files.rows import load_rows
from embspace.files.tables import Row
from embspace.geometry.inference.half_samples import (
    half_sample_error,
    half_units,
    student_quantile,
    units_of,
)
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.measures.neighborhoods.label_overlap import (
    balanced_label_overlap,
    label_overlap,
)
from embspace.geometry.pairs.distinct import is_one_vector
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from embspace.measure.tables.columns import shown, value_with_bounds, with_bounds
from embspace.measure.tables.pooled_states import (
    PooledStates,
    final_norm_of,
    pooled_states,
)
from embspace.measure.tables.text_poolings import load_sentence_vectors, load_text_states
from embspace.measure.texts.layer_choice_tasks import Labeled, labeled
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability, Share

MEASURES = ("label_overlap", "balanced_label_overlap")
# Of a vector that is no layer's.
OUTSIDE = dict.fromkeys(("layer", "less_last", "less_last_low", "less_last_high"))


@dataclass(frozen=True, eq=False)
class LabeledStates:
    """The texts of a corpus, the windows read by a model, and the windows' pooled states."""

    texts: pd.DataFrame
    """Columns id, document, domain, subject."""
    windows: pd.DataFrame
    """Column `text`: the id of the window's text."""
    tokens: pd.DataFrame
    states: PooledStates
    sentences: Float[np.ndarray, "text dim"] | None = None
    """The vectors of `texts` by a sentence model's own pooling; None without a sentence model."""


def load_labeled_states(states: str, texts: str, corpora: list[str]) -> dict[str, LabeledStates]:
    """Return each corpus, from the folders of a model's states and of all texts."""
    paths = {corpus: f"{states}/{corpus}" for corpus in corpora}
    windows = {corpus: load_rows(f"{path}.windows.parquet") for corpus, path in paths.items()}
    files = {
        corpus: f"{path}.safetensors" for corpus, path in paths.items() if len(windows[corpus])
    }
    read = {}
    for corpus, pooled in load_text_states(files).items():
        table = load_rows(f"{texts}/{corpus}.parquet")
        table = table[table["id"].isin(windows[corpus]["text"])].reset_index(drop=True)
        tokens, own = load_rows(f"{paths[corpus]}.tokens.parquet"), files[corpus]
        read[corpus] = LabeledStates(
            table, windows[corpus], tokens, pooled, load_sentence_vectors(own)
        )
    return read


LABEL_OVERLAP = Analysis(
    noun="label_overlap",
    question="How many neighbors of a text have its label, by layer? Of models under `profiled`",
    over="profiled",
    reads={
        "module": Source(load_model),
        "final_norm": Source(final_norm_of),
        "corpora": Source(load_labeled_states, TEXT_FOLDERS, lists=["corpora"]),
    },
    tables={
        "csv": Table(
            {
                **dict.fromkeys(("corpus", "measure"), "row"),
                **shown("row", "pooling", "layer"),
                **dict.fromkeys(("n", "n_labels", "n_units"), "count"),
                **value_with_bounds("neighbor_share"),
                **with_bounds("less_last", "neighbor_share", "difference from the last layer"),
                "chance": "moment",
                "null_mean": "neighbor_share",
                "null_largest": ("neighbor_share", "largest of shuffled labels"),
                "random_weights_value": ("neighbor_share", "random weights"),
                "level": "setting",
            }
        )
    },
)


@dataclass(frozen=True)
class Neighborhoods:
    """Settings of the measures and their draws."""

    n_neighbors: int
    class_fraction: float
    n_half_samples: int
    n_shuffles: int
    level: float


def measure_label_overlap(
    module: Any,
    final_norm: str | None,
    corpora: Mapping[str, LabeledStates],
    *,
    left_out: list[str],
    fewest_documents: Annotated[int, Field(ge=4)],
    most_texts: PositiveInt,
    n_neighbors: PositiveInt,
    class_fraction: Share,
    random_weights_corpora: list[str],
    tokens_per_batch: PositiveInt,
    n_half_samples: PositiveInt,
    n_shuffles: PositiveInt,
    level: Probability,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Return a row per corpus, measure, pooling and layer; `sentence` has no layer.

    The pooling `sentence` is the sentence model's own vector of a text. For a decoder, the last
    token is a pooling, too.

    Labels as in `layer_choice`: subjects, or domains where most subjects are too rare. A text of
    several windows is the mean of the windows. Only the first text of a document counts: texts of
    the same document are near each other with any label. `label_overlap` counts `n_neighbors`
    neighbors of each text, `balanced_label_overlap` a share of the texts with the same label, and
    weighs labels alike. `less_last` is the difference from the last layer at the same pooling, on
    the same halves of the documents. `chance` is the exact mean value with labels dealt at random;
    `null_largest` the largest value of the draws. For `random_weights_corpora` the row has the
    value at random weights, too. NaN where all texts have the same vector, as by the first token
    before the first block.
    """
    rules = Neighborhoods(n_neighbors, class_fraction, n_half_samples, n_shuffles, level)
    generator = np.random.default_rng(seed)
    rows: list[Row] = []
    for corpus, read in corpora.items():
        if corpus in left_out or read.windows.empty:
            continue
        some = _one_a_document(
            labeled(read.texts, fewest_documents=fewest_documents, most_texts=most_texts, seed=seed)
        )
        if len(some.rows) <= 2 * n_neighbors:
            continue
        random: PooledStates = {}
        if module is not None and corpus in random_weights_corpora:
            randomized = with_random_weights(module, seed)
            where = choose_device(device)
            random = pooled_states(
                randomized, read.tokens, final_norm, tokens_per_batch, where, [*read.states]
            )
        corpus_rows: list[Row] = []
        for pooling, vectors in _by_pooling(read, some).items():
            at_random = [_text_means(read, x)[some.rows] for x in random.get(pooling, [])]
            rng = stream_of(generator, corpus)  # the same halves and labels for all poolings
            # One thread: on more BLAS would add in another order.
            with threadpool_limits(1, user_api="blas"):
                by_layer = list(_layer_rows(vectors, at_random, some, rules, rng))
            same = {"corpus": corpus, "pooling": pooling}
            without = OUTSIDE if pooling == SENTENCE else {}
            corpus_rows += [{**same, **row, **without} for row in by_layer]
        rows += sorted(corpus_rows, key=lambda row: MEASURES.index(row["measure"]))
    return {"csv": LABEL_OVERLAP.tables["csv"].of(rows)}


def _one_a_document(some: Labeled) -> Labeled:
    """The first text of each document, in the order of the texts."""
    first = np.sort(np.unique(some.documents, return_index=True)[1])
    return replace(
        some, rows=some.rows[first], labels=some.labels[first], documents=some.documents[first]
    )


def _by_pooling(read: LabeledStates, some: Labeled) -> dict[str, list[np.ndarray]]:
    """Return the vectors of the chosen texts by layer; the makers' own vectors have one layer."""
    vectors = {
        pooling: [_text_means(read, x)[some.rows] for x in layers]
        for pooling, layers in read.states.items()
    }
    if read.sentences is not None:
        vectors[SENTENCE] = [read.sentences[some.rows].astype(np.float64)]
    return vectors


def _text_means(
    read: LabeledStates, vectors: Float[np.ndarray, "window dim"]
) -> Float[np.ndarray, "text dim"]:
    """The mean of the windows of each text, in the order of the texts."""
    place = pd.Index(read.texts["id"]).get_indexer(read.windows["text"])
    sums = np.zeros((len(read.texts), vectors.shape[1]))
    np.add.at(sums, place, vectors)
    return sums / np.bincount(place, minlength=len(sums))[:, None]


def _layer_rows(
    vectors: list[Float[np.ndarray, "text dim"]],
    at_random: list[Float[np.ndarray, "text dim"]],
    some: Labeled,
    rules: Neighborhoods,
    rng: np.random.Generator,
) -> Iterator[Row]:
    """Yield a row per layer and measure."""
    labels = some.labels
    unit = units_of(some.documents)
    n_units = int(unit.max()) + 1
    halves = half_units(n_units, rules.n_half_samples, rng)[:, unit]
    dealt = [rng.permutation(labels) for _ in range(rules.n_shuffles)]
    overlaps = np.array([_overlaps(x, [labels, *dealt], rules) for x in vectors])
    whole, null = overlaps[:, 0], overlaps[:, 1:]
    drawn = np.array(
        [[_overlaps(x[half], [labels[half]], rules)[0] for half in halves] for x in vectors]
    )
    reach = student_quantile(n_units, len(halves), rules.level)
    facts = {
        "n": len(labels),
        "n_labels": int(labels.max()) + 1,
        "n_units": n_units,
        "level": rules.level,
    }
    for layer, (number, measure) in [
        (layer, measure) for layer in range(len(vectors)) for measure in enumerate(MEASURES)
    ]:
        value, half_values = whole[layer, number], drawn[layer, :, number]
        less = value - whole[-1, number]
        error = reach * half_sample_error(half_values, n_units)
        error_of_less = reach * half_sample_error(half_values - drawn[-1, :, number], n_units)
        random = _overlaps(at_random[layer], [labels], rules)[0, number] if at_random else np.nan
        yield {
            "measure": measure,
            "layer": layer,
            **facts,
            "value": value,
            "low": np.clip(value - error, 0, 1),
            "high": np.clip(value + error, 0, 1),
            "less_last": less,
            "less_last_low": less - error_of_less,
            "less_last_high": less + error_of_less,
            "chance": _chance(measure, labels),
            "null_mean": null[layer, :, number].mean(),
            "null_largest": null[layer, :, number].max(),
            "random_weights_value": random,
        }


def _overlaps(
    x: Float[np.ndarray, "text dim"],
    labels: Sequence[Int[np.ndarray, " text"]],
    rules: Neighborhoods,
) -> Float[np.ndarray, "labeling measure"]:
    """Return both measures for all labelings of the texts, from a single search for neighbors."""
    if is_one_vector(x):
        return np.full((len(labels), len(MEASURES)), np.nan)
    most = max(rules.n_neighbors, int(rules.class_fraction * np.bincount(labels[0]).max()))
    graph = neighbor_graph_of(x, min(most, len(x) - 1))
    k = min(rules.n_neighbors, graph.k)
    near = graph.first(k)
    return np.array(
        [
            [
                label_overlap(near, labeling, k=k),
                balanced_label_overlap(graph, labeling, class_fraction=rules.class_fraction),
            ]
            for labeling in labels
        ]
    )


def _chance(measure: str, labels: Int[np.ndarray, " text"]) -> float:
    """Return the share of other texts that have a text's label: mean over texts or over labels."""
    counts = np.bincount(labels)
    shares = (counts - 1) / (len(labels) - 1)
    return float((shares @ counts) / len(labels) if measure == "label_overlap" else shares.mean())


main = LABEL_OVERLAP.main(measure_label_overlap)

if __name__ == "__main__":
    run_stage(main, measure_label_overlap)
