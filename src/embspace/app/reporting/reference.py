"""Writes the table of known models in draw/layers/ from results.

`python -m embspace.app.reporting.reference minilm minilm_l3` takes the layers' profiles of these
models from results/, and random weights from the nulls of the first model.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from embspace.draw.layers.layer_profiles_reference import KEYS, TABLE, tokens_per_text
from embspace.errors import InputError
from embspace.files.tables import load_table
from embspace.geometry.measures.declaration import FAMILIES
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path

NULL = "random_initialization"
COLUMNS = [*KEYS, "layer", "value"]


def reference_table(root: Path, models: Sequence[str]) -> pd.DataFrame:
    """Return the measures in the figures of the families, for models with results.

    Raises:
        InputError: if no family of a model was measured.
    """
    shown: dict[str, list[str]] = {
        family: read_yaml(settings_path("draw", family, root))["measures"] for family in FAMILIES
    }
    tables = []
    for place, model in enumerate(models):
        label = str(read_yaml(root / CONF / "model" / f"{model}.yaml")["label"])
        rows = [*_profiles(root, model, label, shown, with_random=place == 0)]
        if not rows:
            raise InputError(f"results/: found no profiles of {model}, allowed: a profiled model")
        tables += rows
    return pd.concat(tables, ignore_index=True)[COLUMNS].dropna(subset="value")


def _profiles(
    root: Path, model: str, label: str, shown: Mapping[str, list[str]], *, with_random: bool
) -> Iterator[pd.DataFrame]:
    for family in FAMILIES:
        file = root / f"results/{family}/profiles/{model}.csv"
        if not file.is_file():
            continue
        profiles = load_table(str(file)).query("change == 'as_is'")
        with_tokens = profiles.loc[profiles["space"] == "token", "corpus"].unique()
        lengths = {name: tokens_per_text(profiles, name) for name in with_tokens}
        profiles = profiles[profiles["corpus"].isin(with_tokens)]
        table = profiles[profiles["measure"].isin(shown[family])]
        yield _spread_out(table, lengths).assign(model=label)
        if with_random:
            nulls = load_table(str(root / f"results/{family}/nulls/{model}.csv"))
            nulls = nulls[(nulls["null"] == NULL) & nulls["corpus"].isin({*lengths})]
            nulls = nulls[(nulls["change"] == "as_is") & nulls["measure"].isin(shown[family])]
            nulls = nulls.assign(value=nulls["null_mean"])
            if len(nulls):
                yield _spread_out(nulls, lengths).assign(model=f"random {label}")


def _spread_out(table: pd.DataFrame, lengths: dict[str, float]) -> pd.DataFrame:
    """Return only rows of tokens and poolings, without first tokens that are all equal."""
    is_one = (table["space"] == "cls") & (table["layer"] == 0)
    table = table[~is_one & table["space"].isin(["token", "cls", "mean"])]
    return table.assign(tokens_per_text=table["corpus"].map(lengths).round(1))


def main() -> None:
    """Write the table of the models on the command line, from the current folder's results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    table = reference_table(Path(), parser.parse_args().models)
    # A part of the code, no result: its bytes need no note of who computed them.
    table.to_csv(TABLE, index=False, float_format="%.4g", lineterminator="\n")


if __name__ == "__main__":
    main()
