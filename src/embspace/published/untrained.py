"""The verdicts on a model beside those of the same rules on random weights."""

import logging
from collections.abc import Sequence
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
OF_DRAWS = ("matches", ALSO_UNTRAINED, "undecided", "depends on the rule", "not checkable")
"""Verdicts on a draw, by rank: the first is the verdict on several draws; else all differ."""
VERDICTS = PUBLISHED / "verdicts"
"""The folder of kept verdicts, a table per model."""
SAME = ["source", "rule"]
"""The columns that a claim of the twin shares with the model's claim."""
KEPT = [*SAME, "statement", "value", "verdict", "draw"]


def untrained_name(model: str) -> str:
    """Return the usual name of a model's twin with random weights."""
    return f"{model}_random"


def draw_name(twin: str, seed: int) -> str:
    """Return the usual name of a further draw of a twin's weights."""
    return f"{twin}_{seed}"


def keep_verdicts(name: str, results: Path, draws: Sequence[str] = ()) -> Path:
    """Keep the verdicts on a model, to stand beside the verdicts on twins and further models.

    Parameters:
        name: the model, which names the table.
        results: the folder of the ledgers.
        draws: models that differ from the first by the seed of random weights alone, kept in the
            same table.

    Raises:
        InputError: if a model has no ledger.
    """
    tables = []
    for draw, model in enumerate((name, *draws), start=1):
        ledger = load_table(str(results / "ledger" / f"{model}.csv"))
        rows = ledger[ledger["kind"].eq("claim") & ledger["about"].eq("weights")]
        tables.append(rows.assign(draw=draw)[KEPT])
    file = VERDICTS / f"{name}.csv"
    save_table(pd.concat(tables), str(file))
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
    """Return a table of kept verdicts, with one row per rule, and `draws`, their number.

    Of several draws of random weights the value is the median. The verdict is `matches` if one of
    them matches, `differs` if all differ, and else open.

    Raises:
        InputError: if a column is missing, as in tables of older versions.
    """
    table = load_table(str(file))
    if lacking := [column for column in KEPT if column not in table]:
        raise InputError(
            f"{file}: has no column '{lacking[0]}'; allowed: {', '.join(KEPT)}; "
            f"`embspace thesis {file.stem} --keep` makes it anew"
        )
    rows = table.drop_duplicates([*SAME, "draw"]).groupby(SAME, sort=False)
    together = {"value": ("value", "median"), "verdict": ("verdict", _of_draws)}
    return rows.agg(
        statement=("statement", "first"), **together, draws=("draw", "size")
    ).reset_index()


def _of_draws(verdicts: pd.Series) -> str:
    """Return the verdict on several draws: what one network does without training needs none."""
    return next((verdict for verdict in OF_DRAWS if verdicts.eq(verdict).any()), verdicts.iloc[0])


def beside_untrained(verdicts: pd.DataFrame, untrained: pd.DataFrame | None) -> pd.DataFrame:
    """Return the verdicts with the verdicts of the same rules before any training.

    Parameters:
        verdicts: a row a number or claim, from `measure_ledger`.
        untrained: a model with random weights, as by `load_verdicts`; None if missing.

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
    table["untrained_draws"] = twin["draws"].where(own).astype("Int64")
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
    rows = pd.DataFrame(columns=[*KEPT, "draws"]) if untrained is None else untrained
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
    """Return how many claims hold untrained, too, to follow a sentence; empty without a twin."""
    held = claims["training"].dropna()
    if claims["untrained_verdict"].isna().all() or held.empty:
        return ""
    n_trained, n_untrained, n_open = (int(held.eq(word).sum()) for word in TRAINING)
    verb = "holds" if n_untrained == 1 else "hold"
    parts = [f"{n_untrained} {verb} {in_draws(claims)}, too"]
    none = "in none" if n_draws_of(claims) > 1 else "not there"
    parts += [f"{n_trained} {none}"] if n_trained else []
    parts += [f"and {n_open} {'is' if n_open == 1 else 'are'} open there"] if n_open else []
    return f". Of the {len(held)} that hold and read weights, {', '.join(parts)}"


def n_draws_of(claims: pd.DataFrame) -> int:
    """Return in how many draws of random weights claims were asked; 0 without."""
    n_draws = claims["untrained_draws"].max()
    return 0 if pd.isna(n_draws) else int(n_draws)


def draws_called(claims: pd.DataFrame) -> str:
    """Return the draws of random weights in words."""
    n_draws = n_draws_of(claims)
    return f"{n_draws} draws of random weights" if n_draws > 1 else "one draw of random weights"


def in_no_draw(claims: pd.DataFrame) -> str:
    """Return the opposite of `in_draws`, for claims after training alone."""
    return (
        f"in none of {draws_called(claims)}" if n_draws_of(claims) > 1 else "not at random weights"
    )


def in_draws(claims: pd.DataFrame) -> str:
    """Return how often a claim must hold at random weights to count as untrained."""
    return (
        f"in at least one of {draws_called(claims)}"
        if n_draws_of(claims) > 1
        else "at random weights"
    )


def count_verdicts(ledger: pd.DataFrame) -> dict[str, Any]:
    """Return the numbers of rows by kind and verdict, and of claims that need training."""
    counts = ledger.groupby(["kind", "verdict"]).size()
    kinds = ledger["kind"].drop_duplicates()
    verdicts = {str(kind): {str(key): int(n) for key, n in counts[kind].items()} for kind in kinds}
    training = ledger["training"].value_counts()
    return verdicts | {"training": {str(key): int(n) for key, n in training.items()}}
