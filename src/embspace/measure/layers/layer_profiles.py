"""The measures of families at every layer of a model: with intervals, nulls and by sample size."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace

import numpy as np

from embspace.analysis import Column, Outcome, Source, Table
from embspace.clouds.layers import (
    FINAL_NORM,
    OF_ROWS,
    Change,
    CorpusStates,
    LayerCloud,
    after_final_norm,
    layer_clouds,
    load_corpora_states,
)
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.files.tables import Row
from embspace.geometry.inference.half_samples import estimate_over_texts
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.inference.sample_sizes import sample_size_curve
from embspace.geometry.measures.declaration import Family
from embspace.geometry.measures.registry import definitions
from embspace.measure.layers.layer_batches import (
    FEWEST,
    IN_ORDER,
    SPREAD,
    batches_of,
    in_order,
    measures_of_batches,
)
from embspace.measure.layers.layer_limits import within_range
from embspace.measure.layers.layer_nulls import DRAWN, null_rows
from embspace.measure.layers.layer_protocol import Protocol, drawn_measures, measures_of
from embspace.measure.layers.layer_steps import layers_in_steps

KEYS = ["corpus", "space", "change", "layer", "measure"]
ROWS: dict[str, Column] = dict.fromkeys(KEYS, "row")


def tables_by_kind(value: str, sample: str, null: str, near: str) -> dict[str, Table]:
    """Return the tables by the kinds of values, of few texts, of nulls and of near-equal counts."""
    return {
        "profiles": Table(
            {
                **ROWS,
                "value": value,
                **dict.fromkeys(["low", "high", "standard_error"], "profile_bound"),
                **dict.fromkeys(["n", "n_texts"], "count"),
                "dropped": near,
                "of_half": value,
                "converged": "count",
                "n_equal": near,
                "n_batches": "count",
                IN_ORDER: value,
                SPREAD: "profile_bound",
            }
        ),
        "nulls": Table(
            {
                **ROWS,
                "null": "row",
                "n": "count",
                "n_draws": "setting",
                "value": value,
                **dict.fromkeys(DRAWN, null),
            }
        ),
        "curves": Table(
            {
                **ROWS,
                "n_texts": "row",
                "n": "count",
                "n_draws": "setting",
                **dict.fromkeys(["mean", "smallest", "largest"], sample),
            }
        ),
    }


TABLES = tables_by_kind("profile", "profile", "profile_null", "count")
"""A row of `profiles` is a corpus, space, change, layer and measure; `nulls` and `curves` have
unchanged vectors alone, with a row per null, and per number of texts."""
NEIGHBOR_TABLES = tables_by_kind(
    "neighbor_profile", "neighbor_sample", "neighbor_null", "near_equal_count"
)
"""The same of measures by nearest neighbors, which pairs of nearly equal vectors move."""
CORPORA = Source(load_corpora_states, TEXT_FOLDERS, lists=["corpora"])
RANDOM_WEIGHTS = "data/measured/random_weights/{model}.parquet"


def layer_profiles(corpora: Mapping[str, CorpusStates], protocol: Protocol) -> Outcome:
    """Return every measure of the families by layer and corpus, in steps for a deep model.

    Measures of neighbors use disjoint batches of shuffled distinct vectors, averaged, with the
    standard deviation over batches; all other measures use all vectors together. If a norm follows
    the last block, the output of the norm stands beside the last layer, in spaces with names from
    `final_norm_` on.
    """
    from joblib import Parallel, delayed
    from tqdm import tqdm

    # The largest first: at the end, one core would wait for it.
    names = sorted(corpora, key=lambda name: -len(corpora[name].tokens))
    places = [
        (name, layer)
        for name in names
        for layer in layers_in_steps(corpora[name].n_layers, protocol.most_layers)
    ]
    calls = [delayed(_layer_tables)(name, corpora[name], layer, protocol) for name, layer in places]
    calls += [
        delayed(_after_final_norm)(name, corpora[name], protocol)
        for name in names
        if corpora[name].final_norm
    ]
    measured = Parallel(n_jobs=-1, return_as="generator")(calls)
    title = " and ".join(protocol.families)
    layers = list(tqdm(measured, total=len(calls), desc=title, disable=None))
    return {
        name: table.of(row for layer in layers for row in layer[name])
        for name, table in TABLES.items()
    }


def family_tables(outcome: Outcome, family: Family) -> Outcome:
    """Return the rows of the measures of one family."""
    names = {name for name, measure in definitions().items() if measure.family == family}
    return {
        name: table[table["measure"].isin(names)].reset_index(drop=True)
        for name, table in outcome.items()
    }


def _layer_tables(
    name: str, corpus: CorpusStates, layer: int, protocol: Protocol
) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {table: [] for table in TABLES}
    in_batches = protocol.batch_size is not None
    for space, change, cloud in layer_clouds(
        corpus, layer, protocol.changes, n_top=protocol.n_top, each_once=in_batches
    ):
        if protocol.families == ("context",) and cloud.word is None:
            continue  # pooled vectors owe nothing to a word
        place = {"corpus": name, "space": space, "change": change, "layer": layer}
        rng = stream_of(protocol.rng, name, space, change)
        # What changes coordinates is estimated from the whole; halves would get another change.
        halved = protocol if change in OF_ROWS else replace(protocol, n_half_samples=0)
        profile = list(_profile(cloud, halved, rng, change))
        made = {"profiles": [{**row, "n_equal": cloud.n_equal} for row in profile]}
        if change == "as_is" and len(cloud.x) >= FEWEST:
            values = {row["measure"]: row["value"] for row in profile}
            made |= {"nulls": list(null_rows(cloud, values, protocol, rng))}
            made |= {"curves": list(_curve(cloud, protocol, rng))}
        for table, rows in made.items():
            tables[table] += [{**place, **row} for row in rows]
    return tables


def _after_final_norm(name: str, corpus: CorpusStates, protocol: Protocol) -> dict[str, list[Row]]:
    """Return the rows of the final norm's output, under the number of the last layer."""
    tables = _layer_tables(name, after_final_norm(corpus), 0, protocol)
    layer = corpus.n_layers - 1
    return {
        table: [{**row, "space": f"{FINAL_NORM}{row['space']}", "layer": layer} for row in rows]
        for table, rows in tables.items()
    }


def _profile(
    cloud: LayerCloud, protocol: Protocol, rng: np.random.Generator, change: Change
) -> Iterator[Row]:
    """Yield the measures with intervals, and for unchanged vectors the slow measures, without.

    Measures named by the protocol are repeated over batches in the order of the texts.
    """
    as_is = change == "as_is"
    if protocol.batch_size is not None:
        n = None if as_is else protocol.n_batches_of_changes
        yield from measures_of_batches(cloud, protocol, rng, with_slow=as_is, n_batches=n)
        return
    for slow in (False, True) if as_is else (False,):
        estimates = estimate_over_texts(
            cloud.x,
            cloud.text,
            word=cloud.word,
            measures=measures_of(protocol, slow=slow),
            n_half_samples=0 if slow else protocol.n_half_samples,
            level=protocol.level,
            tolerance=protocol.tolerance,
            rng=rng,
        )
        for measure, estimate in estimates.items():
            is_repeated = as_is and measure in protocol.over_batches
            size = protocol.over_batches.get(measure, 0)
            facts = in_order(cloud.x, measure, size) if is_repeated else {}
            yield {"measure": measure, **asdict(within_range(estimate, measure)), **facts}


def _curve(cloud: LayerCloud, protocol: Protocol, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the measures of fewer texts; for measures of neighbors, within a single batch."""
    part = cloud.among(batches_of(cloud, protocol.batch_size, rng)[0])
    curves = sample_size_curve(
        part.x,
        part.text,
        word=part.word,
        measures=drawn_measures(protocol),
        shares=protocol.shares,
        n_draws=protocol.n_share_draws,
        rng=rng,
    )
    for measure, curve in curves.items():
        yield from ({"measure": measure, **asdict(point)} for point in curve)
