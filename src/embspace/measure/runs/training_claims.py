"""Stage `measure_training_claims`: what Razzhigaev et al. say of training, held against a run.

Razzhigaev et al. (2024), "The shape of learning" (arXiv 2311.05928), sections 4.1 to 4.3. What
decides each claim stands in conf/measure/runs/training_claims.yaml; when it was fixed,
data/published/razzhigaev_shape_of_learning.yaml says.
"""

import operator
from collections.abc import Iterator

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.files.tables import Row, load_table, save_table
from embspace.measure.layers.model_kinds import (
    DECODER,
    kind_of_run,
    last_checkpoint,
    of_first_phase,
)
from embspace.settings.run import Run, describe_run
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Share

COLUMNS = ["claim", "section", "kind", "seed", "statistic", "value", "second_statistic"]
COLUMNS += ["second_value", "holds_if", "verdict_with_embeddings", "verdict"]
ANISOTROPY, DIMENSION = "top_variance_share", "two_nn"
CANNOT = "cannot be had"
COMPARISONS = {"<=": operator.le, ">": operator.gt, ">=": operator.ge}
Condition = tuple[str, str, float]
"""A column, a comparison and what it is compared with."""


def measure_training_claims(
    dynamics: pd.DataFrame,
    run: Run,
    *,
    bell_height: Share,
    rank_correlation: Share,
    settled_share: Share,
    dimension_fall: Share,
) -> pd.DataFrame:
    """One row a claim and seed: one or two statistics, what they are held to, and the verdict.

    At the checkpoints of the run's first phase, of the blocks. The paper averages over layers and
    does not say whether the embeddings, layer 0, are one: where a verdict on a mean over layers is
    another with them, `verdict_with_embeddings`, the claim depends on the rule.

    - bell (4.1): `top_variance_share` at the last checkpoint, its mean over the middle third of the
      blocks less that over the first and the last third, as a share of the mean over all. Of a
      decoder above `bell_height`, and the largest of all blocks is neither the first nor the last;
      of an encoder within it.
    - growth (4.2): of a decoder, Spearman's correlation of the steps with the mean over blocks of
      `top_variance_share`, at least `rank_correlation`; and then it settles: the last quarter of
      checkpoints moves by no more than `settled_share` of the range of all.
    - rise and fall (4.3): of a decoder, the mean over blocks of `two_nn` is largest between the
      first and the last checkpoint, and both are lower by at least `dimension_fall` of it.

    A run that only classifies has no row.
    """
    kind = kind_of_run(run)
    rows: list[Row] = []
    for seed, of_seed in of_first_phase(dynamics).groupby("seed", sort=False) if kind else ():
        profile = _profile(of_seed[of_seed["layer"] > 0])
        if kind == DECODER:
            found = [
                _bell(profile, bell_height),
                *_over_training(of_seed, rank_correlation, settled_share, dimension_fall),
            ]
        else:
            found = [_flat(profile, bell_height)]
        rows += [{"kind": kind, "seed": seed, **row} for row in found]
    return pd.DataFrame(rows, columns=COLUMNS)


def _over_training(
    rows: pd.DataFrame, correlation: float, settled: float, fall: float
) -> Iterator[Row]:
    """The claims on a mean over layers: by the blocks alone, beside the verdict with layer 0."""

    def of(layers: pd.DataFrame) -> tuple[Row, Row]:
        growth = _growth(*_over_steps(layers, ANISOTROPY), correlation, settled)
        return growth, _rise_and_fall(_over_steps(layers, DIMENSION)[1], fall)

    for row, other in zip(of(rows[rows["layer"] > 0]), of(rows), strict=True):
        same = other["verdict"] in (row["verdict"], CANNOT)
        verdict = row["verdict"] if same or row["verdict"] == CANNOT else "depends on the rule"
        yield row | {"verdict_with_embeddings": other["verdict"], "verdict": verdict}


def _profile(rows: pd.DataFrame) -> Float[np.ndarray, " block"]:
    last = last_checkpoint(rows[rows["measure"] == ANISOTROPY])
    return last.sort_values("layer")["value"].to_numpy(dtype=float)


def _over_steps(
    rows: pd.DataFrame, measure: str
) -> tuple[Int[np.ndarray, " step"], Float[np.ndarray, " step"]]:
    """The steps, and the mean over blocks at each."""
    means = rows[rows["measure"] == measure].groupby("step")["value"].mean().sort_index()
    return means.index.to_numpy(), means.to_numpy(dtype=float)


def _height(profile: Float[np.ndarray, " block"]) -> float:
    """The mean of the middle third of the blocks less that of the others, over that of all."""
    third = max(len(profile) // 3, 1)
    middle = profile[third:-third]
    outside = np.concatenate([profile[:third], profile[-third:]])
    if not len(middle):
        return float("nan")
    return float((middle.mean() - outside.mean()) / profile.mean())


HEIGHT = "top variance share, middle third of the blocks less the others, over the mean"


def _bell(profile: Float[np.ndarray, " block"], height: float) -> Row:
    inner = profile[1:-1]
    outer = profile[[0, -1]] if len(inner) else profile
    return _row(
        "bell-shaped over layers",
        "4.1",
        (HEIGHT, _height(profile)),
        (
            "largest of the inner blocks less the larger of the first and the last",
            float(inner.max() - outer.max()) if len(inner) else float("nan"),
        ),
        [("value", ">", height), ("second_value", ">", 0.0)],
    )


def _flat(profile: Float[np.ndarray, " block"], height: float) -> Row:
    conditions = [("value", ">=", -height), ("value", "<=", height)]
    return _row(
        "flat over layers", "4.1", (HEIGHT, _height(profile)), ("", float("nan")), conditions
    )


def _growth(
    steps: Int[np.ndarray, " step"],
    means: Float[np.ndarray, " step"],
    correlation: float,
    settled: float,
) -> Row:
    moves = len(means) > 1 and np.ptp(means) > 0
    late = means[-max(len(means) // 4, 2) :]
    return _row(
        "anisotropy grows, then settles",
        "4.2",
        (
            "rank correlation of the step with the top variance share, mean over blocks",
            _rank_correlation(steps, means) if moves else float("nan"),
        ),
        (
            "share of its range that the last quarter of checkpoints moves by",
            float(np.ptp(late) / np.ptp(means)) if moves else float("nan"),
        ),
        [("value", ">=", correlation), ("second_value", "<=", settled)],
    )


def _rank_correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's. Not from scipy.stats, which takes a second to import."""
    both = pd.DataFrame({"x": x, "y": y})
    return float(both.corr(method="spearman").to_numpy()[0, 1])


def _rise_and_fall(means: Float[np.ndarray, " step"], fall: float) -> Row:
    top = means.max() if len(means) else float("nan")
    first, last = means[[0, -1]] if len(means) else (float("nan"), float("nan"))
    return _row(
        "dimension rises, then falls",
        "4.3",
        (
            "rise of the TwoNN dimension, mean over blocks, to its largest, as a share of that",
            1 - first / top,
        ),
        ("fall from its largest to the last checkpoint, as a share of that", 1 - last / top),
        [("value", ">=", fall), ("second_value", ">=", fall)],
    )


def _row(
    claim: str,
    section: str,
    first: tuple[str, float],
    second: tuple[str, float],
    conditions: list[Condition],
) -> Row:
    """`first` and `second` are a statistic in words and its value."""
    values = {"value": first[1], "second_value": second[1]}
    if any(np.isnan(values[name]) for name, _, _ in conditions):
        verdict = CANNOT
    else:
        holds = all(COMPARISONS[sign](values[name], bound) for name, sign, bound in conditions)
        verdict = "matches" if holds else "differs"
    return {
        "claim": claim,
        "section": section,
        "statistic": first[0],
        "second_statistic": second[0],
        **values,
        "holds_if": " and ".join(f"{name} {sign} {bound:g}" for name, sign, bound in conditions),
        "verdict": verdict,
    }


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.train_name
    run = describe_run(name, config.train)
    dynamics = load_table(f"results/dynamics/{name}.csv")
    table = measure_training_claims(dynamics, run, **config.settings)
    save_table(table, f"results/training_claims/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_training_claims, groups=("train",))
