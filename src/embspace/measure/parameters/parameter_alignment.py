"""Stage `measure_parameter_alignment`: the layers of a run's seeds, matched by their parameters."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

import pandas as pd
from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.extract.checkpoints import form_of
from embspace.files.tables import save_table
from embspace.measure.parameters.parameter_alignment_claims import claim_rows
from embspace.measure.parameters.parameter_alignment_rows import (
    ASSIGNMENTS,
    PLANTED,
    SIMILARITY,
    Protocol,
    aligned_rows,
    planted_rows,
)
from embspace.measure.parameters.run_checkpoints import (
    checkpoint_parameters,
    trained_checkpoints,
)
from embspace.models.parameters.groups import require_same_tokens
from embspace.models.parameters.read import ModelParameters
from embspace.settings.run import describe_run
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Share
from embspace.train.checkpoints import Checkpoint


@dataclass(frozen=True, eq=False)
class AlignmentTables:
    """The tables of a run."""

    similarity: pd.DataFrame
    """One row two layers of two seeds, group of parameters and space, after all training."""
    assignments: pd.DataFrame
    """One row two seeds, group and space: how many layers are matched with themselves."""
    planted: pd.DataFrame
    """One row a group, space and noise: how many layers of disguised copies are found."""


def measure_parameter_alignment(
    models: Sequence[tuple[Checkpoint, ModelParameters]],
    *,
    n_shuffles: PositiveInt,
    level: Share,
    noise: Annotated[list[NonNegativeFloat], Field(min_length=1)],
    n_copies: PositiveInt,
    n_copied_rows: PositiveInt,
    seed: NonNegativeInt,
) -> AlignmentTables:
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
        n_shuffles: Draws of the null.
        level: Of the null's range, and of the range over copies.
        noise: Of copies, in root mean squares of the parameters.
        n_copies: Copies per noise.
        n_copied_rows: Rows of a layer in a copy, drawn anew.
        seed: Of the null and the copies.

    Raises:
        InputError: if two seeds have different tokens, naming the first difference.
    """
    protocol = Protocol(n_shuffles=n_shuffles, level=level, seed=seed)
    similarity, assignments, last = [], [], models[-1][0]
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
    copied, parameters = _to_copy(models)
    place = {"phase": copied.phase, "step": copied.step, "seed": copied.seed}
    planted = [
        {**place, **row}
        for row in planted_rows(
            parameters, protocol, noise=noise, n_copies=n_copies, n_rows=n_copied_rows
        )
    ]
    return AlignmentTables(
        pd.DataFrame(similarity, columns=SIMILARITY),
        pd.DataFrame(assignments, columns=ASSIGNMENTS),
        pd.DataFrame(planted, columns=PLANTED),
    )


def _to_copy(
    models: Sequence[tuple[Checkpoint, ModelParameters]],
) -> tuple[Checkpoint, ModelParameters]:
    """Return the last model of the first seed's first phase."""
    first = models[0][0]
    same = [each for each in models if (each[0].seed, each[0].phase) == (first.seed, first.phase)]
    return max(same, key=lambda each: each[0].step)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.train_name
    run = describe_run(name, config.train)
    final_norm = form_of(name, run)["final_norm"]
    checkpoints = trained_checkpoints(f"data/trained/{name}", run)
    models = [(each, checkpoint_parameters(run, each, final_norm)) for each in checkpoints]
    with threadpool_limits(1):  # of products so small, several threads take longer
        found = measure_parameter_alignment(models, **config.settings)
    claims = claim_rows(
        found.assignments, level=config.settings["level"], shares_base=run.base is not None
    )
    save_table(found.similarity, f"results/parameter_alignment/similarity/{name}.csv")
    save_table(found.assignments, f"results/parameter_alignment/assignments/{name}.csv")
    save_table(found.planted, f"results/parameter_alignment/planted/{name}.csv")
    save_table(claims, f"results/parameter_alignment/claims/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_parameter_alignment, groups=("train",))
