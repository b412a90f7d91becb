"""Whether clusters of texts are sources, topics, lengths or places in a document."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Int

from embspace.geometry.groups.shared_information import SharedInformation, shared_information
from embspace.geometry.practice.clusters import adjusted_rand_index

FAMILIES = {
    "source": "sources",
    "domain": "topics",
    "subject": "topics",
    "document": "topics",
    "length": "lengths",
    "place": "places",
}
"""The family of every label."""
N_LENGTHS, N_PLACES = 4, 3
ALONE = N_PLACES  # the place of a text that is the only one of its document
UNDECIDED, NONE = "undecided", "no islands"
TWO = 2  # islands, of which labels can tell


class Families(NamedTuple):
    """How labels are compared with islands."""

    n_half_samples: int
    share: float
    """The smallest share of half-samples in which the same family is first."""
    n_deals: int
    smallest: int
    """The fewest texts that a source has on its second largest island, to count inside sources."""


def labels_of_texts(windows: pd.DataFrame) -> pd.DataFrame:
    """Return a column of codes for every label of texts, a row per window.

    `windows` has columns corpus, document, domain, subject and n_tokens, in the order of texts.
    Documents of the same name in two corpora are one document, unless the name is a number.
    """
    documents = windows.groupby(["corpus", "document"], sort=False)["document"]
    number, n = documents.cumcount(), documents.transform("size")
    quarters = np.quantile(windows["n_tokens"], np.arange(1, N_LENGTHS) / N_LENGTHS)
    coded = {"source": windows["corpus"], **windows[["domain", "subject"]]}
    coded["document"] = _documents(windows)
    codes = {name: pd.factorize(column.astype(str))[0] for name, column in coded.items()}
    return pd.DataFrame(
        {
            **codes,
            "length": np.searchsorted(quarters, windows["n_tokens"]),
            "place": np.where(n > 1, N_PLACES * number // n, ALONE),
        }
    ).astype(np.int64)


def _documents(windows: pd.DataFrame) -> pd.Series:
    """Return the names of documents, with the corpus in front of a number, a row's own name."""
    name = windows["document"].astype(str)
    return name.where(~name.str.isdecimal(), windows["corpus"].astype(str) + " " + name)


def families_of_islands(
    islands: Int[np.ndarray, " text"],
    labels: pd.DataFrame,
    how: Families,
    rng: np.random.Generator,
) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Return the verdicts, over all texts and inside the sources, and a row per label.

    `islands` is -1 for a text on no island; such texts do not count. Verdicts have the keys
    `verdict` and `verdict_inside`; both follow the rule of
    conf/measure/open_questions/text_islands.yaml.
    """
    inside = islands >= 0
    islands, labels = islands[inside], labels[inside]
    rows: list[dict[str, Any]] = [
        {"label": name, "family": family} for name, family in FAMILIES.items()
    ]
    if len(np.unique(islands)) < TWO:
        return {"verdict": NONE, "verdict_inside": NONE}, [{**row, **_nothing()} for row in rows]
    verdicts = {}
    source = labels["source"].to_numpy()
    counted = _is_divided(islands, source, how.smallest)
    parts = {
        "": (np.ones_like(counted), np.zeros_like(source)),
        "_inside": (counted, source),
    }
    for (ending, (rows_of, group)), stream in zip(parts.items(), rng.spawn(2), strict=True):
        names = [name for name in FAMILIES if ending == "" or name != "source"]
        if not rows_of.any():
            verdicts[f"verdict{ending}"] = UNDECIDED
            continue
        whole, halves = _compared(
            islands[rows_of], labels.loc[rows_of, names], group[rows_of], how, stream
        )
        first = _first_families(halves)
        verdicts[f"verdict{ending}"] = _verdict(whole, first, how.share)
        for row in rows:
            if row["label"] in whole:
                row |= _row(whole[row["label"]], first.get(row["family"], 0.0), ending)
    for row in rows:
        row["adjusted_rand_index"] = adjusted_rand_index(islands, labels[row["label"]].to_numpy())
    return verdicts, rows


def _is_divided(
    islands: Int[np.ndarray, " text"], source: Int[np.ndarray, " text"], smallest: int
) -> Bool[np.ndarray, " text"]:
    """Mark the texts of sources with at least `smallest` texts on their second largest island."""
    sizes = np.sort(pd.crosstab(source, islands).to_numpy(), axis=1)
    divided = np.unique(source)[sizes[:, -TWO] >= smallest]
    return np.isin(source, divided)


def _compared(
    islands: Int[np.ndarray, " text"],
    labels: pd.DataFrame,
    group: Int[np.ndarray, " text"],
    how: Families,
    rng: np.random.Generator,
) -> tuple[dict[str, SharedInformation], pd.DataFrame]:
    """Return every label's shared information with the islands, over all texts and over halves."""
    for_deals, for_halves = rng.spawn(2)
    whole = {
        str(name): shared_information(
            islands, column.to_numpy(), group, n_deals=how.n_deals, rng=stream
        )
        for (name, column), stream in zip(
            labels.items(), for_deals.spawn(labels.shape[1]), strict=True
        )
    }
    document = labels["document"].to_numpy()
    halves = []
    for _ in range(how.n_half_samples):
        chosen = for_halves.permutation(document.max() + 1)[: (document.max() + 1) // 2]
        rows = np.isin(document, chosen)
        halves.append(
            {
                name: shared_information(
                    islands[rows], column[rows].to_numpy(), group[rows], n_deals=0, rng=for_halves
                ).value
                for name, column in labels.items()
            }
        )
    return whole, pd.DataFrame(halves)


def _first_families(halves: pd.DataFrame) -> dict[str, float]:
    """Return, by family, the share of halves where it alone has the most informative label.

    A half without values, or with two families at the top, counts for no family.
    """
    family_shares = halves.T.groupby(FAMILIES.__getitem__).max().T
    is_top = family_shares.eq(family_shares.max(axis=1), axis=0)
    first = is_top[is_top.sum(axis=1) == 1].sum() / len(halves)
    return {str(family): float(share) for family, share in first[first > 0].items()}


def _verdict(whole: dict[str, SharedInformation], first: dict[str, float], share: float) -> str:
    """Return the family that is first often enough and beyond all deals, or `undecided`."""
    if not first:
        return UNDECIDED
    family = max(first, key=lambda name: first[name])
    best = max(
        (shared for name, shared in whole.items() if FAMILIES[name] == family),
        key=lambda shared: np.nan_to_num(shared.value, nan=-np.inf),
    )
    is_beyond = best.value > np.max(best.dealt)
    return family if first[family] >= share and is_beyond else UNDECIDED


def _row(shared: SharedInformation, first: float, ending: str) -> dict[str, float]:
    return {
        f"information{ending}": shared.value,
        f"null_largest{ending}": float(shared.dealt.max()),
        f"first{ending}": first,
    }


def _nothing() -> dict[str, float]:
    return {"adjusted_rand_index": np.nan}


def most_frequent(
    islands: Int[np.ndarray, " text"], n: int, windows: pd.DataFrame, columns: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield, for `n` islands, the most frequent value of every column, with its share."""
    for island in range(n):
        own = windows[islands == island]
        row: dict[str, Any] = {"n_tokens": float(own["n_tokens"].median())}
        for column in columns:
            counts = own[column].value_counts()
            row |= {column: counts.index[0], f"{column}_share": counts.iloc[0] / len(own)}
        yield row
