"""Names of versions of vectors and similarities, and how surely words tell corpora."""

import pandas as pd

CHANGES = {
    "raw": "raw",
    "unit_length": "unit length",
    "centered": "centered",
    "top_1": "less 1 component",
    "top_2": "less 2 components",
    "top_3": "less 3 components",
    "standardized": "standardized",
    "whitened": "whitened",
    "ranks": "ranks (Spearman)",
}
VERSIONS = {
    "cosine": "cosine",
    "centered": "centered",
    "local_scaling": "local scaling",
    "mutual_proximity": "mutual proximity",
    "csls": "CSLS",
}


def words_alone(two_corpora: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Return how surely words alone tell a text's corpus, by pair: AUCs of `measure_two_corpora`.

    `two_corpora` has columns corpus, other_corpus, embedding and auc.
    """
    rows = two_corpora[two_corpora["embedding"] == "tf_idf"]
    pairs = zip(rows["corpus"], rows["other_corpus"], strict=True)
    return dict(zip(pairs, rows["auc"].astype(float), strict=True))
