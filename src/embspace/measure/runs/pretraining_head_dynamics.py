"""Stage `measure_pretraining_head_dynamics`: where heads look, over a published training."""

from typing import Annotated

import pandas as pd
from pydantic import Field, PositiveInt

from embspace.files.rows import load_rows
from embspace.files.scalars import load_scalars
from embspace.files.tables import Row, save_table
from embspace.measure.runs.head_dynamics_rows import COLUMNS, HeadFeature, head_rows
from embspace.measure.runs.pretraining_dynamics import PLACE, some_documents
from embspace.models.checkpoints import PublishedCheckpoint, published_checkpoints
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.models.windows import largest_window
from embspace.settings.model import Model, describe_model
from embspace.settings.stage import StageConfig, run_stage
from embspace.train.heads import be_quiet


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
) -> pd.DataFrame:
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
    for each in tqdm(checkpoints, desc="checkpoints", disable=None):
        module = load_model(each.name, each.model)
        length = min(window_length, largest_window(each.model, module))
        found = head_rows(module, tokenizer, length, read, features)
        rows += [{**PLACE, "step": each.step, **row} for row in found]
    return pd.DataFrame(rows, columns=COLUMNS)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name, corpus = config.model_name, config.settings["corpus"]
    model = describe_model(name, config.model)
    pins = load_scalars(f"data/prepared/checkpoints/{name}.json")
    table = measure_pretraining_head_dynamics(
        name,
        model,
        [each for each in published_checkpoints(name, model) if str(each.step) in pins],
        {corpus: load_rows(f"data/prepared/texts/{corpus}.parquet")},
        **config.settings,
    )
    save_table(table, f"results/pretraining_head_dynamics/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_pretraining_head_dynamics)
