"""Says how unusual the last layer of a model is beside models measured by the same protocol."""

from pathlib import Path

import pandas as pd

from embspace.app.page.findings import Finding
from embspace.app.page.provenance import is_decoder
from embspace.app.page.texts_read import corpora_called
from embspace.draw.layers.layer_profiles_reference import known_profiles, profiles_beside
from embspace.draw.page.measure_names import name_of
from embspace.errors import counted
from embspace.files.tables import load_table
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml

# The family, and its measure that owners of a model ask for.
MEASURES = {"direction": "mean_cosine", "intrinsic_dimension": "two_nn"}


def known_model_findings(folder: Path, model: str, chapters: dict[str, str]) -> list[Finding]:
    """Return a finding for every family of `MEASURES` on the page: how many known models lie below.

    A known model within the interval is neither below nor above. A decoder stands beside its
    random weights alone, as all known models are encoders.
    """
    known = known_profiles()[:0] if is_decoder(folder, model) else known_profiles()
    label = str(read_yaml(folder / CONF / "model" / f"{model}.yaml").get("label") or model)
    findings = []
    for family, measure in MEASURES.items():
        file = folder / f"results/{family}/profiles/{model}.csv"
        if family in chapters and file.is_file():
            profiles = load_table(str(file)).query("change == 'as_is'")
            beside = profiles_beside(profiles, label, known)
            own = _at_last(profiles, measure)
            nulls = folder / f"results/{family}/nulls/{model}.csv"
            random = _at_random(own, load_table(str(nulls))) if nulls.is_file() else ""
            sentence = _comparison(own, _at_last(beside, measure), folder, random)
            if sentence:
                findings.append(Finding(family, chapters[family], *sentence))
    return findings


def _at_last(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    rows = table[(table["measure"] == measure) & (table["space"] == "token")]
    return rows[rows["layer"] == rows["layer"].max()].dropna(subset="value")


def _at_random(own: pd.DataFrame, nulls: pd.DataFrame) -> str:
    """Return the values at random weights beside those of the model, on the same corpus."""
    rows = nulls[(nulls["null"] == "random_initialization") & (nulls["change"] == "as_is")]
    place = ["corpus", "space", "layer", "measure"]
    both = own.merge(rows, on=place, suffixes=("", "_of_null"))
    if both.empty:
        return ""
    low, high = (f"{both[name].iloc[0]:.2f}" for name in ("null_smallest", "null_largest"))
    return f" (random weights {low})" if low == high else f" (random weights {low} to {high})"


def _comparison(
    own: pd.DataFrame, known: pd.DataFrame, folder: Path, random: str
) -> tuple[str, str] | None:
    """Return the sentence, and what was compared how; None if nothing can be compared."""
    own = own.dropna(subset=["low", "high"])
    if own.empty or (known.empty and not random):
        return None
    if known.empty:
        row = own.iloc[0]
        return f"{_said(row, folder)}{random}", f"interval over documents {_interval(row)}"
    shared = own[own["corpus"] == known["corpus"].iloc[0]]
    row = (shared if len(shared) else own).iloc[0]
    n = len(known)
    names = ", ".join(
        f"{known_model} {value:.2f}"
        for known_model, value in zip(known["model"], known["value"], strict=True)
    )
    n_below, n_above = (known["value"] < row["low"]).sum(), (known["value"] > row["high"]).sum()
    n_alike = n - n_below - n_above
    place = " and ".join(
        words
        for words, number in (
            (f"higher than {n_below} of {n}", n_below),
            (f"lower than {n_above} of {n}", n_above if not n_below else 0),
            (f"like {n_alike} of {n}", n_alike),
        )
        if number
    )
    beside = f"{place} known models ({names})"
    if n == 1:
        beside = f"{place.removesuffix('1 of 1')}{names}"
    sentence = f"{_said(row, folder)}{random}: {beside}"
    on = known["corpus"].iloc[0]
    same = "on the same texts" if len(shared) else f"on embspace's {on}, of the most similar length"
    return sentence, (
        f"{counted(n, 'known model')} {same}, by the same protocol · interval over documents "
        f"{_interval(row)}"
    )


def _said(row: pd.Series, folder: Path) -> str:
    texts = corpora_called(folder).get(str(row["corpus"]), str(row["corpus"]))
    name = name_of(str(row["measure"]))
    return f"The {name} of tokens of {texts} at the last layer is {row['value']:.2f}"


def _interval(row: pd.Series) -> str:
    return f"{row['low']:.2f} to {row['high']:.2f}"
