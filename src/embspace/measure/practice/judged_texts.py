"""Judges texts by the distance to the nearest of a corpus: p-values, outliers, traits."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from embspace.geometry.inference.benjamini_hochberg import benjamini_hochberg
from embspace.geometry.practice.outliers import Nearest, nearest_of, place_among, tail_p_values
from embspace.measure.practice.text_vectors import TextVectors, snippet

FALSE_DISCOVERIES = 0.05  # of texts called outliers that are none, at most on average
LONGEST = 200  # characters of a text in a table
TRAITS = {"n_characters": "characters", "n_tokens": "tokens", "unknown_share": "unknown tokens"}


class Judged(NamedTuple):
    """Texts, with their distances to the nearest of a corpus."""

    texts: TextVectors
    among: TextVectors
    """The corpus that gives the scale; the texts themselves if each is held against the others."""
    nearest: Nearest
    own: Float[np.ndarray, " m"]
    """Distances of the corpus's texts to the nearest texts of other documents."""
    p_value: Float[np.ndarray, " n"]

    @property
    def is_within(self) -> bool:
        """Return whether the texts are the corpus's own."""
        return self.texts is self.among

    @property
    def n_documents(self) -> int:
        """Return the number of the corpus's documents."""
        return len(np.unique(self.among.documents))

    @property
    def smallest_p(self) -> float:
        """Return the smallest p-value that a text can have; 0 by the tail."""
        return 0.0 if self.is_within else 1 / (1 + self.n_documents)

    @property
    def adjusted(self) -> Float[np.ndarray, " n"]:
        """Return p-values for a false discovery rate."""
        return benjamini_hochberg(self.p_value)

    @property
    def is_outlier(self) -> Bool[np.ndarray, " n"]:
        """Return the texts chosen at a false discovery rate of 5 %."""
        return chosen_of(self.p_value)

    @property
    def percentile(self) -> Float[np.ndarray, " n"]:
        """Return the share of the corpus's own distances below each, in %."""
        own, distance = np.sort(self.own[np.isfinite(self.own)]), self.nearest.mean
        below = 100 * np.searchsorted(own, distance, side="left") / max(len(own), 1)
        return np.where(np.isfinite(distance), below, np.nan)


def chosen_of(p_value: Float[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
    """Return the texts that a false discovery rate of 5 % chooses."""
    return np.asarray(benjamini_hochberg(p_value) <= FALSE_DISCOVERIES)


def judged_within(cloud: TextVectors, k: int) -> Judged:
    """Return the texts of a corpus, each judged against the others by the tail of all distances."""
    nearest = nearest_of(cloud.vectors, cloud.vectors, cloud.documents, cloud.documents, k=k)
    return Judged(cloud, cloud, nearest, nearest.mean, tail_p_values(nearest.mean))


def judged_among(texts: TextVectors, cloud: TextVectors, k: int) -> Judged:
    """Return further texts, held against a corpus by conformal p-values."""
    documents = cloud.documents
    own = nearest_of(cloud.vectors, cloud.vectors, documents, documents, k=k).mean
    placed = place_among(texts.vectors, cloud.vectors, documents, k=k)
    return Judged(texts, cloud, placed.nearest, own, placed.p_value)


def judged_table(
    judged: Judged, unknown_share: Float[np.ndarray, " n"] | None = None
) -> pd.DataFrame:
    """Return a row per text, the farthest first, with its neighbor and what is known of the text.

    Length, script, share of unknown tokens and start are of texts, not of vectors alone.
    """
    table = pd.DataFrame(
        {
            "id": judged.texts.table["id"],
            "distance": judged.nearest.mean,
            "percentile": judged.percentile,
            "p_value": judged.p_value,
            "adjusted_p_value": judged.adjusted,
            "is_outlier": judged.is_outlier,
        }
    ).join(_about(judged, unknown_share))
    return table.sort_values("distance", ascending=False, kind="stable").reset_index(drop=True)


def _about(judged: Judged, unknown_share: Float[np.ndarray, " n"] | None) -> pd.DataFrame:
    from embspace.scripts.script_of import script_of

    own, nearest = judged.texts.table, judged.nearest
    ids = judged.among.table["id"].to_numpy()
    first = np.where(np.isfinite(nearest.first_cosine), nearest.first, -1)
    about = pd.DataFrame(
        {
            "nearest": [ids[row] if row >= 0 else "" for row in first],
            "nearest_cosine": nearest.first_cosine,
            "copies": own.groupby("copy_of")["id"].transform("size") - 1,
        }
    )
    if not judged.texts.has_texts:
        return about
    texts = own["text"].tolist()
    return about.assign(
        n_characters=[len(text) for text in texts],
        n_tokens=own["n_tokens"],
        script=[script_of(text) for text in texts],
        unknown_share=np.nan if unknown_share is None else unknown_share,
        text=[snippet(text, LONGEST) for text in texts],
    )


def kinds_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return traits of outliers beside those of all other texts: medians, shares of scripts.

    Columns: trait, outliers, others. Without texts, outliers or other texts the table is empty; an
    unknown trait has no row.
    """
    rows: list[dict[str, Any]] = []
    chosen = table["is_outlier"].to_numpy(dtype=bool)
    if "script" in table and chosen.any() and not chosen.all():
        sides = table[chosen], table[~chosen]
        for name in TRAITS:
            if table[name].notna().any():
                outlying, others = (side[name].median() for side in sides)
                rows.append({"trait": f"median_{name}", "outliers": outlying, "others": others})
        for script in sides[0]["script"].value_counts().index:
            outlying, others = ((side["script"] == script).mean() for side in sides)
            rows.append({"trait": f"share_{script}", "outliers": outlying, "others": others})
        outlying, others = ((side["copies"] > 0).mean() for side in sides)
        rows.append({"trait": "share_with_copies", "outliers": outlying, "others": others})
    return pd.DataFrame(rows, columns=["trait", "outliers", "others"])
