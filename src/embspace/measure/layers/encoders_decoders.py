"""Stage `measure_encoders_decoders`: a model's layers beside those of other models and our runs.

Figure 1 of Razzhigaev et al. (2024), "The shape of learning" (arXiv 2311.05928).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.analysis import TABLE, Analysis, Outcome, Source, Table
from embspace.clouds.layers import Change
from embspace.files.tables import Row, load_table
from embspace.measure.layers.layer_shapes import (
    BELL,
    CANNOT,
    FEWEST,
    FLAT,
    Condition,
    ShapeRules,
    bell_conditions,
    flat_conditions,
    statistics_of,
    verdict_of,
)
from embspace.measure.layers.model_kinds import (
    DECODER,
    ENCODER,
    first_phase_rows,
    kind_of_class,
    kind_of_run,
    last_checkpoint,
)
from embspace.measure.tables.columns import value_with_bounds
from embspace.settings.model import Model, describe_model
from embspace.settings.run import Run, describe_run, run_file
from embspace.settings.schema import read_yaml
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

ANISOTROPY = "top_variance_share"
DEPENDS = "depends on the rule"
OverBlocks = Float[np.ndarray, " block"]


@dataclass(frozen=True)
class Profiled:
    """A model whose layers were profiled."""

    profiles: pd.DataFrame
    """The profiles of all families that are shown."""
    module: str
    """The model's class in transformers."""
    label: str


@dataclass(frozen=True)
class Trained:
    """A run with its dynamics."""

    dynamics: pd.DataFrame
    run: Run


def load_profiled(
    descriptions: str,
    architectures: str,
    spectra: str,
    dimensions: str,
    name: str,
    model: Model,
    profiled: list[str],
) -> dict[str, Profiled]:
    """Return the profiles of a model, then those of the other models, from folders."""
    labels = {name: model.label} | {
        other: describe_model(other, read_yaml(Path(descriptions, f"{other}.yaml"))).label
        for other in profiled
        if other != name
    }
    return {
        name: Profiled(
            pd.concat([load_table(f"{folder}/{name}.csv") for folder in (spectra, dimensions)]),
            str(load_table(f"{architectures}/{name}.csv")["module"].iloc[0]),
            label,
        )
        for name, label in labels.items()
    }


def load_trained(folder: str, trained: list[str]) -> dict[str, Trained]:
    """Return the runs with their dynamics, from a folder."""
    return {
        name: Trained(
            load_table(f"{folder}/{name}.csv"), describe_run(name, read_yaml(Path(run_file(name))))
        )
        for name in trained
    }


ENCODERS_DECODERS = Analysis(
    noun="encoders_decoders",
    question=(
        "Do encoders and decoders differ over their layers? The model beside others and our runs"
    ),
    over="profiled",
    reads={
        "profiled": Source(
            load_profiled,
            (
                "conf/model",
                "results/architecture",
                "results/spectrum/profiles",
                "results/intrinsic_dimension/profiles",
            ),
            described=True,
            lists=["profiled"],
        ),
        "trained": Source(load_trained, "results/dynamics", lists=["trained"]),
    },
    tables={
        TABLE: Table(
            {"name": "row", "label": "name", "kind": "name", "seed": "row", "corpus": "row"}
            | {"measure": "row", "layer": "row", "depth": "moment"}
            | value_with_bounds("repeated", "")
            | {"n": "count", "n_texts": "count"}
        ),
        "claims": Table(
            {"claim": "row", "claimed_of": "name", "section": "name", "kind": "name"}
            | {"seed": "name", "change": "row", "statistic": "name"}
            | value_with_bounds("repeated", "")
            | {"second_statistic": "name", "second_value": "repeated", "second_low": "repeated"}
            | {"second_high": "repeated", "walk_p_value": "repeated", "holds_if": "name"}
            | {"verdict_of_change": "name", "verdict": "name"}
        ),
    },
)


def measure_encoders_decoders(
    profiled: Mapping[str, Profiled],
    trained: Mapping[str, Trained],
    *,
    measures: list[str],
    corpus: str,
    changes: list[Change],
    flat_range: Share,
    bell_height: Share,
    walk_p_value: Share,
) -> Outcome:
    """Return the layers of models and runs side by side, and the paper's claims on the first model.

    The table `csv` has a row per model (or seed of a run), measure and layer, for all tokens.

    Models read `corpus`; `low` and `high` are an interval over the texts. Runs read the texts held
    out from training, at the last checkpoint of the first phase; seeds replace the interval. The
    dimension is of distinct vectors. `kind` is encoder, for training on hidden tokens, or decoder,
    for training on the next token; a run that trains no language model is left out. `label` has
    further facts on a model, such as rounded weights; `n_texts` is the number of texts read.
    `depth` is the layer's number over that of the last layer, from 0, the embeddings, to 1.

    `claims` has the claims of section 4.1 on encoders (flat) and on decoders (a bell), both tested
    on the first model, with `claimed_of`, by the rules of `layer_shapes`. Every claim has a row per
    change of `changes`: all tokens, or without special tokens, the first position or outlier
    dimensions, since any one of these may make a shape alone. `verdict_of_change` is the verdict of
    a change, `verdict` the one on which all checkable changes agree; if they do not agree, the
    claim depends on the rule. A change without intervals over texts is decided by its values.
    """
    parts = [_model_rows(name, model, measures, corpus) for name, model in profiled.items()]
    rules = ShapeRules(flat_range=flat_range, bell_height=bell_height, walk_p_value=walk_p_value)
    parts += [_run_rows(name, run, measures) for name, run in trained.items()]
    parts = [part for part in parts if len(part)]
    if not parts:
        return ENCODERS_DECODERS.empty()
    layers = pd.concat(parts)
    depth = layers["layer"] / layers.groupby("name")["layer"].transform("max")
    columns = [*ENCODERS_DECODERS.tables[TABLE].columns]
    table = layers.assign(depth=depth).reindex(columns=columns).reset_index(drop=True)
    rows = [
        row
        for first in list(profiled.values())[:1]
        for row in _claims(_changed(first, corpus, changes), kind_of_class(first.module), rules)
    ]
    return {TABLE: table, "claims": ENCODERS_DECODERS.tables["claims"].of(rows)}


def _changed(model: Profiled, corpus: str, changes: list[Change]) -> dict[str, pd.DataFrame]:
    """Return the anisotropy of the blocks, for changes with values at all blocks."""
    rows = model.profiles
    rows = rows[(rows["measure"] == ANISOTROPY) & (rows["corpus"] == corpus)]
    rows = rows[(rows["space"] == "token") & (rows["layer"] > 0)].sort_values("layer")
    by_change = {change: rows[rows["change"] == change] for change in changes}
    return {change: blocks for change, blocks in by_change.items() if len(blocks)}


def _claims(changed: dict[str, pd.DataFrame], kind: str, rules: ShapeRules) -> list[Row]:
    claims = ((FLAT, ENCODER, flat_conditions), (BELL, DECODER, bell_conditions))
    rows: list[Row] = []
    for claim, claimed_of, conditions_of in claims:
        about: Row = {"claim": claim, "claimed_of": claimed_of, "section": "4.1", "kind": kind}
        change_rows = [
            about | {"change": change} | _decided(conditions_of(value, low, high, rules))
            for change, blocks in changed.items()
            if len(blocks) >= FEWEST
            for value, low, high in [_with_ends(blocks)]
        ]
        verdicts = {str(row["verdict_of_change"]) for row in change_rows} - {CANNOT}
        agreed = next(iter(verdicts), CANNOT) if len(verdicts) < 2 else DEPENDS
        rows += [row | {"verdict": agreed} for row in change_rows]
    return rows


def _decided(conditions: list[Condition]) -> Row:
    words = " and ".join(condition.words for condition in conditions)
    return statistics_of(conditions) | {
        "holds_if": words,
        "verdict_of_change": verdict_of(conditions),
    }


def _with_ends(blocks: pd.DataFrame) -> tuple[OverBlocks, OverBlocks, OverBlocks]:
    """Return values, low and high ends; the value where the interval was not measured."""
    value = blocks["value"]
    low, high = (blocks[end].fillna(value).to_numpy(dtype=float) for end in ("low", "high"))
    return value.to_numpy(dtype=float), low, high


def _model_rows(name: str, model: Profiled, measures: list[str], corpus: str) -> pd.DataFrame:
    rows = model.profiles
    rows = rows[rows["measure"].isin(measures) & (rows["corpus"] == corpus)]
    rows = rows[(rows["space"] == "token") & (rows["change"] == "as_is")]
    kind = kind_of_class(model.module)
    return rows.assign(name=name, label=model.label, kind=kind, seed=float("nan"))


def _run_rows(name: str, trained: Trained, measures: list[str]) -> pd.DataFrame:
    kind = kind_of_run(trained.run)
    rows = last_checkpoint(first_phase_rows(trained.dynamics))
    rows = rows[rows["measure"].isin(measures) & bool(kind)]
    rows = rows.assign(name=name, label=name.replace("_", " "), kind=kind, corpus="")
    return rows.assign(low=float("nan"), high=float("nan"))


main = ENCODERS_DECODERS.main(measure_encoders_decoders)

if __name__ == "__main__":
    run_stage(main, measure_encoders_decoders)
