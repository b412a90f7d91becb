"""Tables of profiles whose numbers say where they stand."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from embspace.draw.page.looks import LAYER_SPACES, NULLS
from embspace.draw.page.measure_names import name_of
from embspace.draw.page.saving import Results
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.layer_profiles import TABLES
from embspace.settings.schema import read_yaml
from embspace.settings.stage import settings_path
from tests import analyses

CORPORA, LAYERS = ("articles", "posts"), 3
CHANGES = ("as_is", "ordinary_tokens", "standardized")


def value(corpus: str, space: str, change: str, layer: int, measure: str) -> float:
    """Another one for each."""
    names = (CORPORA.index(corpus), ("token", "cls", "mean").index(space), CHANGES.index(change))
    return layer + 0.1 * names[0] + 0.02 * names[1] + 0.3 * names[2] + 0.01 * len(measure)


def profile_tables(
    measures: Sequence[str],
    *,
    spaces: Sequence[str] = ("token", "cls", "mean"),
    nulls: Sequence[str] = ("isotropic_gaussian", "random_initialization"),
) -> dict[str, pd.DataFrame]:
    """As the stage of a family leaves them; the first measure has not converged in layer 1."""
    tables: dict[str, list[dict[str, Any]]] = {table: [] for table in TABLES}
    places = [
        (corpus, space, change, layer, measure)
        for corpus in CORPORA
        for layer in range(LAYERS)
        for space in spaces
        for change in CHANGES
        for measure in measures
    ]
    for corpus, space, change, layer, measure in places:
        center = value(corpus, space, change, layer, measure)
        key = {"corpus": corpus, "space": space, "change": change, "layer": layer}
        key |= {"measure": measure}
        halved = change == "as_is"
        bounds = {"low": center - 0.05, "high": center + 0.05, "of_half": center}
        facts = {"value": center, "n": 1234, "n_texts": 56, "dropped": 0}
        facts |= bounds if halved else dict.fromkeys(bounds, float("nan"))
        tables["profiles"].append(
            {**key, **facts, "converged": halved and (measure, layer) != (measures[0], 1)}
        )
        if halved:
            drawn = {"null_mean": -1.0, "null_smallest": -1.5, "null_largest": -0.5}
            facts = {"n": 1234, "n_draws": 2, "value": center, **drawn}
            tables["nulls"] += [{**key, "null": null, **facts} for null in nulls]
            sizes = {"n_draws": 2, "mean": center, "smallest": center, "largest": center}
            tables["curves"] += [
                {**key, "n_texts": n_texts, "n": 22.0 * n_texts, **sizes} for n_texts in (28, 56)
            ]
    return {name: TABLES[name].of(rows) for name, rows in tables.items()}


def empty_tables() -> dict[str, pd.DataFrame]:
    """Of a model that has no corpus of enough documents."""
    return {name: table.of() for name, table in TABLES.items()}


def without_values(tables: dict[str, pd.DataFrame], measure: str) -> dict[str, pd.DataFrame]:
    """The same, but that a measure is defined nowhere."""
    columns = ["value", "low", "high", "of_half", "null_mean", "null_smallest", "null_largest"]
    columns += ["mean", "smallest", "largest"]
    emptied = {}
    for name, table in tables.items():
        rows = table["measure"] == measure
        kept = [column for column in columns if column in table]
        emptied[name] = table.assign(
            **{column: np.where(rows, np.nan, table[column]) for column in kept}
        )
    return emptied


def squeezed(text: str) -> str:
    """Without the blanks that line columns up."""
    return re.sub(" +", " ", text)


def settings_of(root: Path, noun: str) -> dict[str, Any]:
    """Those of the project."""
    return read_yaml(settings_path("draw", noun, root))


def project_page(
    draw: Callable[..., tuple[str, str]], null: float | None = None
) -> tuple[str, str]:
    """Return the sentence and the tables of all measures of a noun with the settings in conf/.

    With `null` it is the mean of all nulls.
    """
    noun, settings = draw.__name__.removeprefix("draw_"), analyses.settings_of(draw)
    names = [name for name, measure in profiled_measures().items() if measure.family == noun]
    assert set(settings["measures"]) <= set(names) and set(settings["nulls"]) <= set(NULLS)
    spaces = ["token"] if noun == "context" else [*LAYER_SPACES]
    tables = profile_tables(names, spaces=spaces)
    if null is not None:
        tables = profile_tables(names, spaces=spaces, nulls=settings["nulls"])
        tables["nulls"]["null_mean"] = null
    sentence, text = draw(Results(tables, {}), "a model of a long name", **settings)
    assert all(f"| {name_of(name)} |" in squeezed(text) for name in names)
    return sentence, text
