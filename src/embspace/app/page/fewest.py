"""Says why an analysis of a page is empty: how many texts are needed, and how many exist."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from embspace.app.page.texts_read import prepared_corpora
from embspace.errors import counted
from embspace.prepare.sentences import FEWEST, split_halves
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path

KEY = "fewest_documents"
HALVED, LABELED, SEVERAL = ("search",), ("label_overlap", "layer_choice"), ("two_corpora",)


def why_few(folder: Path, source: str) -> str:
    """Return how many texts `source` needs and how many exist; "" if enough.

    `source` is the noun of results. The number of documents needed is `fewest_documents` in the
    analysis's settings: for a corpus, for two corpora, for texts that can be halved, or for each of
    two labels.
    """
    needed = _fewest(folder, source)
    corpora = prepared_corpora(folder)
    if needed is None or not corpora:
        return ""
    if source in SEVERAL:
        n_large = sum(texts["document"].nunique() >= needed for texts in corpora.values())
        said = f"two corpora of {counted(needed, 'document')} or more", f"{n_large} such"
        return _shortage(*said) if n_large < 2 else ""
    if source in HALVED:
        n = _most({name: split_halves(texts) for name, texts in corpora.items()})
        said = f"{counted(needed, 'document')} of {FEWEST} sentences or more", f"{n}"
        return _shortage(*said) if n < needed else ""
    if source in LABELED:
        n = max(_large_labels(texts, needed) for texts in corpora.values())
        can_search = _most({name: split_halves(texts) for name, texts in corpora.items()}) >= needed
        said = f"two labels of {counted(needed, 'document')} each or more", f"{n} such"
        return "" if n > 1 or (source == "layer_choice" and can_search) else _shortage(*said)
    n = _most(corpora)
    return _shortage(f"{counted(needed, 'document')} or more", str(n)) if n < needed else ""


def _fewest(folder: Path, source: str) -> int | None:
    for verb in ("measure", "project"):
        file = settings_path(verb, source, folder)
        if file.is_file() and KEY in (settings := read_yaml(file)):
            return int(settings[KEY])
    return None


def _shortage(needed: str, there: str) -> str:
    return f"needs {needed}, found {there}"


def _most(corpora: Mapping[str, pd.DataFrame]) -> int:
    return max((texts["document"].nunique() for texts in corpora.values()), default=0)


def _large_labels(texts: pd.DataFrame, needed: int) -> int:
    """Return how many labels have enough documents."""
    if "subject" not in texts:
        return 0
    labeled = texts[texts["subject"] != ""]
    return int((labeled.groupby("subject")["document"].nunique() >= needed).sum())
