"""Stage `measure_parameter_alignment`: the layers of a run's seeds, matched by their parameters."""

from collections.abc import Iterable
from itertools import combinations
from typing import Annotated

import pandas as pd
from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Outcome, Table
from embspace.files.tables import Row
from embspace.measure.parameters.parameter_alignment_claims import claim_rows
from embspace.measure.parameters.parameter_alignment_rows import (
    Protocol,
    aligned_rows,
    planted_rows,
)
from embspace.measure.parameters.run_checkpoints import TRAINED_MODELS
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.run_corpora import BASE
from embspace.models.parameters.groups import require_same_tokens
from embspace.models.parameters.read import ModelParameters
from embspace.settings.stage import run_stage
from embspace.settings.types import Share
from embspace.train.checkpoints import Checkpoint

TrainedModels = list[tuple[Checkpoint, ModelParameters]]
PLACE = dict.fromkeys(("phase", "step", "seed"), "row")
PAIR = {**PLACE, "other_seed": "row", "group": "row", "space": "row"}
PARAMETER_ALIGNMENT = Analysis(
    noun="parameter_alignment",
    question=(
        "Are the layers of two seeds matched by their parameters, through the vocabulary, and "
        "those of a copy that is turned and shuffled? With `make all`"
    ),
    reads={"models": TRAINED_MODELS, "base": BASE},
    tables={
        # A row two layers of two seeds, group of parameters and space, after all training.
        "similarity": Table(
            {**PAIR, "layer": "row", "other_layer": "row", "similarity": "trained_geometry"}
            | {"is_assigned": "trained_verdict"}
        ),
        # A row two seeds, group and space: the number of layers that are matched with themselves.
        "assignments": Table(
            {**PAIR, "n_layers": "count", "n_tokens": "count", "on_diagonal": "trained_matching"}
            | with_bounds("null_on_diagonal", "trained_statistic")
            | {"p_value": "trained_p_value", "total": "trained_geometry"}
            | {"margin": "trained_statistic", "diagonal_total": "trained_geometry"}
            | {"is_aligned": "trained_verdict"}
        ),
        # A row a group, space and noise: the number of layers of disguised copies that are found.
        "planted": Table(
            {**PLACE, "group": "row", "space": "row", "noise": "row"}
            | dict.fromkeys(("n_layers", "n_rows", "n_copies"), "count")
            | with_bounds("found", "trained_statistic")
            | {"chance": "setting", "smallest_margin": "trained_statistic"}
        ),
        "claims": Table(
            {"claim": "row", "phase": "name", "step": "count", "seed": "row"}
            | {"n_layers": "count", "n_groups": "count", "n_aligned": "trained_statistic"}
            | {"on_diagonal": "trained_statistic", "smallest_holm_p_value": "trained_statistic"}
            | {"holds_if": "name", "verdict": "trained_verdict"}
            | {"verdict_untrained": "trained_verdict"}
        ),
    },
    over="trained",
)


def measure_parameter_alignment(
    models: Iterable[tuple[Checkpoint, ModelParameters]],
    base: str | None,
    *,
    n_shuffles: PositiveInt,
    level: Share,
    noise: Annotated[list[NonNegativeFloat], Field(min_length=1)],
    n_copies: PositiveInt,
    n_copied_rows: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Match the layers of every two seeds at the same step, and the layers of disguised copies.

    `vocabulary`: mean |r| of two layers' parameters, r over the scores of tokens by the output
    embeddings (Dar et al. 2023, section 5). `raw`: r over the dimensions of the parameters
    themselves, the baseline. Layers are matched for the largest total; `on_diagonal` is the share
    of layers matched at the same depth. The null deals the rows of the second seed anew to the
    layers. Fixed before looking: seeds are aligned, `is_aligned`, if `on_diagonal` is above the
    null's range.

    Parameters are whole populations, without intervals. Copies of the first seed at the end of the
    first phase are disguised as in `found_layers`; the range is over copies.

    Args:
        models: Checkpoints with parameters, for every seed at the same steps; at least one.
        base: The model that all seeds start from; None for seeds that were trained apart.
        n_shuffles: Draws of the null.
        level: Of the null's range, and of the range over copies.
        noise: Of copies, in root mean squares of the parameters.
        n_copies: Copies per noise.
        n_copied_rows: Rows of a layer in a copy, drawn anew.
        seed: Of the null and the copies.

    Raises:
        InputError: if two seeds have different tokens, naming the first difference.
    """
    protocol, models = Protocol(n_shuffles=n_shuffles, level=level, seed=seed), [*models]
    with threadpool_limits(1):  # of products so small, several threads take longer
        similarity, assignments = _aligned(models, protocol)
        copied, parameters = _to_copy(models)
        place = {"phase": copied.phase, "step": copied.step, "seed": copied.seed}
        planted = [
            {**place, **row}
            for row in planted_rows(
                parameters, protocol, noise=noise, n_copies=n_copies, n_rows=n_copied_rows
            )
        ]
    table = PARAMETER_ALIGNMENT.tables["assignments"].of(assignments)
    claims = claim_rows(table, level=level, shares_base=base is not None)
    return {
        "similarity": pd.DataFrame(similarity),
        "assignments": table,
        "planted": pd.DataFrame(planted),
        "claims": pd.DataFrame(claims),
    }


def _aligned(models: TrainedModels, protocol: Protocol) -> tuple[list[Row], list[Row]]:
    """Return the cells of the last step's matrices of layers, and the assignments of all steps."""
    similarity, assignments, last = list[Row](), list[Row](), models[-1][0]
    for (first, one), (second, other) in combinations(models, 2):
        if (first.phase, first.step) != (second.phase, second.step):
            continue
        require_same_tokens(one.tokens, other.tokens, (str(first.folder), str(second.folder)))
        place = {"phase": first.phase, "step": first.step}
        place |= {"seed": first.seed, "other_seed": second.seed}
        for cells, whole in aligned_rows(one, other, protocol, place):
            if (first.phase, first.step) == (last.phase, last.step):
                similarity += [{**place, **row} for row in cells]
            assignments.append({**place, **whole})
    return similarity, assignments


def _to_copy(models: TrainedModels) -> tuple[Checkpoint, ModelParameters]:
    """Return the last model of the first seed's first phase."""
    first = models[0][0]
    same = [
        (checkpoint, parameters)
        for checkpoint, parameters in models
        if (checkpoint.seed, checkpoint.phase) == (first.seed, first.phase)
    ]
    return max(same, key=lambda model: model[0].step)


main = PARAMETER_ALIGNMENT.main(measure_parameter_alignment)

if __name__ == "__main__":
    run_stage(main, measure_parameter_alignment, groups=("train",))
