"""Stage `measure_training`: what the models of a run learn, checkpoint by checkpoint."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.files.rows import load_rows
from embspace.files.tables import Row, save_table
from embspace.grammar.agreement import agreement_items
from embspace.grammar.language import make_language
from embspace.measure.runs.training_classification import classification_rows
from embspace.measure.runs.training_language_modeling import (
    agreement_rows,
    counts_row,
    held_out_row,
    load_asker,
)
from embspace.settings.corpus import GrammarCorpus, describe_corpus
from embspace.settings.run import Run, SequenceClassification, describe_run
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability
from embspace.train.checkpoints import Checkpoint, all_checkpoints

CHECKPOINT = ["seed", "phase", "step"]
LOSSES = [*CHECKPOINT, "loss"]
HELD_OUT = [*CHECKPOINT, "objective", "n", "n_documents", "loss", "loss_low", "loss_high"]
KEYS = ["phase", "step", "of", "quantity"]
OF_TOKENS = ["loss", "accuracy", "next_sentence_accuracy"]
SPREAD = [*KEYS, "n_seeds", "mean", "standard_deviation", "smallest", "largest"]


HELD_OUT += ["accuracy", "accuracy_low", "accuracy_high", "unigram_entropy"]
HELD_OUT += ["next_sentence_accuracy", "next_sentence_accuracy_low", "next_sentence_accuracy_high"]
HELD_OUT += ["share_unknown", "unigram_loss", "unigram_accuracy", "bigram_loss", "bigram_accuracy"]
HELD_OUT += ["place_loss", "place_accuracy"]
AGREEMENT = [*CHECKPOINT, "clause", "attractors", "n", "n_documents", "accuracy", "accuracy_low"]
AGREEMENT += ["accuracy_high", "null_accuracy"]
CLASSIFICATION = ["classifier", *CHECKPOINT, "texts", "n", "n_documents"]
CLASSIFICATION += ["accuracy", "accuracy_low", "accuracy_high"]
CLASSIFICATION += ["macro_f1", "macro_f1_low", "macro_f1_high"]
CLASSIFICATION += ["accuracy_less_regression", "accuracy_less_regression_low"]
CLASSIFICATION += ["accuracy_less_regression_high", "macro_f1_less_regression"]
CLASSIFICATION += ["macro_f1_less_regression_low", "macro_f1_less_regression_high"]
CLASSIFICATION += ["share_unknown", "null_accuracy"]


@dataclass(frozen=True)
class TrainingTables:
    """The tables; those that a run has nothing for are empty."""

    losses: pd.DataFrame
    """One row a step: the loss of its batch, before the step."""
    held_out: pd.DataFrame
    """One row a checkpoint of a language model: loss and accuracy on held-out texts."""
    agreement: pd.DataFrame
    """The same of a grammar's corpus: which of two forms of a verb is the likelier."""
    classification: pd.DataFrame
    """One row a checkpoint of a classifier, and one of a logistic regression on words."""
    seeds: pd.DataFrame
    """`seed_spread` of the last checkpoints."""


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
) -> TrainingTables:
    """Losses of training, and the predictions of checkpoints on held-out texts.

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
    for each in checkpoints:
        is_classifier = isinstance(run.phases[each.phase], SequenceClassification)
        (classified if is_classifier else modeled).append(each)
    first = {each.phase: each for each in reversed(modeled)}
    counts = {phase: counts_row(run, each, trained, tested) for phase, each in first.items()}
    asked = Parallel(n_jobs=-1)(
        delayed(_asked)(run, each, tested, counts[each.phase], agreements, options)
        for each in modeled
    )
    of_classes = classification_rows(
        run, classified, trained, tested, inverse_regularization=inverse_regularization, **options
    )
    losses = [
        (each.seed, each.phase, step, loss) for each in checkpoints for step, loss in each.losses()
    ]
    held_out = pd.DataFrame([row for row, _ in asked], columns=HELD_OUT)
    agreement = pd.DataFrame([row for _, rows in asked for row in rows], columns=AGREEMENT)
    classification = pd.DataFrame(of_classes, columns=CLASSIFICATION)
    return TrainingTables(
        pd.DataFrame(losses, columns=LOSSES),
        held_out,
        agreement,
        classification,
        seed_spread(held_out, agreement, classification),
    )


def _asked(
    run: Run,
    checkpoint: Checkpoint,
    tested: pd.DataFrame,
    counts: Row,
    agreements: pd.DataFrame | None,
    options: dict[str, Any],
) -> tuple[Row, list[Row]]:
    """The rows of a language model's checkpoint, of held-out texts and of their verbs."""
    asker = load_asker(run, checkpoint, tested)
    of_verbs = [] if agreements is None else agreement_rows(asker, agreements, **options)
    return held_out_row(asker, counts, **options), of_verbs


def _agreements(run: Run, texts: pd.DataFrame) -> pd.DataFrame | None:
    """The verbs of held-out texts, where a grammar made them."""
    corpus = describe_corpus(run.corpus, read_yaml(Path(f"conf/corpus/{run.corpus}.yaml")))
    if not isinstance(corpus, GrammarCorpus):
        return None
    return agreement_items(texts[texts["split"] == "test"], make_language(corpus))


def seed_spread(
    held_out: pd.DataFrame, agreement: pd.DataFrame, classification: pd.DataFrame
) -> pd.DataFrame:
    """Mean and spread over seeds of the predictions of a phase's last checkpoint.

    The standard deviation is for a sample (n - 1), NaN for one seed. `of` is the owner of the
    quantity: an objective, a kind of clause, a variant of the texts.
    """
    verbs = "clause " + agreement["clause"] + ", attractors " + agreement["attractors"]
    trained = classification[classification["classifier"] == "trained"]
    long = pd.concat(
        [
            _long(held_out.assign(of=held_out["objective"]), OF_TOKENS),
            _long(agreement.assign(of=verbs), ["accuracy"]),
            _long(trained.assign(of=trained["texts"]), ["accuracy", "macro_f1"]),
        ]
    ).dropna(subset=["value"])
    rows = []
    for key, values in long.groupby(KEYS, sort=False)["value"]:
        facts = (values.mean(), values.std(), values.min(), values.max())
        rows.append((*key, len(values), *facts))
    return pd.DataFrame(rows, columns=SPREAD)


def _long(table: pd.DataFrame, quantities: list[str]) -> pd.DataFrame:
    """One row a seed and quantity, of the last step of each phase."""
    last = table[table["step"] == table.groupby("phase")["step"].transform("max")]
    return last.melt(
        ["phase", "step", "of", "seed"], quantities, var_name="quantity", value_name="value"
    ).astype({"step": int, "value": float})


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.train_name
    run = describe_run(name, config.train)
    texts = load_rows(f"data/prepared/training_texts/{name}.parquet")
    found = measure_training(
        run,
        texts,
        all_checkpoints(f"data/trained/{name}", run),
        _agreements(run, texts),
        **config.settings,
    )
    save_table(found.losses, f"results/training/losses/{name}.csv")
    save_table(found.held_out, f"results/training/held_out/{name}.csv")
    save_table(found.agreement, f"results/training/agreement/{name}.csv")
    save_table(found.classification, f"results/training/classification/{name}.csv")
    save_table(found.seeds, f"results/training/seeds/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_training, groups=("train",))
