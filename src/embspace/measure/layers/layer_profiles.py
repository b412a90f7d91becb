"""The measures of families at every layer of a model: with intervals, nulls and by sample size."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace

import numpy as np
import pandas as pd

from embspace.clouds.layers import (
    FINAL_NORM,
    OF_ROWS,
    Change,
    CorpusStates,
    LayerCloud,
    after_final_norm,
    layer_clouds,
)
from embspace.files.tables import Row
from embspace.geometry.inference.half_samples import TextEstimate, estimate_over_texts
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.inference.sample_sizes import SampleSize, sample_size_curve
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
COLUMNS = {
    "profiles": [
        *KEYS,
        *(field.name for field in fields(TextEstimate)),
        "n_equal",
        "n_batches",
        IN_ORDER,
        SPREAD,
    ],
    "nulls": [*KEYS, "null", "n", "n_draws", "value", *DRAWN],
    "curves": [*KEYS, *(field.name for field in fields(SampleSize))],
}


@dataclass(frozen=True)
class LayerProfiles:
    """The three tables of some families."""

    profiles: pd.DataFrame
    """One row a corpus, space, change, layer and measure."""
    nulls: pd.DataFrame
    """One row of those `as_is` and a null: the value and, on the same places, the null's."""
    curves: pd.DataFrame
    """One row of those `as_is` and a number of texts."""

    def of_family(self, family: Family) -> "LayerProfiles":
        """Return the rows of one of the families."""
        names = {name for name, each in definitions().items() if each.family == family}
        tables = (getattr(self, field.name) for field in fields(self))
        kept = (table[table["measure"].isin(names)] for table in tables)
        return LayerProfiles(*(table.reset_index(drop=True) for table in kept))


def layer_profiles(corpora: Mapping[str, CorpusStates], protocol: Protocol) -> LayerProfiles:
    """Return every measure of the families by layer and corpus, in steps for a deep model.

    Measures of neighbors use disjoint batches of shuffled distinct vectors, averaged, with the
    standard deviation over batches; all further measures use all vectors together. If a norm
    follows the last block, the output of the norm stands beside the last layer, in spaces with
    names from `final_norm_` on.
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
    calls = [delayed(_of_layer)(name, corpora[name], layer, protocol) for name, layer in places]
    calls += [
        delayed(_after_final_norm)(name, corpora[name], protocol)
        for name in names
        if corpora[name].final_norm
    ]
    found = Parallel(n_jobs=-1, return_as="generator")(calls)
    layers = list(tqdm(found, total=len(calls), desc=" and ".join(protocol.families), disable=None))
    tables = {
        table: pd.DataFrame([row for layer in layers for row in layer[table]], columns=columns)
        for table, columns in COLUMNS.items()
    }
    return LayerProfiles(**tables)


def _of_layer(
    name: str, corpus: CorpusStates, layer: int, protocol: Protocol
) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {table: [] for table in COLUMNS}
    of_neighbors = protocol.batch_size is not None
    for space, change, cloud in layer_clouds(
        corpus, layer, protocol.changes, n_top=protocol.n_top, each_once=of_neighbors
    ):
        if protocol.families == ("context",) and cloud.word is None:
            continue  # pooled vectors owe nothing to a word
        place = {"corpus": name, "space": space, "change": change, "layer": layer}
        rng = stream_of(protocol.rng, name, space, change)
        # What changes coordinates is estimated from the whole; halves would get another change.
        halved = protocol if change in OF_ROWS else replace(protocol, n_half_samples=0)
        profile = list(_profile(cloud, halved, rng, change))
        found = {"profiles": [{**row, "n_equal": cloud.n_equal} for row in profile]}
        if change == "as_is" and len(cloud.x) >= FEWEST:
            values = {row["measure"]: row["value"] for row in profile}
            found |= {"nulls": list(null_rows(cloud, values, protocol, rng))}
            found |= {"curves": list(_curve(cloud, protocol, rng))}
        for table, rows in found.items():
            tables[table] += [{**place, **row} for row in rows]
    return tables


def _after_final_norm(name: str, corpus: CorpusStates, protocol: Protocol) -> dict[str, list[Row]]:
    """The rows of what the norm makes of the last layer, under the number of that layer."""
    tables = _of_layer(name, after_final_norm(corpus), 0, protocol)
    layer = corpus.n_layers - 1
    return {
        table: [{**row, "space": f"{FINAL_NORM}{row['space']}", "layer": layer} for row in rows]
        for table, rows in tables.items()
    }


def _profile(
    cloud: LayerCloud, protocol: Protocol, rng: np.random.Generator, change: Change
) -> Iterator[Row]:
    """The measures with intervals, and for unchanged vectors the slow measures, without.

    Measures named by the protocol are repeated over batches in the order of the texts.
    """
    as_is = change == "as_is"
    if protocol.batch_size is not None:
        n = None if as_is else protocol.n_batches_of_changes
        yield from measures_of_batches(cloud, protocol, rng, with_slow=as_is, n_batches=n)
        return
    for slow in (False, True) if as_is else (False,):
        found = estimate_over_texts(
            cloud.x,
            cloud.text,
            word=cloud.word,
            measures=measures_of(protocol, slow=slow),
            n_half_samples=0 if slow else protocol.n_half_samples,
            level=protocol.level,
            tolerance=protocol.tolerance,
            rng=rng,
        )
        for measure, each in found.items():
            asked = as_is and measure in protocol.over_batches
            facts = in_order(cloud.x, measure, protocol.over_batches[measure]) if asked else {}
            yield {"measure": measure, **asdict(within_range(each, measure)), **facts}


def _curve(cloud: LayerCloud, protocol: Protocol, rng: np.random.Generator) -> Iterator[Row]:
    """The measures of fewer texts; of neighbors, within one batch."""
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
        yield from ({"measure": measure, **asdict(each)} for each in curve)
