"""Command `embspace tokens`: entries of a vocabulary missed by all texts, or by training."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.app.queries.shown import ShownAsText
from embspace.errors import counted
from embspace.geometry.parameters.untrained_rows import (
    FEWEST,
    SEPARATES,
    Suspects,
    suspects,
    untrained_indicators,
)
from embspace.settings.own import called

if TYPE_CHECKING:
    from embspace.loaded.model import LoadedModel

N_SHOWN = 12
MAIN = {"tied": "cosine_distance", "input": "norm", "output": "cosine_distance"}
"""The deciding indicator, by matrix, as chosen by Land & Bartolo."""
MATRICES = {"tied": "input and output", "input": "input", "output": "output"}
NAMED = {
    "norm": "length",
    "cosine_distance": "cosine distance from the mean of the unreachable rows",
}
REASONS = {
    "mark": "marks of the makers, no part of a text",
    "split": "split before pieces are made",
    "normalized": "changed by the normalizer",
    "other pieces": "read as other pieces",
    "no text": "without a text",
}


@dataclass(frozen=True, eq=False)
class Tokens(ShownAsText):
    """The entries of a vocabulary: reached by texts or not, trained or not."""

    model: str
    table: pd.DataFrame
    """A row an entry: id, token, kind, script, status, reason, read_as; by matrix <m> of the model:
    <m>_norm, <m>_distance, <m>_cosine_distance, <m>_share_beyond, <m>_under_trained."""
    verdicts: dict[str, Suspects]
    """By matrix: "tied", or "input" and "output"."""

    @property
    def under_trained(self) -> pd.DataFrame:
        """Return the entries that texts reach, but that look untrained in any of the matrices."""
        columns = [f"{matrix}_under_trained" for matrix in self.verdicts]
        return self.table[self.table[columns].any(axis=1)]

    @property
    def counts(self) -> pd.DataFrame:
        """Return the numbers of entries by kind and script, the most unreachable entries first.

        Columns: kind, script, entries, unreachable, under_trained.
        """
        marked = self.table.assign(
            entries=1,
            unreachable=self.table["status"] == "unreachable",
            under_trained=self.table.index.isin(self.under_trained.index),
        )
        columns = ["entries", "unreachable", "under_trained"]
        sums = marked.groupby(["kind", "script"])[columns].sum().reset_index()
        order = sums["unreachable"] + sums["under_trained"]
        return sums.iloc[np.argsort(-order.to_numpy(), kind="stable")].reset_index(drop=True)

    @property
    def sentence(self) -> str:
        """Return the result as a sentence for a paper."""
        status = self.table["status"].value_counts()
        n = int(status.get("unreachable", 0))
        start = (
            f"Of the {len(self.table):,} entries of {self.model}'s vocabulary, the tokenizer can "
            f"produce {n:,} from no text."
        )
        n_suspects = {
            name: int(self.table[f"{name}_under_trained"].sum()) for name in self.verdicts
        }
        judged = [
            f"Of the others, {n_suspects[matrix]:,} have a row of the {MATRICES[matrix]} matrix "
            f"within the bound of 95 % of these, by {NAMED[MAIN[matrix]]} ({_separation(verdict)})."
            if verdict.has_verdict
            else _why_none(self, matrix)
            for matrix, verdict in self.verdicts.items()
        ]
        return " ".join([start, *dict.fromkeys(judged)])

    def __str__(self) -> str:
        """Return counts, examples and the sentence for a paper."""
        unreachable = self.table[self.table["status"] == "unreachable"]
        lines = [f"{self.model}: {counted(len(self.table), 'token')}"]
        lines.append(f"no text is read as {counted(len(unreachable), 'token')}:")
        reasons = unreachable["reason"].map(REASONS)
        reasons = reasons.mask(unreachable["kind"] == "unused", "kept free by the makers")
        for reason, rows in unreachable.groupby(reasons):
            lines.append(f"  {len(rows):6,} {reason}: {_examples(rows)}")
        if n := int((self.table["status"] == "open").sum()):
            lines.append(f"  {n:6,} more are parts of characters, which stay open")
        lines += [_under_trained_in(self, matrix) for matrix in self.verdicts]
        counts = self.counts
        shown = counts[counts["unreachable"] + counts["under_trained"] > 0].head(N_SHOWN)
        if len(shown):
            lines += ["", shown.to_string(index=False)]
        return "\n".join([*lines, "", self.sentence])


def tokens(model: str) -> Tokens:
    """Return the entries of a vocabulary that no text reaches, and under-trained entries.

    `model` is a name of conf/model/, a folder or a fetched repository. Rows that no text reaches
    show what an untrained row is like; rows like these that texts do reach are called
    under-trained, unless the model's rows are all alike, as with random weights. No text is needed.

    Raises:
        InputError: if the model is not known or fetched, or has no tokenizer.
    """
    from embspace.loaded.model import load
    from embspace.settings.roots import find_root

    return tokens_of(load(str(model), find_root()))


def tokens_of(loaded: "LoadedModel") -> Tokens:
    """Return the entries of the vocabulary of a loaded model."""
    from embspace.models.spelling import spelling_of
    from embspace.models.tokenizer import names_by_id
    from embspace.models.tokens.reachable import entries

    learned, vocabulary = loaded.learned()
    backend: Any = loaded.tokenizer.backend_tokenizer
    spelling = spelling_of(json.loads(backend.to_str()))
    read = entries(loaded.tokenizer, spelling, names_by_id(loaded.tokenizer))
    texts = [spelling.word_form(token) or "" for token in vocabulary["token"]]
    table = _with_status(vocabulary[["id", "token", "kind"]], texts, read)
    is_unread = (table["status"] == "unreachable").to_numpy()
    verdicts = {}
    for matrix, rows in _matrices(loaded, learned["input"]).items():
        indicators = untrained_indicators(rows, is_unread)
        verdict = suspects(indicators[MAIN[matrix]], is_unread)
        for name, values in indicators.items():
            table[f"{matrix}_{name}"] = values
        table[f"{matrix}_share_beyond"] = verdict.share_beyond
        # What no text is read as is no token that training missed.
        table[f"{matrix}_under_trained"] = verdict.is_suspect & (table["status"] != "special")
        verdicts[matrix] = verdict
    return Tokens(called(loaded.name, loaded.description.model_dump()), table, verdicts)


def _with_status(vocabulary: pd.DataFrame, texts: list[str], read: list[Any]) -> pd.DataFrame:
    from embspace.scripts.script_of import script_of

    return vocabulary.assign(
        script=[script_of(text) for text in texts],
        status=[entry.status for entry in read],
        reason=[entry.reason for entry in read],
        read_as=[" ".join(entry.read_as) for entry in read],
    )


def _matrices(
    loaded: "LoadedModel", given: Float[np.ndarray, "token dim"]
) -> dict[str, Float[np.ndarray, "token dim"]]:
    """Return the input matrix as "tied", or both matrices if the output has its own."""
    path = loaded.description.matrices.output
    if path is None:
        return {"tied": given}
    from embspace.models.parameters.checkpoint import checkpoint_tensors

    (own,) = checkpoint_tensors(loaded.name, loaded.description, [path]).values()
    return {"input": given, "output": own[: len(given)]}


def _under_trained_in(made: Tokens, matrix: str) -> str:
    verdict = made.verdicts[matrix]
    if not verdict.has_verdict:
        return f"{MATRICES[matrix]} matrix: no verdict on training. {_why_none(made, matrix)}"
    rows = made.table[made.table[f"{matrix}_under_trained"]]
    near = rows.sort_values(f"{matrix}_share_beyond", ascending=False)
    return (
        f"under-trained in the {MATRICES[matrix]} matrix, by {NAMED[MAIN[matrix]]}: "
        f"{counted(len(rows), 'token')} that texts reach: {_examples(near)}"
    )


def _separation(verdict: Suspects) -> str:
    low, high = (f"{100 * bound:.1f}" for bound in verdict.chance)
    return (
        f"larger for a reachable entry in {100 * verdict.separation:.1f} % of pairs; at random "
        f"weights in {low} to {high} %"
    )


def _why_none(made: Tokens, matrix: str) -> str:
    """Return the reason: too few rows, rows as alike as by chance, or not different enough."""
    values = made.table[f"{matrix}_{MAIN[matrix]}"].notna()
    is_unread = made.table["status"] == "unreachable"
    if (values & is_unread).sum() < FEWEST:
        return f"Fewer than {FEWEST} entries are out of reach, which show no untrained row."
    if (values & ~is_unread).sum() < FEWEST:
        return f"Fewer than {FEWEST} entries are within reach, which show no trained row."
    verdict, rows = made.verdicts[matrix], f"Unreachable rows of the {MATRICES[matrix]} matrix"
    low, high = verdict.chance
    if low <= verdict.separation <= high:
        reason = "are like all others, as at random weights"
    else:
        reason = "differ from others, but too little to tell an untrained row"
    return (
        f"{rows} {reason}, by {NAMED[MAIN[matrix]]} ({_separation(verdict)}; a verdict needs "
        f"{100 * SEPARATES:g} %)."
    )


def _examples(rows: pd.DataFrame) -> str:
    more = ", …" if len(rows) > N_SHOWN else ""
    return ", ".join(rows["token"].head(N_SHOWN)) + more
