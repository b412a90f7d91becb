"""Names of versions of vectors and similarities, and tables by pairs of corpora."""

import pandas as pd

TablesOfPairs = dict[tuple[str, str], pd.DataFrame]

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
