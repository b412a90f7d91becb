"""Stage `measure_training_claims`: verdicts on the claims of Razzhigaev et al. for a run.

Razzhigaev et al. (2024), "The shape of learning" (arXiv 2311.05928), sections 4.1 to 4.3. The rules
that decide are in conf/measure/runs/training_claims.yaml; when they were fixed is in
data/published/razzhigaev_shape_of_learning.yaml.
"""

import pandas as pd

from embspace.analysis import Analysis, Outcome, Table
from embspace.measure.layers.layer_shapes import BELL, FLAT
from embspace.measure.layers.model_kinds import ENCODER, kind_of_run
from embspace.measure.runs.training_claims_rows import (
    COLUMNS,
    GROWTH,
    RISE_AND_FALL,
    ClaimRules,
    claim_rows,
)
from embspace.measure.tables.runs import RUN
from embspace.settings.run import Run
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

TRAINING_CLAIMS = Analysis(
    noun="training_claims",
    question="Which published claims on training hold of these runs?",
    reads={"dynamics": "results/dynamics/{run}.csv", "run": RUN},
    tables={"csv": Table(COLUMNS)},
    over="trained",
)


def measure_training_claims(
    dynamics: pd.DataFrame,
    run: Run,
    *,
    flat_range: Share,
    bell_height: Share,
    walk_p_value: Share,
    rank_correlation: Share,
    settled_share: Share,
    dimension_fall: Share,
) -> Outcome:
    """Return a row per claim and seed: one or two statistics, the bounds, and the verdict.

    At the checkpoints of the run's first phase, for the blocks. The paper averages over layers and
    does not mention the embeddings, layer 0: if layer 0 changes a verdict on a mean over layers,
    `verdict_with_embeddings`, the claim depends on the rule.

    - bell (4.1), of decoders: `top_variance_share` at the last checkpoint, the mean over the middle
      third of the blocks less the mean over the first and the last third, as a share of the mean
      over all, is above `bell_height`; the largest of all blocks is neither the first nor the last;
      and at most the share `walk_p_value` of random walks with the same steps is as much of a bell.
    - flat (4.1), of encoders: the blocks lie apart by at most `flat_range` of their mean: a slope
      is not flat.
    - growth (4.2): Spearman's correlation of the steps with the mean over blocks of
      `top_variance_share` is at least `rank_correlation`; and settling: the last quarter of
      checkpoints moves by no more than `settled_share` of the range of all. `low` and `high` are
      the extremes of both with one checkpoint left out.
    - rise and fall (4.3): the mean over blocks of `two_nn` is largest between the first and the
      last checkpoint, and both are lower by at least the share `dimension_fall`. `low` and `high`
      come from batches dealt anew, by the spread over batches; a single batch has none.

    If a condition holds for a part of an interval, or the interval is unknown, the claim is
    undecided.

    The paper makes the last two claims on decoders, in contrast to encoders (`claimed_of`). Both
    are tested for either kind. A run that only classifies has no row.
    """
    kind = kind_of_run(run)
    if not kind:
        return TRAINING_CLAIMS.empty()
    rules = ClaimRules(
        flat_range=flat_range,
        bell_height=bell_height,
        walk_p_value=walk_p_value,
        rank_correlation=rank_correlation,
        settled_share=settled_share,
        dimension_fall=dimension_fall,
    )
    over_layers = FLAT if kind == ENCODER else BELL
    rows = claim_rows(dynamics, kind, (over_layers, GROWTH, RISE_AND_FALL), rules)
    return {"csv": TRAINING_CLAIMS.tables["csv"].of(rows)}


main = TRAINING_CLAIMS.main(measure_training_claims)

if __name__ == "__main__":
    run_stage(main, measure_training_claims, groups=("train",))
