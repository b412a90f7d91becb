"""Stage `measure_text_classification`: frozen states as features of a light classifier."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.pooling import SENTENCE
from embspace.device import Device, choose_device
from embspace.errors import InputError, counted
from embspace.files.texts import load_texts
from embspace.geometry.groups.folds import Features, folds_by_group
from embspace.geometry.inference.resampling import half_sample_interval, interval_bounds
from embspace.measure.tables.columns import shown, with_bounds
from embspace.measure.tables.text_poolings import text_poolings
from embspace.measure.texts.text_classifiers import Regularization, held_out_classes
from embspace.models.encoder import batches_by_length, encode, tensor_shapes
from embspace.models.sentence.modules import SentenceModules
from embspace.models.sentence.vectors import SentenceTexts, sentence_modules
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.models.tokens.unknown import is_known
from embspace.models.weights import load_model, with_random_weights
from embspace.models.windows import Window, cut_windows, largest_window
from embspace.prepare.copies import copies_of, joined
from embspace.settings.model import Network, VectorsModel
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability, Share

SETTINGS = "conf/measure/texts/text_classification.yaml"
KINDS = ("cls", "mean", "last")  # the last of a decoder alone
WORDS = ("bag_of_words", None, "none")
KEY = ("features", "layer", "weights")
ACCURACY = with_bounds("accuracy", "probed_accuracy", "accuracy")
LESS = with_bounds("less_bag_of_words", "probed_accuracy", "difference from words alone")
TextFeaturesKey = tuple[str, int | None, str]
"""Kind (cls, mean, last, sentence, bag_of_words), layer, and weights (trained, random, none)."""


@dataclass(frozen=True, eq=False)
class Reader:
    """A model with the tokenizer."""

    model: Network
    module: Any
    tokenizer: Any
    sentences: SentenceModules | None = None
    """The pooling and layers after the transformer of a sentence model; None without them."""


def load_reader(name: str, model: Network | VectorsModel) -> Reader | None:
    """Return a model, the tokenizer and sentence modules; None if the model reads no text."""
    if isinstance(model, VectorsModel) or not tokenizer_files(model):
        return None
    module = load_model(name, model)
    modules = sentence_modules(name, model, module)
    return Reader(model, module, load_tokenizer(name, model), modules)


TEXT_CLASSIFICATION = Analysis(
    noun="text_classification",
    question="Are frozen states good features for a light classifier of texts? Section 4.5.3",
    reads={"reader": Source(load_reader)},
    tables={
        "csv": Table(
            shown("row", *KEY)
            | {"n": "count", "n_groups": "count", "level": "setting"}
            | ACCURACY
            | {"permuted_accuracy": ("probed_accuracy", "permuted labels")}
            | {"permuted_accuracy_smallest": ("probed_accuracy", "permuted labels, smallest")}
            | {"permuted_accuracy_largest": ("probed_accuracy", "permuted labels, largest")}
            | LESS
        )
    },
)


def measure_text_classification(
    reader: Reader | None,
    *,
    texts: str,
    label_column: str,
    group_column: str,
    copy_similarity: Share | None,
    n_folds: Annotated[int, Field(ge=2)],
    inverse_regularization: PositiveFloat,
    inverse_regularization_of_words: PositiveFloat,
    n_permutations: PositiveInt,
    tokens_per_batch: PositiveInt,
    largest_unknown_share: Share,
    n_resamples: PositiveInt,
    level: Probability,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure the held-out accuracy of a logistic regression on the states of each layer.

    Groups with copies of a text, by `copy_similarity`, count as a single group. Poolings are the
    first token, the mean of all tokens and, for a decoder, the last token; for comparison the table
    has random weights, and words alone: TF-IDF of words and pairs of words, in the same folds.
    `sentence` is the sentence model's own vector of a text, without a layer. Chance is the same fit
    to permuted labels, its mean and range. The interval is over groups, the classifiers being
    given; `less_bag_of_words` is paired. A text longer than the model's window counts by the first
    window, for the words and for `sentence` as a whole. Without a `reader`, or with too large a
    share of unknown tokens, the table has words alone.
    """
    table = load_texts(texts)
    columns = {"label_column": label_column, "group_column": group_column}
    labels, groups = (_codes(table, key, column, texts) for key, column in columns.items())
    content = table["text"].astype(str).tolist()
    groups = _joined_copies(groups, content, copy_similarity)
    if groups.max() + 1 < n_folds:
        raise InputError(
            f"{SETTINGS}: key 'n_folds': found {n_folds}, allowed: 2 to {groups.max() + 1}, the "
            f"groups of {texts}"
        )
    for_permutations, for_halves, for_folds = np.random.default_rng(seed).spawn(3)
    folds = folds_by_group(labels, groups, n_folds, int(for_folds.integers(2**31)))
    permuted = [for_permutations.permutation(labels) for _ in range(n_permutations)]
    features: dict[TextFeaturesKey, Features] = {WORDS: content}
    if reader is not None and _knows(reader, content, largest_unknown_share):
        chosen = choose_device(device)
        features |= dict(_states(reader, content, tokens_per_batch, chosen, seed))
    regularization = Regularization(inverse_regularization, inverse_regularization_of_words)
    correct, chance = _all_correct(features, [labels, *permuted], folds, regularization)
    rows = pd.DataFrame(list(features), columns=KEY)
    rows["n"], rows["n_groups"], rows["level"] = len(labels), groups.max() + 1, level
    rows = rows.join(_accuracies(correct, groups, n_resamples, level, for_halves))
    rows["permuted_accuracy"] = chance.mean(axis=1)
    rows["permuted_accuracy_smallest"] = chance.min(axis=1)
    rows["permuted_accuracy_largest"] = chance.max(axis=1)
    return {"csv": rows}


def _codes(table: pd.DataFrame, key: str, column: str, texts: str) -> Int[np.ndarray, " text"]:
    """Return the number of each text's label or group."""
    if column not in table:
        raise InputError(
            f"{SETTINGS}: key '{key}': found '{column}', allowed: a column of {texts}, "
            f"{', '.join(map(str, table.columns))}"
        )
    codes, values = pd.factorize(table[column], sort=True)
    if len(values) < 2 or codes.min() < 0:
        contents = (
            f"{counted(len(values), 'value')}, {counted(int((codes < 0).sum()), 'empty cell')}"
        )
        raise InputError(
            f"{texts}: column '{column}': found {contents}, allowed: two values or more, none empty"
        )
    return codes.astype(np.int64)


def _joined_copies(
    groups: Int[np.ndarray, " text"], texts: list[str], similarity: float | None
) -> Int[np.ndarray, " text"]:
    """Return the number of each text's group; groups with copies of the same text are merged."""
    names = joined([str(group) for group in groups], copies_of(texts, similarity))
    return np.unique([int(name) for name in names], return_inverse=True)[1].astype(np.int64)


def _first_windows(reader: Reader, texts: list[str]) -> list[Window]:
    cut = cut_windows(texts, reader.tokenizer, largest_window(reader.model, reader.module))
    return [window for window in cut if window.number == 0]


def _knows(reader: Reader, texts: list[str], largest: float) -> bool:
    return is_known(
        _first_windows(reader, texts),
        reader.tokenizer,
        largest_unknown_share=largest,
        texts=f"texts of {SETTINGS}",
    )


def _states(
    reader: Reader, texts: list[str], tokens_per_batch: int, device: str, seed: int
) -> Iterator[tuple[TextFeaturesKey, Float[np.ndarray, "text dim"]]]:
    """Yield the states by layer, of the model and of the same model at random weights."""
    modules = {"trained": reader.module, "random": with_random_weights(reader.module, seed)}
    states = {
        weights: _pooled(reader, module, texts, tokens_per_batch, device)
        for weights, module in modules.items()
    }
    poolings = text_poolings([states["trained"]])
    for weights, pooled in states.items():
        for kind, layers in pooled.items():
            for layer, x in enumerate(layers if kind in poolings else ()):
                yield (kind, layer, weights), x
    if reader.sentences is not None:
        yield (SENTENCE, None, "trained"), _sentences(reader, texts, tokens_per_batch, device)


def _pooled(
    reader: Reader, module: Any, texts: list[str], tokens_per_batch: int, device: str
) -> dict[str, Float[np.ndarray, "layer text dim"]]:
    """Return a vector per layer and text; of a long text, the vector of the first window."""
    windows = _first_windows(reader, texts)
    batches = batches_by_length([len(window.ids) for window in windows], tokens_per_batch)
    shapes = tensor_shapes(module, None, dict.fromkeys(KINDS, len(windows)))
    pooled = {kind: np.empty(shape, np.float32) for kind, shape in shapes.items()}
    for window in encode(module, windows, batches, device, reader.model.final_norm):
        for kind, layers in pooled.items():
            layers[:, window.index] = window.pooled[kind]
    return pooled


def _sentences(
    reader: Reader, texts: list[str], tokens_per_batch: int, device: str
) -> Float[np.ndarray, "text dim"]:
    """Return the sentence model's own vectors of the texts."""
    assert reader.sentences is not None
    length = largest_window(reader.model, reader.module)
    read = SentenceTexts(
        reader.sentences, texts, reader.tokenizer, length, length_key=f"{SETTINGS}: key 'texts'"
    )
    batches = batches_by_length([len(window.ids) for window in read.windows], tokens_per_batch)
    final_norm = reader.model.final_norm
    for window in encode(reader.module, read.windows, batches, device, final_norm):
        read.add(window.index, window)
    return read.vectors()


def _all_correct(
    features: Mapping[TextFeaturesKey, Features],
    labelings: list[Int[np.ndarray, " text"]],
    folds: Int[np.ndarray, " text"],
    regularization: Regularization,
) -> tuple[Bool[np.ndarray, "key text"], Float[np.ndarray, "key permutation"]]:
    """Return which texts are classified rightly, and the accuracy for every permutation."""
    from joblib import Parallel, delayed

    calls = (
        delayed(held_out_classes)(x, labels, folds, regularization)
        for x in features.values()
        for labels in labelings
    )
    # Processes: a fit holds Python's lock, and each is short.
    classes = np.reshape(Parallel(n_jobs=-1)(calls), (len(features), len(labelings), -1))
    right = classes == np.stack(labelings)
    return right[:, 0], right[:, 1:].mean(axis=2)


def _accuracies(
    correct: Bool[np.ndarray, "key text"],
    groups: Int[np.ndarray, " text"],
    n_resamples: int,
    level: float,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Return accuracies and their differences from the first key, with bounds over groups."""
    sums, counts = np.stack([np.bincount(groups, key) for key in correct]), np.bincount(groups)
    interval = half_sample_interval(
        lambda chosen: sums[:, chosen].sum(axis=1) / counts[chosen].sum(),
        len(counts),
        n_resamples=n_resamples,
        level=level,
        generator=generator,
    )
    value, deviations = correct.mean(axis=1), interval.deviations
    less = value - value[0]
    low, high = interval_bounds(less, deviations - deviations[:, :1], level=level)
    columns = (value, interval.low.clip(0, 1), interval.high.clip(0, 1), less, low, high)
    return pd.DataFrame(dict(zip(ACCURACY | LESS, columns, strict=True)))


main = TEXT_CLASSIFICATION.main(measure_text_classification)

if __name__ == "__main__":
    run_stage(main, measure_text_classification)
