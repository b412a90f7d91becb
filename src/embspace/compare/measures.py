"""Stage `compare_measures`: what was measured of two models, side by side, and the difference.

One stage for many tables of results: subtracting them is the same work, and a stage for each
would be as many for every set of models.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from embspace.compare.paired_bounds import BOUNDS, OF_HALVES, paired_bounds
from embspace.files.rows import load_rows
from embspace.files.tables import load_table, save_table
from embspace.measure.tables.summary import Probability
from embspace.settings.stage import StageConfig, run_stage


@dataclass(frozen=True)
class Source:
    """A table of results, and what of it is compared."""

    noun: str
    table: str
    file: str
    """With a blank for the model's name."""
    keys: tuple[str, ...]
    """Columns that say what a row is about; together the `group`."""
    along: str | None
    """A numeric column along which a group runs."""
    quantities: tuple[str, ...]
    halves: str | None = None
    """The file of what halves of the units say; a whole population, such as a learned matrix, has
    none."""


SUMMARY = ("n", "mean", "standard_deviation", "minimum", "quantile_0.5", "maximum")
SOURCES = (
    Source(
        "similarity",
        "summary",
        "results/similarity/summary/{}.csv",
        ("space", "quantity"),
        None,
        SUMMARY,
    ),
    Source(
        "explained_variance",
        "dimensions",
        "results/explained_variance/dimensions/{}.csv",
        ("space",),
        "share",
        ("dim", "n_components", "null_n_components"),
    ),
    Source(
        "explained_variance",
        "curve",
        "results/explained_variance/curve/{}.csv",
        ("space",),
        "n_components",
        ("cumulative_explained_variance",),
    ),
    Source(
        "positions",
        "properties",
        "results/positions/properties/{}.csv",
        ("positions", "property"),
        "largest_offset",
        ("value",),
    ),
    Source(
        "positions",
        "profiles",
        "results/positions/profiles/{}.csv",
        (),
        "offset",
        ("mean",),
    ),
    Source(
        "evolution",
        "layers",
        "results/evolution/layers/{}.csv",
        ("tokens", "quantity"),
        "layer",
        ("mean",),
        halves="data/measured/evolution/{}.parquet",
    ),
    Source(
        "evolution",
        "shared_steps",
        "results/evolution/shared_steps/{}.csv",
        ("tokens", "first_layer"),
        "last_layer",
        ("shared_energy",),
        halves="data/measured/evolution/{}.parquet",
    ),
    Source(
        "search",
        "search",
        "results/search/{}.csv",
        ("corpus", "embedding", "preparation"),
        "layer",
        ("mean_reciprocal_rank", "recall_at_1", "recall_at_10"),
        halves="data/measured/search/{}.parquet",
    ),
    Source(
        "probing",
        "accuracy",
        "results/probing/accuracy/{}.csv",
        ("features", "weights", "probe", "task"),
        "layer",
        ("accuracy",),
        halves="data/measured/probing/{}.parquet",
    ),
    Source(
        "homonyms",
        "layers",
        "results/homonyms/layers/{}.csv",
        ("preparation", "quantity"),
        "layer",
        ("difference", "ratio", "relative_difference", "share_apart"),
        halves="data/measured/homonyms/{}.parquet",
    ),
    Source(
        "homonyms",
        "recovery",
        "results/homonyms/recovery/{}.csv",
        ("preparation", "quantity"),
        "layer",
        ("accuracy", "context_accuracy", "context_gain", "bag_of_words_gain"),
        halves="data/measured/homonyms/{}.parquet",
    ),
    Source(
        "homonyms",
        "drift",
        "results/homonyms/drift/{}.csv",
        ("preparation", "quantity", "statistic"),
        "first_layer",
        ("slope",),
        halves="data/measured/homonyms/{}.parquet",
    ),
    Source(
        "synonyms",
        "groups",
        "results/synonyms/groups/{}.csv",
        ("sentences", "pooling"),
        "layer",
        (
            "within_cosine",
            "between_cosine",
            "within_minus_between_cosine",
            "within_euclidean_distance",
            "between_euclidean_distance",
            "silhouette",
            "nearest_in_group",
        ),
        halves="data/measured/synonyms/{}.parquet",
    ),
    Source(
        "synonyms",
        "group_pairs",
        "results/synonyms/group_pairs/{}.csv",
        ("group_1", "group_2", "pooling"),
        "layer",
        ("cosine", "euclidean_distance"),
        halves="data/measured/synonyms/{}.parquet",
    ),
    Source(
        "synonyms",
        "slots",
        "results/synonyms/slots/{}.csv",
        ("group", "pooling", "n_changed"),
        "layer",
        ("cosine", "euclidean_distance", "relative_distance", "additivity"),
        halves="data/measured/synonyms/{}.parquet",
    ),
    Source(
        "synonyms",
        "contrasts",
        "results/synonyms/contrasts/{}.csv",
        ("kind", "pooling"),
        "layer",
        ("cosine", "paraphrase_minus_kind_cosine", "relative_similarity", "auc"),
        halves="data/measured/synonyms/{}.parquet",
    ),
    Source(
        "differences",
        "categories",
        "results/differences/categories/{}.csv",
        ("pooling", "category"),
        "layer",
        ("consistency",),
        halves="data/measured/differences/{}.parquet",
    ),
    Source(
        "differences",
        "cosines",
        "results/differences/cosines/{}.csv",
        ("pooling", "category_1", "category_2"),
        "layer",
        ("cosine", "corrected_cosine"),
        halves="data/measured/differences/{}.parquet",
    ),
    Source(
        "text_clouds",
        "distributions",
        "results/text_clouds/distributions/{}.csv",
        ("corpus", "other_corpus", "pooling", "quantity"),
        "layer",
        ("mean",),
        halves="data/measured/text_clouds/{}.parquet",
    ),
    Source(
        "text_clouds",
        "positive",
        "results/text_clouds/positive/{}.csv",
        ("corpus", "other_corpus", "pooling"),
        "layer",
        ("share_not_positive", "centred_share_not_positive", "mean_share"),
        halves="data/measured/text_clouds/{}.parquet",
    ),
)
PLACE = ["group", "at", "quantity"]
COLUMNS = ["model", "other_model", "noun", "table", "group", "along", "at", "quantity"]
COLUMNS += ["model_value", "other_model_value", "difference", *BOUNDS]

Results = Mapping[str, Mapping[str, pd.DataFrame]]


def compare_measures(results: Results, halves: Results, *, level: Probability) -> pd.DataFrame:
    """Each quantity of `SOURCES` in two models, and that of the first less that of the other.

    `results` are the tables by file and model, `halves` likewise how far halves of
    the units lie from all, of `embspace.measure.tables.deviations`. Rows go together that say
    the same; so
    do layers of the same number, whatever share of a model's depth that is. What only one model
    has, a longer profile for instance, has no difference.

    The bounds of the difference are of halves of the `n_paired` units, whether texts, words or
    pairs of sentences, that are the same in both models: what a unit does to both cancels. Bounds
    of two single models say nothing of their difference, and are not used. `no_bounds` says why
    there are none. Learned matrices are whole populations, whose differences are exact; the
    tokens of one text are not independent; and two models may have kept other units, words for
    instance that are single tokens. Empty for one model.
    """
    parts = []
    models = next(iter(results.values()))
    for one, other in combinations(models, 2):
        for source in SOURCES:
            tables = results[source.file]
            joint = _joint(source, tables[one], tables[other])
            of_halves = (
                _placed_halves(source, tables[name], halves[source.halves][name])
                for name in (one, other)
                if source.halves
            )
            joint = _with_bounds(joint, *of_halves, level=level)
            joint = joint.assign(model=one, other_model=other, noun=source.noun)
            joint = joint.assign(table=source.table, along=source.along or np.nan)
            parts.append(joint[COLUMNS])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def _joint(source: Source, one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """One row a group, place and quantity that either has, in the order of the tables."""
    places = pd.concat([_places(source, one), _places(source, other)])
    quantities = pd.DataFrame({"quantity": source.quantities})
    rows = places.drop_duplicates(ignore_index=True).merge(quantities, how="cross")
    for name, table in (("model_value", one), ("other_model_value", other)):
        # A table without rows, as of a corpus with too few documents, may lack the quantities too.
        of_table = table.reindex(columns=source.quantities) if table.empty else table
        values = _places(source, table).join(of_table[list(source.quantities)])
        # A table may have a column `value` of its own.
        long = values.melt(PLACE[:2], var_name="quantity", value_name="its_value")
        rows = rows.merge(long, "left", PLACE).rename(columns={"its_value": name})
    rows = rows.dropna(subset=["model_value", "other_model_value"], how="all", ignore_index=True)
    return rows.assign(difference=rows["model_value"] - rows["other_model_value"])


def _places(source: Source, table: pd.DataFrame) -> pd.DataFrame:
    """What the rows are about: the group, and the place along it."""
    keys = table[list(source.keys)].astype(str).itertuples(index=False)
    at = table[source.along].astype(np.float64) if source.along else np.nan
    return pd.DataFrame({"group": [" / ".join(key) for key in keys], "at": at}, table.index)


def _placed_halves(source: Source, table: pd.DataFrame, halves: pd.DataFrame) -> pd.DataFrame:
    """The deviations of halves, by what their rows of `table` are about."""
    of_table = halves[halves["table"] == source.table]
    places = _places(source, table).reset_index(names="row")
    return of_table.merge(places, on="row")[[*PLACE, *OF_HALVES]]


def _with_bounds(joint: pd.DataFrame, *halves: pd.DataFrame, level: float) -> pd.DataFrame:
    """The table with the bounds of its differences; a population has no halves."""
    of_both = (joint[PLACE].merge(each, "left", PLACE) for each in halves)
    columns = paired_bounds(joint["difference"], *of_both, level=level)
    return joint.join(columns)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    results = {
        source.file: {name: load_table(source.file.format(name)) for name in config.models}
        for source in SOURCES
    }
    halves = {
        file: {name: load_rows(file.format(name)) for name in config.models}
        for file in dict.fromkeys(source.halves for source in SOURCES if source.halves)
    }
    save_table(compare_measures(results, halves, **config.settings), "results/compare/measures.csv")


if __name__ == "__main__":
    run_stage(main, compare_measures, groups=())
