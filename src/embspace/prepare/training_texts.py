"""Stage `prepare_training_texts`: the texts of a run in conf/train/, some of them held out."""

from pathlib import Path

import numpy as np
import pandas as pd

from embspace.config import StageConfig, read_yaml, run_stage
from embspace.corpus import Corpus, corpus_file, describe_corpus
from embspace.errors import InputError, counted, within
from embspace.files.rows import save_rows
from embspace.prepare.texts import load_units
from embspace.training_run import Run, describe_run, run_file

COLUMNS = ["id", "document", "text", "half_hidden", "label", "split"]


def prepare_training_texts(name: str, run: Run, corpus: Corpus) -> pd.DataFrame:
    """One row a text of the corpus of the run `name`.

    The columns are id, document, text, half_hidden, label, split.

    `half_hidden` is the text without half of what tells the labels apart, where the corpus knows
    that, and else empty.
    `split` is `train` or `test`. Texts of one document are never parted, so that a model is
    tested on what it has not seen a sister of; of the documents of each label the nearest number
    to `test_share` is held out, at least one, at random. Without labels, `label` is empty.

    Raises:
        InputError: if the texts cannot be had, have no such column, or a label has fewer than two
            documents.
    """
    with within(corpus_file(run.corpus)):
        table = load_units(corpus).reset_index(drop=True)
    if "half_hidden" not in table:
        table["half_hidden"] = ""
    table["half_hidden"] = table["half_hidden"].fillna("")
    with within(run_file(name)):
        table["label"] = _labels(table, run)
        table["split"] = _split(table, run)
    return table[COLUMNS].astype(str)


def _labels(table: pd.DataFrame, run: Run) -> pd.Series:
    if run.label_column is None:
        return pd.Series("", table.index)
    if run.label_column not in table:
        raise InputError(
            f"key 'label_column': found '{run.label_column}', but the texts of {run.corpus} have "
            f"{', '.join(map(str, table.columns))}"
        )
    labels = table[run.label_column].fillna("").astype(str)
    if (empty := labels == "").any():
        raise InputError(
            f"key 'label_column': {counted(int(empty.sum()), 'text')} of {run.corpus} have no "
            f"{run.label_column}, the first {table['id'][empty].iloc[0]}"
        )
    if labels.nunique() < 2:
        raise InputError(f"key 'label_column': all texts of {run.corpus} are {labels.iloc[0]!r}")
    return labels


def _split(table: pd.DataFrame, run: Run) -> np.ndarray:
    generator = np.random.default_rng(run.split_seed)
    # A document of texts with several labels counts for that of its first.
    documents = table[["document", "label"]].drop_duplicates("document")
    held_out: list[str] = []
    for label, members in documents.groupby("label", sort=True)["document"]:
        if len(members) < 2:
            which = f" of label {label!r}" if label else ""
            raise InputError(
                f"key 'test_share': {counted(len(members), 'document')}{which} in {run.corpus} "
                "cannot be parted; allowed: two or more"
            )
        n_test = int(np.clip(round(run.test_share * len(members)), 1, len(members) - 1))
        held_out += generator.choice(members.to_numpy(), n_test, replace=False).tolist()
    is_test = table["document"].isin(held_out)
    if missing := sorted(set(table["label"]) - set(table["label"][~is_test])):
        raise InputError(
            f"key 'test_share': found {run.test_share}, which leaves no text of {missing[0]!r} to "
            "train on"
        )
    return np.where(is_test, "test", "train")


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.train_name
    run = describe_run(name, config.train)
    corpus = describe_corpus(run.corpus, read_yaml(Path(f"conf/corpus/{run.corpus}.yaml")))
    table = prepare_training_texts(name, run, corpus)
    save_rows(table, f"data/prepared/training_texts/{name}.parquet")


if __name__ == "__main__":
    run_stage(main, prepare_training_texts, groups=("train",))
