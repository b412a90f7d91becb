"""Stage `compare_training_claims`: what Razzhigaev et al. say of training, held against our runs.

Razzhigaev et al. (2024), "The shape of learning: anisotropy and intrinsic dimensions in transformer
models" (arXiv 2311.05928), sections 4.1 to 4.3. What decides each claim was fixed before any of our
numbers was looked at, and stands in conf/compare/training_claims.yaml.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from embspace.compare.encoders_decoders import kind_of_run, last_of_first_phase
from embspace.config import StageConfig, read_params, read_yaml, run_stage
from embspace.files.tables import load_table, save_table
from embspace.training_run import Run, describe_run

COLUMNS = ["claim", "run", "kind", "seed", "statistic", "value", "beside", "holds_if", "verdict"]
ANISOTROPY, DIMENSION = "top_variance_share", "two_nn"
Share = Annotated[float, Field(gt=0, lt=1)]
Row = dict[str, Any]


def compare_training_claims(
    dynamics: Mapping[str, pd.DataFrame],
    runs: Mapping[str, Run],
    *,
    bell_height: Share,
    rank_correlation: Share,
    settled_share: Share,
    dimension_fall: Share,
) -> pd.DataFrame:
    """One row a claim, run and seed: the statistic, what it is held to, and the verdict.

    Of the tokens of held-out texts as they are, of the first phase of each run:

    - bell (4.1): `top_variance_share` of the last checkpoint, its mean over the middle third of
      the blocks less that over the first and last third. In a decoder above `bell_height`, and the
      largest of all blocks neither first nor last; in an encoder no farther than it from 0.
    - growth (4.2): of a decoder, Spearman's correlation of the steps with the mean over layers of
      `top_variance_share`, at least `rank_correlation`; and then it settles: the last quarter of
      checkpoints moves by no more than `settled_share` of the range of all.
    - rise and fall (4.3): of a decoder, the mean over layers of `two_nn` is largest between the
      first and the last checkpoint, and both are lower by at least `dimension_fall` of it.
    """
    rows: list[Row] = []
    for name, table in dynamics.items():
        kind = kind_of_run(runs[name])
        if not kind:
            continue
        table = table[(table["change"] == "as_is") & (table["phase"] == table["phase"].iloc[0])]
        for seed, of_seed in table.groupby("seed", sort=False):
            found = [_bell(of_seed, kind, bell_height)]
            if kind == "decoder":
                found.append(_growth(of_seed, rank_correlation, settled_share))
                found.append(_rise_and_fall(of_seed, dimension_fall))
            rows += [{"run": name, "kind": kind, "seed": seed, **row} for row in found]
    return pd.DataFrame(rows, columns=COLUMNS)


def _bell(rows: pd.DataFrame, kind: str, height: float) -> Row:
    last = last_of_first_phase(rows[rows["measure"] == ANISOTROPY])
    blocks = last[last["layer"] > 0].sort_values("layer")["value"].to_numpy()
    third = max(len(blocks) // 3, 1)
    middle = blocks[third:-third]
    outside = np.concatenate([blocks[:third], blocks[-third:]])
    value = float(middle.mean() - outside.mean()) if len(middle) else float("nan")
    top = int(np.argmax(blocks)) + 1
    inside = 1 < top < len(blocks)
    if kind == "decoder":
        holds, rule = value > height and inside, f"> {height:g} and the top inside"
    else:
        holds, rule = abs(value) <= height, f"within {height:g} of 0"
    claim = "bell-shaped over layers" if kind == "decoder" else "flat over layers"
    return _row(claim, "middle less outer blocks; block of the top", value, top, rule, holds)


def _growth(rows: pd.DataFrame, correlation: float, settled: float) -> Row:
    from scipy.stats import spearmanr

    steps, means = _over_steps(rows, ANISOTROPY)
    value = float(spearmanr(steps, means).statistic) if np.ptp(means) else float("nan")
    late = means[-max(len(means) // 4, 2) :]
    moved = float(np.ptp(late) / np.ptp(means)) if np.ptp(means) else float("nan")
    rule = f">= {correlation:g} and the last quarter moves by <= {settled:g} of the range"
    holds = value >= correlation and moved <= settled
    words = "rank correlation with the step; share of the range moved last"
    return _row("anisotropy grows, then settles", words, value, moved, rule, holds)


def _rise_and_fall(rows: pd.DataFrame, fall: float) -> Row:
    _, means = _over_steps(rows, DIMENSION)
    top = float(means.max())
    rise, drop = 1 - float(means[0]) / top, 1 - float(means[-1]) / top
    rule = f"both >= {fall:g}"
    words = "rise to the top, fall from it, as shares of it"
    return _row("dimension rises, then falls", words, rise, drop, rule, min(rise, drop) >= fall)


def _over_steps(rows: pd.DataFrame, measure: str) -> tuple[np.ndarray, np.ndarray]:
    """The steps, and the mean over layers at each."""
    means = rows[rows["measure"] == measure].groupby("step")["value"].mean().sort_index()
    return means.index.to_numpy(), means.to_numpy()


def _row(claim: str, statistic: str, value: float, beside: float, rule: str, holds: bool) -> Row:
    verdict = "cannot be had" if np.isnan(value) else "matches" if holds else "differs"
    return {
        "claim": claim,
        "statistic": statistic,
        "value": value,
        "beside": beside,
        "holds_if": rule,
        "verdict": verdict,
    }


def main(config: StageConfig) -> None:
    """Load, call, save."""
    params = read_params()
    table = compare_training_claims(
        {name: load_table(f"results/dynamics/{name}.csv") for name in params.trained},
        {
            name: describe_run(name, read_yaml(Path(f"conf/train/{name}.yaml")))
            for name in params.trained
        },
        **config.settings,
    )
    save_table(table, "results/compare/training_claims.csv")


if __name__ == "__main__":
    run_stage(main, compare_training_claims, groups=())
