"""Stage `measure_rounding`: which measures of layers survive weights of few bits?

The fifth question of Luisto's thesis, section 5.2, by the rules of docs/open_questions.md.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.device import Device, choose_device
from embspace.measure.open_questions.rounding_states import (
    LargestCorpus,
    ReadTexts,
    TextReader,
    load_largest,
    load_text_reader,
    read_texts,
)
from embspace.measure.open_questions.rounding_values import (
    Full,
    full_values,
    likeness_rows,
    rounded_rows,
)
from embspace.measure.tables.columns import with_bounds
from embspace.models.parameters.rounded_weights import with_rounded_weights
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

PLACE: dict[str, Column] = {
    "bits": ("row", "bits"),
    "scales": ("row", "scales"),
    "layer": ("row", "layer"),
}
ROUNDING = Analysis(
    noun="rounding",
    question="Which measures of layers survive weights of few bits?",
    over="profiled",
    reads={
        "texts": Source(load_largest, "data/prepared/texts", lists=["corpora"]),
        "reader": Source(load_text_reader),
    },
    tables={
        "csv": Table(
            {
                **PLACE,
                "measure": ("row", "measure"),
                "value": ("profile", "rounded"),
                **with_bounds("full", "profile", "full precision", "profile_bound"),
                "verdict": ("name", "verdict"),
            }
        ),
        "likeness": Table(
            {
                **PLACE,
                "cosine": ("profile", "cosine with itself"),
                "cosine_quantile": ("profile", "1 % quantile"),
                "neighbors_kept": ("neighbor_share", "neighbors kept"),
            }
        ),
        "errors": Table(
            {
                "bits": ("row", "bits"),
                "scales": ("row", "scales"),
                "relative_error": ("profile", "error of weights"),
            }
        ),
    },
    scalars={"corpus": "name", "n_documents": "count", "n_tokens": "count"},
)


def measure_rounding(
    texts: LargestCorpus,
    reader: TextReader | None,
    *,
    bits: list[Annotated[int, Field(ge=2, le=16)]],
    block: PositiveInt,
    most_documents: Annotated[int, Field(ge=4)],
    n_tokens: PositiveInt,
    n_neighbors: PositiveInt,
    n_half_samples: PositiveInt,
    level: Probability,
    tokens_per_batch: PositiveInt,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure layers at full precision, with intervals over texts, and with rounded weights.

    Every matrix is rounded to nearest at all numbers of `bits`, with a scale per row (`row`) or per
    block of `block` entries (`block`). `csv` has the measures: `mean_cosine`, `two_nn` and
    `hubness` of ordinary tokens, and `reciprocal_rank` of second halves of texts among first halves
    by mean pooling. `verdict` is `keeps` inside the interval of full precision, `flips` outside by
    more than the interval's width, else `open`. `likeness` has a token's cosine with its own state
    at full precision, in [-1, 1], and the share of its nearest neighbors that stay. Empty for a
    model that reads no text, and with fewer than 4 documents.
    """
    chosen = texts.some(most_documents)
    if reader is None or chosen.n_documents < 4:
        return ROUNDING.empty(corpus="", n_documents=0, n_tokens=0)
    read = read_texts(chosen, reader, tokens_per_batch, choose_device(device))
    full = full_values(read, n_tokens, n_neighbors, n_half_samples, level, seed)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in ROUNDING.tables}
    for n in bits:
        for scales, size in (("row", None), ("block", block)):
            module, error = with_rounded_weights(reader.module, n, size)
            again = read_texts(
                chosen, reader.with_module(module), tokens_per_batch, choose_device(device)
            )
            place = {"bits": n, "scales": scales}
            for name, table_rows in _rows(again, full).items():
                rows[name] += [place | row for row in table_rows]
            rows["errors"].append(place | {"relative_error": error})
    tables = {name: table.of(rows[name]) for name, table in ROUNDING.tables.items()}
    counts = {
        "corpus": texts.name,
        "n_documents": chosen.n_documents,
        "n_tokens": len(full.sample),
    }
    return {**tables, "json": counts}


def _rows(read: ReadTexts, full: Full) -> Mapping[str, list[dict[str, Any]]]:
    return {"csv": list(rounded_rows(read, full)), "likeness": list(likeness_rows(read, full))}


main = ROUNDING.main(measure_rounding)

if __name__ == "__main__":
    run_stage(main, measure_rounding)
