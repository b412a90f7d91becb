"""Stage `compare_model_stitching`: which layers of two models of one vocabulary may be joined."""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Outcome, Table
from embspace.compare.both_models import WEIGHTS, both_models
from embspace.compare.model_states import TEXTS
from embspace.compare.model_stitching_joins import Bounds, Stitching, join_rows, joins
from embspace.compare.model_stitching_models import (
    OpenModel,
    StitchedModel,
    choose_texts,
    load_stitched_model,
    read_beginnings,
    reason_against,
)
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.parameters.stitching import explained_share
from embspace.measure.tables.columns import with_bounds
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

JOINS = Table(  # a row a direction, pair of layers, stitch and weights below
    {
        "lower_model": "row",
        "layer": "row",
        "upper_layer": "row",
        "stitch": "row",
        "weights": "row",
        "corpus": "name",
        "n": "count",
        "n_draws": "setting",
        **with_bounds("cosine", "profile", bound="profile_bound"),
        **with_bounds("nearest", "word_share"),
        "verdict": "trained_verdict",
        "explained_share": "moment",
        "reason": "name",
    }
)
MODEL_STITCHING = Analysis(
    noun="model_stitching",
    question="Do lower blocks of a model and upper blocks of another work together untrained?",
    reads={
        **both_models("model", load_stitched_model, *WEIGHTS),
        "texts": TEXTS,
    },
    tables={"csv": JOINS},
    verb="compare",
    over="compared",
)


def compare_model_stitching(
    model: StitchedModel,
    other_model: StitchedModel,
    texts: dict[str, pd.DataFrame],
    *,
    n_texts: PositiveInt,
    n_training: NonNegativeInt,
    longest: PositiveInt,
    ridge_strength: PositiveFloat,
    n_draws: PositiveInt,
    n_first: PositiveInt,
    bar: Share,
    least_texts: Annotated[int, Field(ge=4)],
    n_half_samples: PositiveInt,
    level: Share,
    seed: NonNegativeInt,
) -> Outcome:
    """Put the lower blocks of each of two models below the upper blocks of the other.

    Blocks 1..l of the lower model, then a stitch, then the blocks of the upper model above an
    equally deep layer. Stitches: `vocabulary`, x E_lower pinv(E_upper) (Dar et al. 2023, section
    5.2); `identity`, at equal widths; `trained`, a ridge regression on further texts; and random
    ones, `turned` and `shuffled tokens`. Beside the lower model (`weights: own`) stand the same
    architecture at `random` weights, and `no block`: the lower model's layer 0, by the same stitch
    into the same upper layer.

    `cosine` and `nearest` compare with the upper model's own last states of the same tokens, as
    `kept_states` does, in [-1, 1] and [0, 1]; the own lower blocks reach 1.
    Texts are the independent units. `explained_share` is the share of the lower embeddings that
    the upper ones explain. The rule of `verdict` stands beside the settings, with dates; layer 0
    has none. Models that cannot be stitched have a single row with the `reason`.

    Args:
        model: The first model.
        other_model: The second model.
        texts: The texts of every corpus.
        n_texts: Largest number of texts.
        n_training: Largest number of further texts for the trained stitch.
        longest: Tokens of a text, special ones included.
        ridge_strength: Of the trained stitch, over the mean variance of a dimension.
        n_draws: Random stitches of each kind.
        n_first: Texts of random stitches.
        bar: Least cosine, and share of texts found, of joined layers.
        least_texts: Least number of texts.
        n_half_samples: Half-samples of the texts.
        level: Of intervals.
        seed: Of random stitches, random weights and half-samples.
    """
    reason = reason_against(model, other_model)
    chosen = choose_texts(texts, n_texts=n_texts, n_training=n_training, least_texts=least_texts)
    if not reason and len(chosen.compared) < least_texts:
        reason = f"{chosen.corpus or 'no corpus'}: {len(chosen.compared)} texts"
    if reason or not (isinstance(model, OpenModel) and isinstance(other_model, OpenModel)):
        return {"csv": JOINS.of([{"reason": reason}])}
    how = Stitching(ridge_strength, n_draws, n_first, seed)
    bounds = Bounds(bar, n_half_samples, level, seed)
    rows: list[Row] = []
    with threadpool_limits(1):  # the same sums on any number of cores
        for lower, upper in ((model, other_model), (other_model, model)):
            window = min(longest, lower.window, upper.window)
            compared, training = (
                read_beginnings(part, upper.tokenizer, window)
                for part in (chosen.compared, chosen.training)
            )
            place: Row = {"lower_model": lower.name, "corpus": chosen.corpus}
            place["explained_share"] = explained_share(lower.embedding, upper.embedding)
            generator = stream_of(np.random.default_rng(seed), lower.name, upper.name)
            for join in joins(lower, upper, compared, training, how, generator):
                rows += [place | row for row in join_rows(join, bounds)]
    return {"csv": JOINS.of(rows)}


main = MODEL_STITCHING.main(compare_model_stitching)

if __name__ == "__main__":
    run_stage(main, compare_model_stitching, groups=("pair",))
