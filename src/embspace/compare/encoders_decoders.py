"""Stage `compare_encoders_decoders`: profiles over the layers of whatever was profiled or trained.

Figure 1 of Razzhigaev et al. (2024), "The shape of learning" (arXiv 2311.05928).
"""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from embspace.config import StageConfig, read_params, read_yaml, run_stage
from embspace.files.tables import load_table, save_table
from embspace.measure.batch_profiles import SPREAD
from embspace.training_run import (
    CausalLanguageModelling,
    MaskedLanguageModelling,
    Run,
    describe_run,
)

COLUMNS = ["name", "kind", "seed", "corpus", "measure", "layer", "depth", "value", "low", "high"]
COLUMNS += [SPREAD]
Tables = Mapping[str, pd.DataFrame]


def compare_encoders_decoders(
    profiled: Mapping[str, Tables],
    architectures: Mapping[str, str],
    trained: Mapping[str, pd.DataFrame],
    runs: Mapping[str, Run],
    *,
    measures: list[str],
    corpora: list[str],
) -> pd.DataFrame:
    """One row a model or seed of a run, measure and layer; of tokens as they are.

    `profiled` are the profiles of a model by family, `architectures` the class of each model,
    `trained` the dynamics of each run, of which the last checkpoint of the first phase counts.
    `kind` is encoder, of what learnt to guess hidden tokens, or decoder, the next one. `depth` is
    the layer's number over that of the last. Runs read held-out texts, models the `corpora`. A run
    that only classifies is neither, and left out.
    """
    parts = [
        _of_model(name, tables, measures, corpora, kind_of_class(architectures[name]))
        for name, tables in profiled.items()
    ]
    parts += [
        _of_run(name, table, measures, runs[name])
        for name, table in trained.items()
        if kind_of_run(runs[name])
    ]
    found = pd.concat(parts) if parts else pd.DataFrame(columns=COLUMNS)
    depth = found["layer"] / found.groupby(["name"])["layer"].transform("max")
    return found.assign(depth=depth)[COLUMNS].reset_index(drop=True)


def kind_of_class(name: str) -> str:
    """Whether models of a class of transformers are made to guess hidden tokens or the next."""
    from transformers.models.auto import modeling_auto

    types = {each: kind for kind, each in modeling_auto.MODEL_MAPPING_NAMES.items()}
    masked = modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    return "encoder" if types.get(name) in masked else "decoder"


def kind_of_run(run: Run) -> str:
    """Of the first phase; "" if it is neither."""
    phase = next(iter(run.phases.values()))
    if isinstance(phase, MaskedLanguageModelling):
        return "encoder"
    return "decoder" if isinstance(phase, CausalLanguageModelling) else ""


def _of_model(
    name: str, tables: Tables, measures: list[str], corpora: list[str], kind: str
) -> pd.DataFrame:
    rows = pd.concat(tables.values())
    kept = rows["measure"].isin(measures) & rows["corpus"].isin(corpora)
    kept &= (rows["space"] == "token") & (rows["change"] == "as_is")
    return rows[kept].assign(name=name, kind=kind, seed=float("nan"))


def _of_run(name: str, table: pd.DataFrame, measures: list[str], run: Run) -> pd.DataFrame:
    rows = last_of_first_phase(table)
    rows = rows[rows["measure"].isin(measures) & (rows["change"] == "as_is")]
    rows = rows.assign(low=float("nan"), high=float("nan"))
    return rows.assign(name=name, kind=kind_of_run(run), corpus=run.corpus)


def last_of_first_phase(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the last checkpoint of a run's first phase."""
    first = table[table["phase"] == table["phase"].iloc[0]] if len(table) else table
    return first[first["step"] == first["step"].max()]


def main(config: StageConfig) -> None:
    """Load, call, save."""
    params = read_params()
    architectures = {
        name: load_table(f"results/architecture/{name}.csv") for name in params.profiled
    }
    table = compare_encoders_decoders(
        {
            name: {
                "spectrum": load_table(f"results/spectrum/profiles/{name}.csv"),
                "dimension": load_table(f"results/intrinsic_dimension/profiles/{name}.csv"),
            }
            for name in params.profiled
        },
        {name: str(each["module"].iloc[0]) for name, each in architectures.items()},
        {name: load_table(f"results/dynamics/{name}.csv") for name in params.trained},
        {
            name: describe_run(name, read_yaml(Path(f"conf/train/{name}.yaml")))
            for name in params.trained
        },
        **config.settings,
    )
    save_table(table, "results/compare/encoders_decoders.csv")


if __name__ == "__main__":
    run_stage(main, compare_encoders_decoders, groups=())
