"""Stage `measure_probing`: is a token a noun, a verb or an adjective, read off its vectors?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.files.rows import save_rows
from embspace.files.tables import Row
from embspace.files.tensors import load_tensors
from embspace.geometry.groups.folds import Features, folds_by_group
from embspace.geometry.inference.resampling import Interval, half_sample_interval
from embspace.measure.tables.columns import shown, with_bounds
from embspace.measure.tables.deviations import ENDING, by_row, units_named, without_deviations
from embspace.measure.words.probing_classifiers import (
    PROBES,
    Effort,
    fitted,
    held_out_predictions,
    spelling,
)
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

CLASSES = ("noun", "verb", "adjective")
RUN = ("features", "layer", "weights", "probe", "task")
FeaturesKey = tuple[str, int | None, str]
"""Kind (input, hidden_state, spelling), layer, and weights (trained, random, none)."""


@dataclass(frozen=True)
class ProbedWords:
    """Words of a single token, and features for probes."""

    words: pd.DataFrame  # word, lemma, part_of_speech, and the one source of all
    features: Mapping[FeaturesKey, Features]


PROBING = Analysis(
    noun="probing",
    question="Can noun, verb and adjective be read off a word's vector? Section 3.2.3, table 1",
    reads={
        "words": "data/prepared/stimuli/words.parquet",
        "tokens": "data/extracted/stimuli/{model}/words.tokens.parquet",
        "states": Source(
            partial(load_tensors, names=["token", "random_token"]),
            "data/extracted/stimuli/{model}/words.safetensors",
        ),
        "vocabulary": "data/extracted/embeddings/{model}.parquet",
        "embeddings": Source(
            partial(load_tensors, names=["input"]), "data/extracted/embeddings/{model}.safetensors"
        ),
    },
    tables={
        "accuracy": Table(
            {
                **shown("row", *RUN),
                "source": "setting",
                "n_words": ("count", "words"),
                "n_lemmas": ("count", "lemmas"),
                **with_bounds("accuracy", "probed_accuracy", "accuracy"),
                "null_accuracy": ("share", "commonest class"),
            },
            compared=["accuracy"],
            along="layer",
        ),
        "tokens": Table({**shown("row", "token", "probe"), **shown("accuracy", *CLASSES)}),
    },
    data={"parquet": save_rows},  # deviations of halves of the lemmas
    undrawn=["parquet"],
)


def measure_probing(
    words: pd.DataFrame,
    tokens: pd.DataFrame,
    states: Mapping[str, Float[np.ndarray, "layer token dim"]],
    vocabulary: pd.DataFrame,
    embeddings: Mapping[str, Float[np.ndarray, "row dim"]],
    *,
    n_folds: Annotated[int, Field(ge=2)],
    inverse_regularization: PositiveFloat,
    hidden_units: PositiveInt,
    n_epochs: PositiveInt,
    n_trees: PositiveInt,
    longest_n_gram: PositiveInt,
    shown_tokens: list[str],
    n_resamples: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure the held-out accuracy of probes by space, and predict for `shown_tokens`.

    Folds by lemma: no form of a word helps with a second form. The task `control` gives lemmas
    random classes (Hewitt & Liang 2019, "Designing and interpreting probes with control tasks").
    The original tests words seen in training; here no tested word was seen, and the control is at
    chance unless folds leak, as are random weights. Spelling is the baseline without training. The
    interval is over lemmas, with the probes fixed; `null_accuracy` is the accuracy of the commonest
    class. Empty if fewer words than folds are single tokens.
    """
    probed = probed_words(words, tokens, states, x := embeddings["input"])
    words = probed.words
    labels = words["part_of_speech"].map(CLASSES.index).to_numpy(dtype=np.int64)
    n_lemmas = words.groupby("part_of_speech")["lemma"].nunique()
    if n_lemmas.reindex(CLASSES, fill_value=0).min() < n_folds:
        return PROBING.empty()
    effort = Effort(inverse_regularization, hidden_units, n_epochs, n_trees, longest_n_gram)
    for_control, for_intervals, for_states = np.random.default_rng(seed).spawn(3)
    state = int(for_states.integers(2**31))
    lemma = pd.factorize(words["lemma"])[0]
    tasks = {
        "part_of_speech": labels,
        "control": for_control.integers(len(CLASSES), size=lemma.max() + 1)[lemma],
    }
    folds = folds_by_group(labels, words["lemma"].tolist(), n_folds, state)
    runs = list(_runs(probed.features))
    predicted = _all_predictions(
        [
            (name, effort, probed.features[key], tasks[task], folds, state)
            for key, name, task in runs
        ]
    )
    correct = np.stack(
        [classes == tasks[task] for (*_, task), classes in zip(runs, predicted, strict=True)]
    )
    table = pd.DataFrame([(*key, name, task) for key, name, task in runs], columns=RUN)
    table["source"] = words["source"].iloc[0]
    table["n_words"], table["n_lemmas"] = len(words), lemma.max() + 1
    table["accuracy"] = correct.mean(axis=1)
    interval = _interval(correct, lemma, n_resamples, level, for_intervals)
    for end, bound in (("low", interval.low), ("high", interval.high)):
        table[f"accuracy_{end}"] = np.clip(bound, 0, 1)
    commonest = {task: np.bincount(classes).max() / len(words) for task, classes in tasks.items()}
    table["null_accuracy"] = table["task"].map(commonest)
    table[f"accuracy{ENDING}"] = by_row(interval.deviations)
    forms = words.groupby("lemma", sort=False)["word"].agg(" ".join)
    tables, deviations = without_deviations({"accuracy": table.assign(**units_named(forms))})
    rows = _token_rows(shown_tokens, vocabulary, x, probed, labels, effort, state)
    return {**tables, "tokens": PROBING.tables["tokens"].of(rows), "parquet": deviations}


def single_tokens(words: pd.DataFrame, tokens: pd.DataFrame) -> Int[np.ndarray, " word"]:
    """Return the row in `tokens` of words of a single ordinary token; -1 for the rest.

    `tokens` is the table of the words as texts; `window` is the row in `words`.
    """
    rows = np.full(len(words), -1)
    ordinary = tokens[~tokens["special"].astype(bool)]
    alone = ordinary[~ordinary["window"].duplicated(keep=False)]
    rows[alone["window"].to_numpy(dtype=np.int64)] = alone.index.to_numpy()
    return rows


def _runs(features: Mapping[FeaturesKey, Features]) -> Iterator[tuple[FeaturesKey, str, str]]:
    """Yield the fits: every probe on every space, the control task on trained weights alone."""
    for key in features:
        kind, _, weights = key
        for name in ["logistic_regression"] if kind == "spelling" else PROBES:
            for task in ("part_of_speech", "control"):
                if task == "part_of_speech" or weights != "random":
                    yield key, name, task


def _all_predictions(arguments: Sequence[tuple[Any, ...]]) -> list[Int[np.ndarray, " word"]]:
    """Return the classes by probe; a probe takes one core, and all cores are used."""
    from joblib import Parallel, delayed
    from tqdm import tqdm

    calls = (delayed(_predictions)(*call) for call in arguments)
    predicted = Parallel(n_jobs=-1, return_as="generator")(calls)
    return list(tqdm(predicted, total=len(arguments), desc="probes", disable=None))


def _predictions(name: str, effort: Effort, features: Features, *rest: Any) -> Any:
    probe = PROBES[name] if isinstance(features, np.ndarray) else spelling
    return held_out_predictions(probe, effort, features, *rest)


def _interval(
    correct: Bool[np.ndarray, "run word"],
    lemma: Int[np.ndarray, " word"],
    n_resamples: int,
    level: float,
    generator: np.random.Generator,
) -> Interval:
    """Return the interval of each run's accuracy, over the same halves of the lemmas."""
    sums, counts = np.stack([np.bincount(lemma, run) for run in correct]), np.bincount(lemma)
    return half_sample_interval(
        lambda chosen: sums[:, chosen].sum(axis=1) / counts[chosen].sum(),
        len(counts),
        n_resamples=n_resamples,
        level=level,
        generator=generator,
    )


def _token_rows(
    tokens: Sequence[str],
    vocabulary: pd.DataFrame,
    input_embeddings: Float[np.ndarray, "vocabulary dim"],
    probed: ProbedWords,
    labels: Int[np.ndarray, " word"],
    effort: Effort,
    state: int,
) -> Iterator[Row]:
    """Yield the probabilities of the classes for tokens, by probes fitted on other words."""
    number = dict(zip(vocabulary["token"], vocabulary["id"], strict=True))
    x = np.asarray(probed.features["input", None, "trained"])
    words, lemmas = probed.words["word"].to_numpy(), probed.words["lemma"].to_numpy()
    for token in (token for token in tokens if token in number):
        others = np.flatnonzero((words != token) & (lemmas != token.lower()))
        for name in ("logistic_regression", "one_hidden_layer"):
            probe = fitted(PROBES[name](effort, state), x[others], labels[others])
            shares = probe.predict_proba(input_embeddings[[number[token]]])[0]
            yield {"token": token, "probe": name, **dict(zip(CLASSES, shares, strict=True))}


def first_of_each(labels: pd.Series) -> Bool[np.ndarray, " word"]:
    """Mark the first rows of each class, as many as the rarest class has."""
    fewest = labels.value_counts().reindex(CLASSES, fill_value=0).min()
    return (labels.groupby(labels).cumcount() < fewest).to_numpy()


def probed_words(
    words: pd.DataFrame,
    tokens: pd.DataFrame,
    states: Mapping[str, Float[np.ndarray, "layer token dim"]],
    input_embeddings: Float[np.ndarray, "vocabulary dim"],
) -> ProbedWords:
    """Return the words of one token, with vectors and spelling.

    Drawn words are the first of every class, as many as the rarest class has.
    """
    row = single_tokens(words, tokens)
    kept, row = words[row >= 0], row[row >= 0]
    if (kept["source"] == "wordnet").any():
        first = first_of_each(kept["part_of_speech"])
        kept, row = kept[first], row[first]
    kept = kept.reset_index(drop=True)
    ids = tokens["id"].to_numpy(dtype=np.int64)[row]
    features: dict[FeaturesKey, Features] = {
        ("spelling", None, "none"): kept["word"].tolist(),
        ("input", None, "trained"): input_embeddings[ids],
    }
    for weights, name in (("trained", "token"), ("random", "random_token")):
        for layer, vectors in enumerate(states[name]):
            features["hidden_state", layer, weights] = vectors[row]
    return ProbedWords(kept, features)


main = PROBING.main(measure_probing)

if __name__ == "__main__":
    run_stage(main, measure_probing)
