"""Stage `measure_encoders_decoders`: a model's layers beside those of the others and of our runs.

Figure 1 of Razzhigaev et al. (2024), "The shape of learning" (arXiv 2311.05928).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from embspace.files.tables import load_table, save_table
from embspace.measure.layers.model_kinds import (
    kind_of_class,
    kind_of_run,
    last_checkpoint,
    of_first_phase,
)
from embspace.settings.params import read_params
from embspace.settings.run import Run, describe_run
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, run_stage

COLUMNS = ["name", "kind", "seed", "corpus", "measure", "layer", "depth", "value", "low", "high"]
COLUMNS += ["n"]


@dataclass(frozen=True)
class Profiled:
    """A model whose layers were profiled."""

    profiles: pd.DataFrame
    """Of all families that are shown."""
    module: str
    """The class of transformers that it is of."""


@dataclass(frozen=True)
class Trained:
    """A run and its dynamics."""

    dynamics: pd.DataFrame
    run: Run


def measure_encoders_decoders(
    profiled: Mapping[str, Profiled],
    trained: Mapping[str, Trained],
    *,
    measures: list[str],
    corpus: str,
) -> pd.DataFrame:
    """One row a model, or a seed of a run, and measure and layer; of tokens as they are.

    Models read `corpus`; `low` and `high` are an interval over its texts. Runs read the texts
    that training held out, and are taken at the last checkpoint of their first phase; their seeds
    stand in the place of an interval, and for the dimension each of their vectors counts once, as
    sequences that begin alike have equal ones. `kind` is encoder, of what learned to guess hidden
    tokens, or decoder, the next one; a run that only classifies is neither, and left out. `depth`
    is the layer's number over that of the last, from 0, the embeddings, to 1.
    """
    parts = [_of_model(name, each, measures, corpus) for name, each in profiled.items()]
    parts += [_of_run(name, each, measures) for name, each in trained.items()]
    parts = [part for part in parts if len(part)]
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    found = pd.concat(parts)
    depth = found["layer"] / found.groupby("name")["layer"].transform("max")
    return found.assign(depth=depth)[COLUMNS].reset_index(drop=True)


def _of_model(name: str, model: Profiled, measures: list[str], corpus: str) -> pd.DataFrame:
    rows = model.profiles
    rows = rows[rows["measure"].isin(measures) & (rows["corpus"] == corpus)]
    rows = rows[(rows["space"] == "token") & (rows["change"] == "as_is")]
    return rows.assign(name=name, kind=kind_of_class(model.module), seed=float("nan"))


def _of_run(name: str, trained: Trained, measures: list[str]) -> pd.DataFrame:
    kind = kind_of_run(trained.run)
    rows = last_checkpoint(of_first_phase(trained.dynamics))
    rows = rows[rows["measure"].isin(measures) & bool(kind)]
    return rows.assign(name=name, kind=kind, corpus="", low=float("nan"), high=float("nan"))


def main(config: StageConfig) -> None:
    """Load, call, save."""
    params = read_params()
    model = config.model_name
    profiled = {
        name: Profiled(
            pd.concat(
                [
                    load_table(f"results/spectrum/profiles/{name}.csv"),
                    load_table(f"results/intrinsic_dimension/profiles/{name}.csv"),
                ]
            ),
            str(load_table(f"results/architecture/{name}.csv")["module"].iloc[0]),
        )
        # The model of this table first.
        for name in dict.fromkeys([model, *params.profiled])
    }
    trained = {
        name: Trained(
            load_table(f"results/dynamics/{name}.csv"),
            describe_run(name, read_yaml(Path(f"conf/train/{name}.yaml"))),
        )
        for name in params.trained
    }
    table = measure_encoders_decoders(profiled, trained, **config.settings)
    save_table(table, f"results/encoders_decoders/{model}.csv")


if __name__ == "__main__":
    run_stage(main, measure_encoders_decoders)
