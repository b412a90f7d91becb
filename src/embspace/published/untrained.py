"""The verdicts on a model beside those of the same rules on random weights."""

import logging
from pathlib import Path
from typing import Any

import pandas as pd
from scipy.stats import false_discovery_control

from embspace.errors import InputError
from embspace.files.tables import load_table, save_table
from embspace.published.sources import PUBLISHED

ALSO_UNTRAINED = "holds, but also untrained"
TRAINING = ONLY_TRAINED, UNTRAINED_TOO, OPEN = "only after training", "untrained, too", "open"
HOLDS = ("matches", ALSO_UNTRAINED)
VERDICTS = PUBLISHED / "verdicts"
"""The folder of kept verdicts, a table per model."""
SAME = ["source", "rule"]
"""The columns that a claim of the twin shares with the model's claim."""
KEPT = [*SAME, "statement", "value", "verdict"]


def untrained_name(model: str) -> str:
    """Return the usual name of a model's twin with random weights."""
    return f"{model}_random"


def keep_verdicts(name: str, results: Path) -> Path:
    """Keep the verdicts on a model, to stand beside the verdicts on twins and further models.

    Raises:
        InputError: if the model has no ledger.
    """
    ledger = load_table(str(results / "ledger" / f"{name}.csv"))
    rows = ledger[ledger["kind"].eq("claim") & ledger["about"].eq("weights")]
    file = VERDICTS / f"{name}.csv"
    save_table(rows[KEPT], str(file))
    return file


def kept_verdicts(name: str | None, folder: Path = VERDICTS) -> pd.DataFrame | None:
    """Return the kept verdicts on a model; None if none is named, or none were kept yet."""
    if not name:
        return None
    file = folder / f"{name}.csv"
    if file.is_file():
        return load_verdicts(file)
    logging.warning(
        "%s: not found, so that nothing is known of random weights; `embspace thesis %s --keep` "
        "makes it, once %s is among `models` and computed",
        *(file, name, name),
    )
    return None


def load_verdicts(file: Path) -> pd.DataFrame:
    """Return a table of kept verdicts, with one row per rule.

    Raises:
        InputError: if a column is missing, as in tables of older versions.
    """
    table = load_table(str(file))
    if lacking := [column for column in KEPT if column not in table]:
        raise InputError(
            f"{file}: has no column '{lacking[0]}'; allowed: {', '.join(KEPT)}; "
            f"`embspace thesis {file.stem} --keep` makes it anew"
        )
    return table.drop_duplicates(SAME)


def beside_untrained(verdicts: pd.DataFrame, untrained: pd.DataFrame | None) -> pd.DataFrame:
    """Return the verdicts with the verdicts of the same rules before any training.

    Parameters:
        verdicts: a row a number or claim, from `measure_ledger`.
        untrained: columns KEPT of a model with random weights, by rule; None if missing.

    A claim that also matches untrained has the verdict `holds, but also untrained`. `training` says
    whether a claim holds only after training: `open` if the rule decides nothing at random weights,
    or the verdicts on random weights are missing. A claim without trained weights (`about`) has no
    twin. `family_q_value` is Benjamini and Hochberg's, among the p-values of a family of claims.
    """
    table = verdicts.copy()
    own = table["kind"].eq("claim") & table["about"].eq("weights")
    twin = _twin(table, untrained)
    table["untrained_value"] = twin["value"].where(own)
    table["untrained_verdict"] = twin["verdict"].where(own)
    holds = table["verdict"].eq("matches")
    table["training"] = table["untrained_verdict"].map(
        {"matches": UNTRAINED_TOO, "differs": ONLY_TRAINED}
    )
    table["training"] = table["training"].fillna(OPEN).where(own & holds)
    table.loc[table["training"] == UNTRAINED_TOO, "verdict"] = ALSO_UNTRAINED
    table["family_q_value"] = _q_values(table)
    return table


def _twin(table: pd.DataFrame, untrained: pd.DataFrame | None) -> pd.DataFrame:
    """Return the rows of the twin for the same statements and rules, in the order of the table."""
    rows = pd.DataFrame(columns=KEPT) if untrained is None else untrained
    return table[SAME].merge(rows, on=SAME, how="left").set_axis(table.index)


def families(table: pd.DataFrame) -> pd.Series:
    """Return the family of claims counted together, a question or section, per row."""
    question = "question " + table["question"].astype("string")
    return question.fillna("section " + table["section"].astype("string")).fillna(table["source"])


def _q_values(table: pd.DataFrame) -> pd.Series:
    known = table[table["p_value"].notna()]
    groups = known["p_value"].groupby([known["source"], families(known)])
    return groups.transform(false_discovery_control).reindex(table.index)


def trained_share(claims: pd.DataFrame) -> str:
    """Return how many claims hold untrained, too, to end a sentence; empty without a twin."""
    held = claims["training"].dropna()
    if claims["untrained_verdict"].isna().all() or held.empty:
        return ""
    n_trained, n_untrained, n_open = (int(held.eq(word).sum()) for word in TRAINING)
    return (
        f"; of the {len(held)} that hold and read weights {n_untrained} "
        f"{'holds' if n_untrained == 1 else 'hold'} at random weights, too, and {n_trained} "
        f"{'does' if n_trained == 1 else 'do'} not"
        + (f"; {n_open} {'is' if n_open == 1 else 'are'} open there" if n_open else "")
    )


def count_verdicts(ledger: pd.DataFrame) -> dict[str, Any]:
    """Return the numbers of rows by kind and verdict, and of claims that need training."""
    counts = ledger.groupby(["kind", "verdict"]).size()
    kinds = ledger["kind"].drop_duplicates()
    verdicts = {str(kind): {str(key): int(n) for key, n in counts[kind].items()} for kind in kinds}
    training = ledger["training"].value_counts()
    return verdicts | {"training": {str(key): int(n) for key, n in training.items()}}
