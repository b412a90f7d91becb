"""Stage `measure_training`: what the models of a run learn, checkpoint by checkpoint."""

from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.files.rows import load_rows
from embspace.files.tables import Row
from embspace.grammar.agreement import agreement_items
from embspace.grammar.language import make_language
from embspace.measure.runs.training_classification import classification_rows
from embspace.measure.runs.training_language_modeling import (
    agreement_rows,
    checkpoint_key,
    counts_row,
    held_out_row,
    load_asker,
)
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.runs import CHECKPOINT, CHECKPOINTS, RUN, RUN_TEXTS
from embspace.settings.corpus import GrammarCorpus, describe_corpus
from embspace.settings.run import Run, SequenceClassification
from embspace.settings.schema import read_yaml
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability
from embspace.train.checkpoints import Checkpoint

KEYS = ["phase", "step", "of", "quantity"]
TOKEN_QUANTITIES = ["loss", "accuracy", "next_sentence_accuracy"]


def agreements_of(corpora: str, texts: str, _: str, run: Run) -> pd.DataFrame | None:
    """Return the verbs of held-out texts that a grammar made; None for other texts."""
    corpus = describe_corpus(run.corpus, read_yaml(Path(corpora, f"{run.corpus}.yaml")))
    if not isinstance(corpus, GrammarCorpus):
        return None
    table = load_rows(texts)
    return agreement_items(table[table["split"] == "test"], make_language(corpus))


TRAINING = Analysis(
    noun="training",
    question=(
        "What do small models learn that we train ourselves, and when? [The runs](training.md), "
        "with `make all`"
    ),
    reads={
        "run": RUN,
        "texts": RUN_TEXTS,
        "checkpoints": CHECKPOINTS,
        "agreements": Source(agreements_of, ("conf/corpus", RUN_TEXTS), described=True),
    },
    tables={
        "losses": Table({**CHECKPOINT, "loss": "step_loss"}),
        "held_out": Table(
            CHECKPOINT
            | {"objective": "row", "n": "count", "n_documents": "count"}
            | with_bounds("loss", "trained_loss")
            | with_bounds("accuracy", "trained_share")
            | {"unigram_entropy": "moment"}
            | with_bounds("next_sentence_accuracy", "trained_share")
            | dict.fromkeys(("share_unknown", "unigram_loss", "unigram_accuracy"), "moment")
            | dict.fromkeys(("bigram_loss", "bigram_accuracy"), "moment")
            | dict.fromkeys(("place_loss", "place_accuracy"), "moment")
        ),
        "agreement": Table(
            CHECKPOINT
            | {"clause": "row", "attractors": "row", "n": "count", "n_documents": "count"}
            | with_bounds("accuracy", "trained_share")
            | {"null_accuracy": "moment"}
        ),
        "classification": Table(
            {"classifier": "row", **CHECKPOINT, "texts": "row", "n": "count"}
            | {"n_documents": "count"}
            | with_bounds("accuracy", "trained_share")
            | with_bounds("macro_f1", "trained_share")
            | with_bounds("accuracy_less_regression", "trained_share")
            | with_bounds("macro_f1_less_regression", "trained_share")
            | {"share_unknown": "moment", "null_accuracy": "moment"}
        ),
        "seeds": Table(
            dict.fromkeys(KEYS, "row")
            | {"n_seeds": "count", "mean": "trained_loss", "standard_deviation": "trained_share"}
            | {"smallest": "trained_loss", "largest": "trained_loss"}
        ),
    },
    over="trained",
)


def measure_training(
    run: Run,
    texts: pd.DataFrame,
    checkpoints: list[Checkpoint],
    agreements: pd.DataFrame | None,
    *,
    n_resamples: PositiveInt,
    level: Probability,
    inverse_regularization: PositiveFloat,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure the losses of training, and the predictions of checkpoints on held-out texts.

    Losses are in nats: per token for a language model, per window for a classifier; with
    next-sentence prediction, the loss of a step is the sum of both. Intervals are over held-out
    documents, with the model fixed. A masked model predicts every k-th ordinary token, all hidden,
    with k = 1 / `masked_share`; a model from left to right every ordinary token except the first of
    a window. Words in no training text are left out: `share_unknown` of all. Baselines count over
    the training texts: the unigram; the bigram, which sees the token before and, unlike a masked
    model, nothing after; the place, which knows only the position. `unigram_entropy` stands beside.
    `next_sentence_accuracy` has chance .5.

    `agreements` are a grammar's `agreement_items`: accuracy is the share of verbs with the right
    form likelier than the wrong form, at chance .5.
    """
    from joblib import Parallel, delayed

    options = {"n_resamples": n_resamples, "level": level, "seed": seed}
    tested = texts[texts["split"] == "test"].reset_index(drop=True)
    trained = texts[texts["split"] == "train"].reset_index(drop=True)
    modeled: list[Checkpoint] = []
    classified: list[Checkpoint] = []
    for checkpoint in checkpoints:
        is_classifier = isinstance(run.phases[checkpoint.phase], SequenceClassification)
        (classified if is_classifier else modeled).append(checkpoint)
    first = {checkpoint.phase: checkpoint for checkpoint in reversed(modeled)}
    counts = {
        phase: counts_row(run, checkpoint, trained, tested) for phase, checkpoint in first.items()
    }
    predicted = Parallel(n_jobs=-1)(
        delayed(_rows)(run, checkpoint, tested, counts[checkpoint.phase], agreements, options)
        for checkpoint in modeled
    )
    classes = classification_rows(
        run, classified, trained, tested, inverse_regularization=inverse_regularization, **options
    )
    outcome = {
        "held_out": [row for row, _ in predicted],
        "agreement": [row for _, rows in predicted for row in rows],
        "classification": classes,
    }
    tables = {name: TRAINING.tables[name].of(rows) for name, rows in outcome.items()}
    losses = [
        {**checkpoint_key(checkpoint), "step": step, "loss": loss}
        for checkpoint in checkpoints
        for step, loss in checkpoint.losses()
    ]
    return {**tables, "losses": pd.DataFrame(losses), "seeds": seed_spread(**tables)}


def _rows(
    run: Run,
    checkpoint: Checkpoint,
    tested: pd.DataFrame,
    counts: Row,
    agreements: pd.DataFrame | None,
    options: dict[str, Any],
) -> tuple[Row, list[Row]]:
    """Return the rows of a language model's checkpoint: of held-out texts, and of their verbs."""
    asker = load_asker(run, checkpoint, tested)
    verbs = [] if agreements is None else agreement_rows(asker, agreements, **options)
    return held_out_row(asker, counts, **options), verbs


def seed_spread(
    held_out: pd.DataFrame, agreement: pd.DataFrame, classification: pd.DataFrame
) -> pd.DataFrame:
    """Return mean and spread over seeds of the predictions of a phase's last checkpoint.

    The standard deviation is for a sample (n - 1), NaN for one seed. `of` is the owner of the
    quantity: an objective, a kind of clause, a variant of the texts.
    """
    verbs = "clause " + agreement["clause"] + ", attractors " + agreement["attractors"]
    trained = classification[classification["classifier"] == "trained"]
    long = pd.concat(
        [
            _long(held_out.assign(of=held_out["objective"]), TOKEN_QUANTITIES),
            _long(agreement.assign(of=verbs), ["accuracy"]),
            _long(trained.assign(of=trained["texts"]), ["accuracy", "macro_f1"]),
        ]
    ).dropna(subset=["value"])
    values = long.groupby(KEYS, sort=False)["value"]
    return values.agg(
        n_seeds="size", mean="mean", standard_deviation="std", smallest="min", largest="max"
    ).reset_index()


def _long(table: pd.DataFrame, quantities: list[str]) -> pd.DataFrame:
    """Return a row per seed and quantity, at the last step of every phase."""
    last = table[table["step"] == table.groupby("phase")["step"].transform("max")]
    return last.melt(
        ["phase", "step", "of", "seed"], quantities, var_name="quantity", value_name="value"
    ).astype({"step": int, "value": float})


main = TRAINING.main(measure_training)

if __name__ == "__main__":
    run_stage(main, measure_training, groups=("train",))
