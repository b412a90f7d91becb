"""Tables of any vectors, in one line of Python; nothing is written.

Each table equals what the stage of that name makes of the vectors with the settings of conf/.

>>> import embspace
>>> tables = embspace.report_vectors("glove.npy", groups=["animal", "plant", ...])
>>> tables["similarity"]           # and pairs, nearest_neighbors, hubs, dimensions
>>> tables["group_similarity"]     # and separability
"""

import logging
from collections.abc import Callable, Iterable
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.app.queries.shown import ShownTables
from embspace.clouds.learned import FEWEST
from embspace.errors import InputError
from embspace.files.tables import coarse_quantiles
from embspace.files.vectors import checked_vectors, read_labeled_vectors
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.geometry.pairs.scan._blocks import METRICS
from embspace.geometry.pairs.vectors import as_array
from embspace.measure.learned.explained_variance import measure_explained_variance
from embspace.measure.learned.nearest_neighbors import measure_nearest_neighbors
from embspace.measure.learned.separability import measure_separability, separability_table
from embspace.measure.learned.similarity import measure_similarity
from embspace.measure.tables.summary import summary_of, summary_row
from embspace.models.tokenizer import numbered_vocabulary
from embspace.models.vectors import labeled_vocabulary
from embspace.settings.params import PARAMS, Params
from embspace.settings.roots import find_root
from embspace.settings.schema import read_yaml, validate
from embspace.settings.stage import checked_settings, settings_file

MOST_GROUPS = 100  # each two of them are a row


def report_vectors(
    vectors: Any,
    groups: Iterable[object] | None = None,
    labels: Iterable[object] | None = None,
    *,
    header: bool | None = None,
    separator: str | None = None,
) -> ShownTables:
    """Return tables of vectors (n, dim): a file for `read_vectors`, an array, a tensor or a list.

    `similarity`: norms, and distances, dot products and cosines of all pairs; `pairs`: pairs with
    the highest and the lowest cosine; `dimensions`: number of principal components that hold the
    variance; `nearest_neighbors`: distances to neighbors and k-occurrences, for the vectors
    (`input`) and for centered vectors at unit length (`input_centered`); `hubs`: the most frequent
    neighbors.

    With `groups`, a group per vector: `group_similarity`, the same for pairs within a group and
    between two groups; `separability`, the held-out AUC of a group against the rest. A group of a
    single vector has no pair, and a group with fewer vectors than folds no AUC.

    Settings come from the tree around the current folder, or from the installed embspace. `labels`
    name the vectors in the tables, by default by names in the file. `header` says whether the first
    row of a .csv has names, `separator` is the character between cells.

    Raises:
        InputError: if the vectors are no finite matrix of four rows or more, if the number of
            groups or labels differs, or with more than a hundred groups.
    """
    x, named = _read(vectors, header, separator)
    if len(x) < FEWEST:
        raise InputError(f"vectors: found {len(x)} rows, allowed: {FEWEST} or more")
    names = numbered_vocabulary(len(x)) if named is None else labeled_vocabulary(named)
    if labels is not None:
        names = labeled_vocabulary(pd.DataFrame({"label": _as_many(labels, "labels", len(x))}))
    group_names = [] if groups is None else _as_many(groups, "groups", len(x))
    group, number = np.unique(group_names, return_inverse=True)
    if len(group) > MOST_GROUPS:
        raise InputError(f"groups: found {len(group)}, allowed: {MOST_GROUPS} at most")
    root = find_root()
    tables = _ungrouped_tables(x, names, root)
    if groups is not None:
        tables["group_similarity"] = _group_similarity(x, group, number, root)
        tables["separability"] = _separability(x, group, number, root)
    for table in ("similarity", "group_similarity"):
        if table in tables and (warning := coarse_quantiles(tables[table])):
            logging.getLogger(__name__).warning("%s: %s", table, warning)
    return tables


def _read(
    vectors: Any, header: bool | None, separator: str | None
) -> tuple[Float[np.ndarray, "n dim"], pd.DataFrame | None]:
    if isinstance(vectors, str | Path):
        labeled = read_labeled_vectors(vectors, header=header, separator=separator)
        return labeled.vectors, labeled.labels
    return as_vectors(vectors), None


def as_vectors(vectors: Any) -> Float[np.ndarray, "n dim"]:
    """Return an array, tensor, data frame or lists as vectors in float32.

    Raises:
        InputError: if the vectors are no finite matrix.
    """
    try:
        return checked_vectors(np.asarray(as_array(vectors)), "vectors")
    except ValueError as error:
        raise InputError(f"vectors: {error}") from None


def _ungrouped_tables(
    x: Float[np.ndarray, "n dim"], names: pd.DataFrame, root: Path
) -> ShownTables:
    matrices = {"input": x}
    similarity = measure_similarity(matrices, names, **_settings(root, measure_similarity))
    neighbors = measure_nearest_neighbors(
        matrices, names, pd.DataFrame(), **_settings(root, measure_nearest_neighbors)
    )
    variance = measure_explained_variance(matrices, **_settings(root, measure_explained_variance))
    return ShownTables(
        similarity=similarity["summary"],
        pairs=similarity["pairs"],
        dimensions=variance["dimensions"],
        nearest_neighbors=neighbors["summary"],
        hubs=neighbors["hubs"],
    )


def _group_similarity(
    x: Float[np.ndarray, "n dim"], group: np.ndarray, number: Int[np.ndarray, " n"], root: Path
) -> pd.DataFrame:
    """Return a row per quantity and group or pair of groups; norms are of a single group."""
    settings = _settings(root, measure_similarity)
    quantiles, largest_norm = settings["quantiles"], norms(x).max()
    rows = []
    for a, b in combinations_with_replacement(range(len(group)), 2):
        about = {"group": group[a], "other_group": group[b]}
        first, second = x[number == a], x[number == b]
        if a == b:
            rows.append({**about, "quantity": "norm", **summary_of(norms(first), quantiles)})
        clouds = [first] if a == b else [first, second]
        if a == b and len(first) < 2:
            statistics = dict.fromkeys(METRICS, summary_of(np.empty(0), quantiles))
        else:
            scan = scan_pairs(*clouds, n_bins=settings["n_bins"], largest_norm=largest_norm)
            statistics = {
                metric: summary_row(scan.distributions[metric], quantiles) for metric in METRICS
            }
        rows += [{**about, "quantity": name, **row} for name, row in statistics.items()]
    return pd.DataFrame(rows)


def _separability(
    x: Float[np.ndarray, "n dim"], group: np.ndarray, number: Int[np.ndarray, " n"], root: Path
) -> pd.DataFrame:
    settings = _settings(root, measure_separability)
    columns = ["group", "n", "n_other", "preparation", "auc", "auc_standard_deviation"]
    tables = [pd.DataFrame(columns=[*columns, "null_auc", "null_auc_standard_deviation"])]
    for place, name in enumerate(group):
        label = number == place
        n, n_other = int(label.sum()), int((~label).sum())
        if min(n, n_other) < settings["n_folds"]:
            table = pd.DataFrame({"preparation": [""]})
        else:
            table = separability_table(x, label, **settings)
        tables.append(table.assign(group=name, n=n, n_other=n_other))
    return pd.concat(tables[1:], ignore_index=True).reindex(columns=tables[0].columns)


def _as_many(values: Iterable[object], what: str, n: int) -> list[str]:
    names = [str(value) for value in values]
    if len(names) != n:
        raise InputError(f"{what}: found {len(names)}, allowed: {n}, one for each vector")
    return names


def _settings(root: Path, function: Callable[..., Any]) -> dict[str, Any]:
    """Return the settings of a stage, as Hydra would give them."""
    params = validate(Params, read_yaml(root / PARAMS), str(root / PARAMS))
    file = settings_file(function, root)
    return checked_settings(function, read_yaml(file), params.model_dump(), str(file))
