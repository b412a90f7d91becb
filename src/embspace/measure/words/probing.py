"""Stage `measure_probing`: is a token a noun, a verb or an adjective, read off its vectors?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.files.rows import load_rows, save_rows
from embspace.files.tables import save_table
from embspace.files.tensors import load_tensors
from embspace.geometry.groups.folds import Features, folds_by_group
from embspace.geometry.inference.resampling import Interval, half_sample_interval
from embspace.measure.tables.deviations import ENDING, by_row, units_named, without_deviations
from embspace.measure.words.probing_classifiers import (
    PROBES,
    Effort,
    fitted,
    held_out_predictions,
    spelling,
)
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability

CLASSES = ("noun", "verb", "adjective")
COLUMNS = ["features", "layer", "weights", "probe", "task", "source", "n_words", "n_lemmas"]
COLUMNS += ["accuracy", "accuracy_low", "accuracy_high", "null_accuracy"]
TOKEN_COLUMNS = ["token", "probe", *CLASSES]
FeaturesKey = tuple[str, int | None, str]
"""Kind (input, hidden_state, spelling), layer, and weights (trained, random, none)."""


@dataclass(frozen=True)
class ProbedWords:
    """Words that are one token each, and what there is to read off."""

    words: pd.DataFrame  # word, lemma, part_of_speech, and the one source of all
    features: Mapping[FeaturesKey, Features]


@dataclass(frozen=True)
class Probing:
    """The tables of the stage, and the deviations of halves of the lemmas."""

    accuracy: pd.DataFrame
    tokens: pd.DataFrame
    deviations: pd.DataFrame


def measure_probing(
    probed: ProbedWords,
    vocabulary: pd.DataFrame,
    input_embeddings: Float[np.ndarray, "vocabulary dim"],
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
) -> Probing:
    """Held-out accuracy of probes by space, and predictions for `shown_tokens`.

    Folds by lemma: no form of a word helps with a second form. The task `control` gives lemmas
    random classes (Hewitt & Liang 2019, "Designing and interpreting probes with control tasks").
    The original tests words seen in training; here no tested word was seen, and the control is at
    chance unless folds leak, as are random weights. Spelling is the baseline without training. The
    interval is over lemmas, with the probes fixed; `null_accuracy` is the accuracy of the commonest
    class. Empty if fewer words than folds are single tokens.
    """
    words = probed.words
    labels = words["part_of_speech"].map(CLASSES.index).to_numpy(dtype=np.int64)
    n_lemmas = words.groupby("part_of_speech")["lemma"].nunique()
    if n_lemmas.reindex(CLASSES, fill_value=0).min() < n_folds:
        return _nothing()
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
    table = pd.DataFrame([(*key, name, task) for key, name, task in runs], columns=COLUMNS[:5])
    table["source"] = words["source"].iloc[0]
    table["n_words"], table["n_lemmas"] = len(words), lemma.max() + 1
    table["accuracy"] = correct.mean(axis=1)
    interval = _interval(correct, lemma, n_resamples, level, for_intervals)
    for end, bound in (("low", interval.low), ("high", interval.high)):
        table[f"accuracy_{end}"] = np.clip(bound, 0, 1)
    commonest = {task: np.bincount(classes).max() / len(words) for task, classes in tasks.items()}
    table["null_accuracy"] = table["task"].map(commonest)
    table[f"accuracy{ENDING}"] = by_row(interval.deviations)
    of_lemma = words.groupby("lemma", sort=False)["word"].agg(" ".join)
    table = table.assign(**units_named(of_lemma))
    tables, deviations = without_deviations({"accuracy": table})
    shown = _shown(shown_tokens, vocabulary, input_embeddings, probed, labels, effort, state)
    return Probing(**tables, tokens=shown, deviations=deviations)


def _nothing() -> Probing:
    tables, deviations = without_deviations({"accuracy": pd.DataFrame(columns=COLUMNS)})
    return Probing(**tables, tokens=pd.DataFrame(columns=TOKEN_COLUMNS), deviations=deviations)


def single_tokens(words: pd.DataFrame, tokens: pd.DataFrame) -> Int[np.ndarray, " word"]:
    """The row in `tokens` of every single-token word of ordinary tokens; -1 for the rest.

    `tokens` is the table of the words as texts, whose `window` is the row in `words`.
    """
    rows = np.full(len(words), -1)
    ordinary = tokens[~tokens["special"].astype(bool)]
    alone = ordinary[~ordinary["window"].duplicated(keep=False)]
    rows[alone["window"].to_numpy(dtype=np.int64)] = alone.index.to_numpy()
    return rows


def _runs(features: Mapping[FeaturesKey, Features]) -> Iterator[tuple[FeaturesKey, str, str]]:
    """Return the fits: every probe on every space, the control task on trained weights alone."""
    for key in features:
        kind, _, weights = key
        for name in ["logistic_regression"] if kind == "spelling" else PROBES:
            for task in ("part_of_speech", "control"):
                if task == "part_of_speech" or weights != "random":
                    yield key, name, task


def _all_predictions(arguments: Sequence[tuple[Any, ...]]) -> list[Int[np.ndarray, " word"]]:
    """Each probe takes one core, so as many run as there are."""
    from joblib import Parallel, delayed
    from tqdm import tqdm

    calls = (delayed(_predictions)(*each) for each in arguments)
    found = Parallel(n_jobs=-1, return_as="generator")(calls)
    return list(tqdm(found, total=len(arguments), desc="probes", disable=None))


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
    sums, counts = np.stack([np.bincount(lemma, each) for each in correct]), np.bincount(lemma)
    return half_sample_interval(
        lambda chosen: sums[:, chosen].sum(axis=1) / counts[chosen].sum(),
        len(counts),
        n_resamples=n_resamples,
        level=level,
        generator=generator,
    )


def _shown(
    tokens: Sequence[str],
    vocabulary: pd.DataFrame,
    input_embeddings: Float[np.ndarray, "vocabulary dim"],
    probed: ProbedWords,
    labels: Int[np.ndarray, " word"],
    effort: Effort,
    state: int,
) -> pd.DataFrame:
    """Probabilities of the classes for tokens, by probes fitted on no form of theirs."""
    number = dict(zip(vocabulary["token"], vocabulary["id"], strict=True))
    x = np.asarray(probed.features["input", None, "trained"])
    words, lemmas = probed.words["word"].to_numpy(), probed.words["lemma"].to_numpy()
    rows = []
    for token in (each for each in tokens if each in number):
        others = np.flatnonzero((words != token) & (lemmas != token.lower()))
        for name in ("logistic_regression", "one_hidden_layer"):
            probe = fitted(PROBES[name](effort, state), x[others], labels[others])
            shares = probe.predict_proba(input_embeddings[[number[token]]])[0]
            rows.append((token, name, *shares))
    return pd.DataFrame(rows, columns=TOKEN_COLUMNS)


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
    """The single-token words, with vectors and spelling.

    Of drawn words, the first of every class, as many as the rarest class has.
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


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    matrices = load_tensors(f"data/extracted/embeddings/{name}.safetensors", ["input"])
    vocabulary = load_rows(f"data/extracted/embeddings/{name}.parquet")
    words = load_rows("data/prepared/stimuli/words.parquet")
    tokens = load_rows(f"data/extracted/stimuli/{name}/words.tokens.parquet")
    path = f"data/extracted/stimuli/{name}/words.safetensors"
    states = load_tensors(path, ["token", "random_token"])
    probed = probed_words(words, tokens, states, matrices["input"])
    found = measure_probing(probed, vocabulary, matrices["input"], **config.settings)
    save_table(found.accuracy, f"results/probing/accuracy/{name}.csv")
    save_table(found.tokens, f"results/probing/tokens/{name}.csv")
    save_rows(found.deviations, f"data/measured/probing/{name}.parquet")


if __name__ == "__main__":
    run_stage(main, measure_probing)
