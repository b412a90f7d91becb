"""Writes the first finding for labeled texts: which layer and pooling predict labels best."""

from pathlib import Path

import pandas as pd

from embspace.app.page.findings import LABELS, Finding
from embspace.app.page.texts_read import corpora_called
from embspace.draw.page.looks import OWN_VECTOR, TEXT_POOLINGS
from embspace.errors import counted
from embspace.files.tables import load_table
from embspace.settings.own import is_own
from embspace.settings.params import CONF, PARAMS
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path

TASK = "labels"
NULLS = {"none": "words alone (TF-IDF)", "random": "random weights at best"}  # by `weights`


def label_findings(folder: Path, model: str, chapter: str) -> list[Finding]:
    """Return what predicts a user's own labels best, beside words, random weights and chance.

    There is one finding per corpus: layer and pooling, with the accuracy and its interval.
    """
    table = _table(folder, model)
    if table is None or table.empty:
        return []
    own = corpora_called(folder)
    rows = table[(table["task"] == TASK) & table["corpus"].isin(_own_labeled(folder))]
    return [
        Finding(LABELS, chapter, _sentence(own[str(corpus)], corpus_rows), _population(corpus_rows))
        for corpus, corpus_rows in rows.groupby("corpus", sort=False)
    ]


def why_no_labels(folder: Path, model: str) -> list[str]:
    """Return why labels of a user's own texts were not asked for, a sentence a corpus."""
    table = _table(folder, model)
    if table is None:
        return []
    classified = set() if table.empty else {*table.loc[table["task"] == TASK, "corpus"]}
    fewest = read_yaml(settings_path("measure", LABELS, folder))["fewest_documents"]
    own = corpora_called(folder)
    return [
        f"{own[name]}: nothing is said of the labels in column '{column}', which needs two labels "
        f"with texts of at least {fewest} documents each."
        for name, column in _own_labeled(folder).items()
        if name not in classified
    ]


def _table(folder: Path, model: str) -> pd.DataFrame | None:
    file = folder / f"results/{LABELS}/{model}.csv"
    return load_table(str(file)) if file.is_file() else None


def _own_labeled(folder: Path) -> dict[str, str]:
    """Return the column of labels of every corpus of a user's own with labels."""
    described = {
        name: read_yaml(folder / CONF / "corpus" / f"{name}.yaml")
        for name in read_yaml(folder / PARAMS)["corpora"]
    }
    return {
        name: str(content["group_column"])
        for name, content in described.items()
        if content.get("group_column") and is_own(content)
    }


def _sentence(corpus: str, rows: pd.DataFrame) -> str:
    layers = rows[rows["rank"].notna()]
    best = layers.sort_values("rank").iloc[0]
    where = f"layer {best['layer']:.0f}, {TEXT_POOLINGS[best['embedding']].name}"
    accuracy = f"accuracy {best['value']:.2f} ({best['value_low']:.2f} to {best['value_high']:.2f})"
    n_alike = int((layers["among_best"].astype(str) == "True").sum())
    own = rows[rows["embedding"] == "sentence"]
    beside = ", ".join(
        [f"{OWN_VECTOR.name} {value:.2f}" for value in own["value"]]
        + _beside_nulls(rows)
        + [f"chance {best['chance']:.2f}"]
    )
    if not best["value_low"] > best["chance"]:
        return (
            f"No layer predicts the labels of {corpus} clearly better than chance: the best is "
            f"{where}, with {accuracy}; {beside}"
        )
    null = _strongest_null(rows)
    if null is not None and not null["less_best_high"] < 0:
        name = NULLS[null["weights"]].removesuffix(" at best")
        return (
            f"No layer tells the labels of {corpus} clearly better than {name}: "
            f"the best is {where}, with {accuracy}; {beside}"
        )
    most = f"The labels of {corpus} are told best by {where}: {accuracy}"
    if n_alike > 1:
        most = (
            f"The labels of {corpus} are told best by {where}, though not clearly better than by "
            f"{counted(n_alike - 1, 'other')} of {len(layers)} layers and poolings: {accuracy}"
        )
    return f"{most}; {beside}"


def _beside_nulls(rows: pd.DataFrame) -> list[str]:
    """Return the accuracy of words alone and of random weights, and whether the best has more."""
    return [
        f"{NULLS[null['weights']]} {null['value']:.2f}"
        + ("" if null["less_best_high"] < 0 else " (not clearly less)")
        for null in _nulls(rows)
    ]


def _nulls(rows: pd.DataFrame) -> list[pd.Series]:
    """Return the best row of every measured null."""
    by_value = rows.sort_values("value", ascending=False, kind="stable")
    return [best.iloc[0] for kind in NULLS if len(best := by_value[by_value["weights"] == kind])]


def _strongest_null(rows: pd.DataFrame) -> pd.Series | None:
    return max(_nulls(rows), key=lambda null: null["less_best_high"], default=None)


def _population(rows: pd.DataFrame) -> str:
    level = f"{100 * rows['level'].iloc[0]:g} % interval"
    return (
        f"{counted(int(rows['n'].iloc[0]), 'text')} · a linear classifier, tested on texts that it "
        f"was not fitted on · {level} over texts, not adjusted for having picked the best"
    )
