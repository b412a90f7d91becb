"""Stage `measure_encoders_decoders`: a model's layers beside those of the others and of our runs.

Figure 1 of Razzhigaev et al. (2024), "The shape of learning" (arXiv 2311.05928).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.files.tables import Row, load_table, save_table
from embspace.measure.layers.model_kinds import (
    DECODER,
    ENCODER,
    kind_of_class,
    kind_of_run,
    last_checkpoint,
    of_first_phase,
)
from embspace.settings.model import describe_model
from embspace.settings.params import read_params
from embspace.settings.run import Run, describe_run
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Share

COLUMNS = ["name", "label", "kind", "seed", "corpus", "measure", "layer", "depth", "value", "low"]
COLUMNS += ["high", "n", "n_texts"]
CLAIM_COLUMNS = ["claim", "claimed_of", "section", "kind", "seed", "statistic", "value", "low"]
CLAIM_COLUMNS += ["high", "holds_if", "verdict"]
ANISOTROPY = "top_variance_share"
HEIGHT = "top variance share, middle third of the blocks less the others, over the mean"
FLAT, BELL = "flat over layers", "bell-shaped over layers"


@dataclass(frozen=True)
class EncodersDecoders:
    """The tables of the stage."""

    profiles: pd.DataFrame
    claims: pd.DataFrame


@dataclass(frozen=True)
class Profiled:
    """A model whose layers were profiled."""

    profiles: pd.DataFrame
    """Of all families that are shown."""
    module: str
    """The class of transformers that it is of."""
    label: str


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
    bell_height: Share,
) -> EncodersDecoders:
    """The layers of models and runs side by side, and what the paper claims of the first model.

    `profiles` has one row a model, or a seed of a run, and measure and layer; tokens as they are.

    Models read `corpus`; `low` and `high` are an interval over its texts. Runs read the texts
    that training held out, and are taken at the last checkpoint of their first phase; their seeds
    stand in the place of an interval. For the dimension each vector counts once. `kind` is encoder,
    of what learned to guess hidden tokens, or decoder, the next one; a run that only classifies is
    neither, and left out. `label` says what else a reader must know of a model, as that its weights
    were rounded, `n_texts` how many of the corpus it has read. `depth` is the layer's number over
    that of the last, from 0, the embeddings, to 1.

    `claims` has what section 4.1 says of encoders (flat) and of decoders (a bell), both asked of
    the first model whatever its kind, with `claimed_of`. `value` is how much higher
    `top_variance_share` is in the middle third of the blocks, as a share of its mean over all; its
    interval is recovered from those of the blocks (Zou & Donner 2008), too wide where they rise and
    fall together. Flat is within `bell_height`, a bell above it; undecided if the interval is not.
    """
    parts = [_of_model(name, each, measures, corpus) for name, each in profiled.items()]
    parts += [_of_run(name, each, measures) for name, each in trained.items()]
    parts = [part for part in parts if len(part)]
    if not parts:
        return EncodersDecoders(pd.DataFrame(columns=COLUMNS), pd.DataFrame(columns=CLAIM_COLUMNS))
    found = pd.concat(parts)
    depth = found["layer"] / found.groupby("name")["layer"].transform("max")
    table = found.assign(depth=depth).reindex(columns=COLUMNS).reset_index(drop=True)
    own = table[(table["name"] == next(iter(profiled), "")) & (table["measure"] == ANISOTROPY)]
    blocks = own[own["layer"] > 0].sort_values("layer")
    rows = _claims(blocks, bell_height) if len(blocks) > MOST_WITHOUT_A_MIDDLE else []
    return EncodersDecoders(table, pd.DataFrame(rows, columns=CLAIM_COLUMNS))


MOST_WITHOUT_A_MIDDLE = 2


def _claims(blocks: pd.DataFrame, height: float) -> list[Row]:
    value, low, high = _height(*(blocks[each].to_numpy() for each in ("value", "low", "high")))
    shared = {"section": "4.1", "kind": blocks["kind"].iloc[0], "statistic": HEIGHT}
    shared |= {"value": value, "low": low, "high": high}
    is_flat = _all_or_none(-height <= low and high <= height, low > height or high < -height)
    is_bell = _all_or_none(low > height, high <= height)
    return [
        {"claim": FLAT, "claimed_of": ENCODER, **shared}
        | {"holds_if": f"value >= {-height:g} and value <= {height:g}", "verdict": is_flat},
        {"claim": BELL, "claimed_of": DECODER, **shared}
        | {"holds_if": f"value > {height:g}", "verdict": is_bell},
    ]


def _all_or_none(matches: bool, differs: bool) -> str:
    return "matches" if matches else "differs" if differs else "undecided"


def _height(
    value: Float[np.ndarray, " block"],
    low: Float[np.ndarray, " block"],
    high: Float[np.ndarray, " block"],
) -> tuple[float, float, float]:
    """The middle third less the others, over the mean of all; and its interval."""
    third = len(value) // 3
    weights = np.full(len(value), -1.0 / (2 * third))
    weights[third:-third] = 1.0 / (len(value) - 2 * third)
    weights /= value.mean()
    found = float(weights @ value)
    down = np.where(weights > 0, value - low, high - value)
    up = np.where(weights > 0, high - value, value - low)
    below, above = (float(np.linalg.norm(weights * each)) for each in (down, up))
    return found, found - below, found + above


def _of_model(name: str, model: Profiled, measures: list[str], corpus: str) -> pd.DataFrame:
    rows = model.profiles
    rows = rows[rows["measure"].isin(measures) & (rows["corpus"] == corpus)]
    rows = rows[(rows["space"] == "token") & (rows["change"] == "as_is")]
    kind = kind_of_class(model.module)
    return rows.assign(name=name, label=model.label, kind=kind, seed=float("nan"))


def _of_run(name: str, trained: Trained, measures: list[str]) -> pd.DataFrame:
    kind = kind_of_run(trained.run)
    rows = last_checkpoint(of_first_phase(trained.dynamics))
    rows = rows[rows["measure"].isin(measures) & bool(kind)]
    rows = rows.assign(name=name, label=name.replace("_", " "), kind=kind, corpus="")
    return rows.assign(low=float("nan"), high=float("nan"))


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
            describe_model(name, read_yaml(Path(f"conf/model/{name}.yaml"))).label,
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
    save_table(table.profiles, f"results/encoders_decoders/{model}.csv")
    save_table(table.claims, f"results/encoders_decoders/claims/{model}.csv")


if __name__ == "__main__":
    run_stage(main, measure_encoders_decoders)
