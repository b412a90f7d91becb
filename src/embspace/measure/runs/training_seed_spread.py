"""How far the seeds of a run lie apart."""

import pandas as pd

KEYS = ["phase", "step", "of", "quantity"]
OF_TOKENS = ["loss", "accuracy", "next_sentence_accuracy"]
SPREAD = [*KEYS, "n_seeds", "mean", "standard_deviation", "smallest", "largest"]


def seed_spread(
    held_out: pd.DataFrame, agreement: pd.DataFrame, classification: pd.DataFrame
) -> pd.DataFrame:
    """Mean and spread over seeds of what the last checkpoint of each phase predicts.

    The standard deviation is that of a sample (n - 1), NaN of one seed. `of` is what the quantity
    is of: an objective, a kind of clause, a variant of the texts.
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
