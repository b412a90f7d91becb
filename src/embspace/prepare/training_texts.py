"""Stage `prepare_training_texts`: the texts of a run in conf/train/, some of them held out."""

from pathlib import Path

import numpy as np
import pandas as pd

from embspace.errors import InputError, counted, within
from embspace.files.rows import save_rows
from embspace.prepare.texts import load_units
from embspace.settings.corpus import Corpus, corpus_file, describe_corpus
from embspace.settings.run import Run, describe_run, run_file
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, run_stage

COLUMNS = ["id", "document", "text", "half_hidden", "label", "split"]


def prepare_training_texts(name: str, run: Run, corpus: Corpus) -> pd.DataFrame:
    """One row per text of the corpus of the run `name`.

    The columns are id, document, text, half_hidden, label, split.

    `half_hidden` is the text with half of the defining sites of the labels hidden, if the corpus
    knows the sites, else empty. `split` is `train` or `test`. Texts of a document are never split,
    to test only on texts without near copies in training. Per domain and label, the nearest number
    of documents to `test_share` is held out at random, at least one of two or more. Without labels,
    `label` is empty.

    Raises:
        InputError: if the texts cannot be read, lack a column, or a label has fewer than two
            documents.
    """
    with within(corpus_file(run.corpus)):
        table = load_units(corpus).reset_index(drop=True)
    if "half_hidden" not in table:
        table["half_hidden"] = ""
    table["half_hidden"] = table["half_hidden"].fillna("")
    with within(run_file(name)):
        table["split"] = _split(table, run)
        table["label"] = _labels(table, run)
        _check_split(table, run)
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
    """Split the texts by documents within domains and labels, whatever the run asks for.

    Runs with and without classification hold out the same documents of a corpus.
    """
    generator = np.random.default_rng(run.split_seed)
    known = [column for column in ("domain", "label") if column in table]
    stratum = table[known].fillna("").astype(str).agg("/".join, axis=1) if known else ""
    # A document of texts of several kinds counts for that of its first.
    documents = table[["document"]].assign(stratum=stratum).drop_duplicates("document")
    held_out: list[str] = []
    for _, members in documents.groupby("stratum", sort=True)["document"]:
        n_test = min(round(run.test_share * len(members)), len(members) - 1)
        if len(members) > 1:
            held_out += generator.choice(members.to_numpy(), max(n_test, 1), replace=False).tolist()
    return np.where(table["document"].isin(held_out), "test", "train")


def _check_split(table: pd.DataFrame, run: Run) -> None:
    """Stop if there is nothing of some label to train or to test on."""
    for split in ("train", "test"):
        there = set(table.loc[table["split"] == split, "label"])
        if missing := sorted(set(table["label"]) - there):
            label = f" of label {missing[0]!r}" if missing[0] else ""
            raise InputError(
                f"key 'test_share': found {run.test_share}, which leaves no text{label} to "
                f"{split} on; {run.corpus} needs two documents or more of each"
            )


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.train_name
    run = describe_run(name, config.train)
    corpus = describe_corpus(run.corpus, read_yaml(Path(f"conf/corpus/{run.corpus}.yaml")))
    table = prepare_training_texts(name, run, corpus)
    save_rows(table, f"data/prepared/training_texts/{name}.parquet")


if __name__ == "__main__":
    run_stage(main, prepare_training_texts, groups=("train",))
