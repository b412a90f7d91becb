"""Stage `measure_pretraining_head_dynamics`: where heads look, over a published training."""

from typing import Annotated

import pandas as pd
from pydantic import Field, PositiveInt

from embspace.analysis import Analysis, Outcome, Table
from embspace.files.tables import Row
from embspace.measure.runs.head_dynamics_rows import HeadFeature, columns_of, head_rows
from embspace.measure.runs.published_training import READ, place_of, some_documents
from embspace.models.checkpoints import PublishedCheckpoint
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.models.windows import largest_window
from embspace.settings.model import Model
from embspace.settings.stage import run_stage
from embspace.train.heads import be_quiet

PRETRAINING_HEAD_DYNAMICS = Analysis(
    noun="pretraining_head_dynamics",
    question=(
        "Where did a model's attention heads look over its pretraining? [Of models whose "
        "checkpoints are on the hub](layers.md#over-a-published-training)"
    ),
    reads=READ,
    tables={"csv": Table(columns_of("profile"))},
    over="checkpointed",
)


def measure_pretraining_head_dynamics(
    name: str,
    model: Model,
    checkpoints: list[PublishedCheckpoint],
    texts: dict[str, pd.DataFrame],
    *,
    corpus: str,
    n_documents: PositiveInt,
    window_length: PositiveInt,
    features: Annotated[list[HeadFeature], Field(min_length=1)],
) -> Outcome:
    """Return a row per checkpoint, layer, head and feature, as in `measure_head_dynamics`.

    `texts` has the texts by corpus. `n_documents` of `corpus`, at equal distances, are read in
    disjoint windows. One checkpoint is in memory at a time.

    Raises:
        InputError: naming model and step, if a checkpoint was not fetched, differs from the fetched
            files, does not load, or gives no attention weights.
    """
    from tqdm import tqdm

    be_quiet()
    tokenizer = load_tokenizer(name, model)
    read = some_documents(texts[corpus], n_documents)
    rows: list[Row] = []
    for checkpoint in tqdm(checkpoints, desc="checkpoints", disable=None):
        module = load_model(checkpoint.name, checkpoint.model)
        length = min(window_length, largest_window(checkpoint.model, module))
        own = head_rows(module, tokenizer, length, read, features)
        rows += [{**place_of(checkpoint), **row} for row in own]
    return {"csv": pd.DataFrame(rows)}


main = PRETRAINING_HEAD_DYNAMICS.main(measure_pretraining_head_dynamics)

if __name__ == "__main__":
    run_stage(main, measure_pretraining_head_dynamics)
