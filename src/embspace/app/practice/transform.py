"""Command `embspace transform`: the effect of centering, whitening and related maps on a corpus."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool

from embspace.app.practice.answers import Answer, interval
from embspace.app.practice.corpora import CorpusOfTexts, TextsOrVectors
from embspace.app.practice.lines import effect_lines, verdict
from embspace.app.practice.read_again import token_moments
from embspace.app.practice.reading import read_corpus
from embspace.errors import InputError, not_among
from embspace.geometry.practice.changes import (
    Affine,
    Ranks,
    top_coordinate_share,
    whitening,
)
from embspace.measure.practice.scored_versions import (
    LEVEL,
    check_neighbors,
    check_spread,
    half_of_documents,
    held_out,
)
from embspace.measure.practice.text_vectors import TextVectors, check_directions
from embspace.measure.practice.transforms import (
    USES,
    AppliedChange,
    best_of,
    fitted_changes,
    shapes_table,
    uses_table,
)
from embspace.settings.roots import find_root

NAMES = {
    "raw": "raw",
    "unit_length": "unit length",
    "centered": "centered",
    "top_1": "without 1 top component",
    "top_2": "without 2 top components",
    "top_3": "without 3 top components",
    "standardized": "standardized",
    "whitened": "whitened",
    "zipf_whitened": "Zipf-whitened",
    "ranks": "ranks (Spearman)",
}
ZIPF, RANKS = "zipf_whitened", "ranks"


@dataclass(frozen=True, eq=False)
class Transforms(Answer):
    """The answer, with the changes; ranks are not among the changes."""

    changes: Mapping[str, Affine]
    best: str
    """The change that surely helps most and surely harms nothing, or `raw`."""

    def save_change(self, file: Path, name: str | None = None) -> None:
        """Write a change, by default the best, as an .npz with `mean`, `matrix` and `is_unit`.

        `(x - mean) @ matrix` applies the change, and then unit length if `is_unit`.

        Raises:
            InputError: for an unknown name, an ending other than .npz, or no folder to write to.
        """
        name = self.best if name is None else name
        if name == RANKS:
            raise InputError(
                f"--change: found '{name}', allowed: {', '.join(self.changes)}; ranks are no "
                "(x - mean) @ matrix"
            )
        if name not in self.changes:
            raise InputError(f"--change: {not_among(name, [*self.changes])}")
        if file.suffix != ".npz":
            raise InputError(f"--save: found '{file}', allowed: a file that ends in .npz")
        change = self.changes[name]
        matrix = np.eye(len(change.mean)) if change.matrix is None else change.matrix
        try:
            np.savez(file, mean=change.mean, matrix=matrix, is_unit=change.is_unit)
        except OSError as error:
            raise InputError(f"{file}: {error.strerror}") from error


def transform(
    corpus: Any,
    model: Any = None,
    *,
    layer: int = -1,
    pooling: str | None = None,
    tokenizer: Any = None,
    vectors: Any = None,
    reading: Mapping[str, Any] | None = None,
) -> Transforms:
    """Return the effect of changes of coordinates on search, labels, pairs, hubness and anisotropy.

    `effects` has the value of every change and its paired difference from the raw vectors, with
    intervals over documents: `search`, the mean reciprocal rank of the first half of a text with
    the second half as the query; `pairs`, the share of other texts that are less like the first
    half than its second half is; `labels`, the share of 10 neighbors with the same label;
    `anisotropy`, the mean cosine; `hubness`. Changes are fitted on half of the documents and
    measured on the other half; `changes` has changes fitted on all texts. By cosine, `raw` and
    `unit_length` are equal except for their means. `zipf_whitened` uses the moments of tokens,
    weighted by the counts in the texts (Yokoi et al. 2024, arXiv:2411.00680), and needs a model and
    mean pooling. `ranks` compares by Spearman's correlation; `shape` has the share of the variance
    in a single coordinate.

    Arguments are as for `embspace.threshold`.

    Raises:
        InputError: as `read_corpus`, or for fewer than 30 texts.
    """
    read = read_corpus(corpus, model=model, tokenizer=tokenizer, vectors=vectors, reading=reading)
    cloud = read.at(layer, pooling).originals()
    check_directions(cloud)
    check_neighbors(cloud)
    check_spread(cloud)
    is_fitted = half_of_documents(cloud)
    measured, halves = held_out(cloud, read.halves_at(layer, pooling), is_fitted)
    by_half, by_all = _token_whitening(read, cloud, is_fitted)
    changes = fitted_changes(cloud.among(is_fitted)) | by_half
    versions: dict[str, AppliedChange] = {**changes, RANKS: Ranks()}
    effects = pd.concat(
        [uses_table(measured, halves, versions), shapes_table(measured, versions)],
        ignore_index=True,
    )
    best = best_of(effects)
    share = top_coordinate_share(measured.vectors)
    tables = {"effects": effects, "shape": pd.DataFrame({"top_coordinate_share": [share]})}
    return Transforms(
        "\n".join(_said(cloud, tables, best)),
        _sentence(cloud, effects, best),
        tables,
        fitted_changes(cloud) | by_all,
        best,
    )


def _token_whitening(
    read: TextsOrVectors, cloud: TextVectors, is_fitted: Bool[np.ndarray, " text"]
) -> tuple[dict[str, Affine], dict[str, Affine]]:
    """Return whitening by the tokens of fitted texts and of all texts; nothing without tokens.

    The vector of a text is the mean of the tokens' vectors; the change is then applied to the mean.
    """
    if not isinstance(read, CorpusOfTexts) or cloud.pooling != "mean" or cloud.layer is None:
        return {}, {}
    groups = dict(zip(cloud.table["id"], map(bool, is_fitted), strict=True))
    moments = token_moments(read, cloud.layer, groups, find_root())
    half, everything = moments[True], moments[True] + moments[False]
    return (
        {ZIPF: whitening(half.mean, half.covariance)},
        {ZIPF: whitening(everything.mean, everything.covariance)},
    )


def _said(cloud: TextVectors, tables: Mapping[str, pd.DataFrame], best: str) -> Iterator[str]:
    effects, share = tables["effects"], tables["shape"]["top_coordinate_share"].iloc[0]
    yield (
        f"{cloud.called}: {len(cloud):,} texts; one of {cloud.vectors.shape[1]:,} coordinates has "
        f"{100 * share:.1f} % of the variance"
    )
    n_measured = effects.loc[effects["task"] == "anisotropy", "n"].iloc[0]
    yield f"fitted on half of the documents, measured on {n_measured:,.0f} texts of the other half"
    for task in effects["task"].unique():
        quantity = effects.loc[effects["task"] == task, "quantity"].iloc[0]
        yield f"{task}: {quantity}, and less the raw vectors"
        yield from effect_lines(effects, task, NAMES)
    lacking = [task for task in ("search", "labels") if task not in {*effects["task"]}]
    needs = {
        "search": "20 documents or more with a text of four sentences",
        "labels": "labels (--label-column)",
    }
    for task in lacking:
        yield f"{task} not asked, which needs {needs[task]}"
    if ZIPF not in {*effects["version"]}:
        needs_tokens = "a model that reads texts, and --pooling mean"
        yield f"{NAMES[ZIPF]} not asked, which needs {needs_tokens}: tokens weigh by their number"
    if len(lacking) < 2:
        yield f"best: {NAMES[best]}" if best != "raw" else "no change surely helps without harm"
    if best in (RANKS, "raw"):
        alone = "the identity" if best == "raw" else "nothing, as ranks are no matrix"
        yield f"--save alone writes {alone}: name a change by --change"


def _sentence(cloud: TextVectors, effects: pd.DataFrame, best: str) -> str:
    """Return the result as a sentence for a paper."""
    parts = []
    name = best if best != "raw" else "whitened"
    n_changes = effects["version"].nunique() - 1
    n_measured = effects.loc[effects["task"] == "anisotropy", "n"].iloc[0]
    for _, row in effects[effects["version"] == name].iterrows():
        raw = effects[(effects["task"] == row["task"]) & (effects["version"] == "raw")].iloc[0]
        change = interval(row["difference"], row["difference_low"], row["difference_high"])
        mark = f", {verdict(row)}" if row["task"] in USES else ""
        n = "" if row["n"] == n_measured else f" ({row['n']:,.0f} texts)"
        parts.append(f"{row['quantity']}{n} {raw['value']:.3f}, difference {change}{mark}")
    return (
        f"On {n_measured:,.0f} texts of {cloud.called}, {NAMES[name]} vectors against raw ones: "
        f"{'; '.join(parts)} ({100 * LEVEL:g} % intervals over documents, paired, for all "
        f"{n_changes} changes at once; changes fitted on the other half of "
        "the documents)."
    )
