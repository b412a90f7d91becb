"""The first numbers of a model are those of its states, beside random weights, on one page."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.queries.quick import RANDOM, TRAINED, measure_quick, shown, write_quick
from embspace.app.reporting.subject import Subject
from embspace.app.working_tree import OwnTexts
from embspace.geometry.measures.mean_direction import mean_cosine
from embspace.geometry.measures.spectral_measures import participation_ratio
from embspace.geometry.measures.two_nearest import two_nn
from embspace.loaded.model import load
from embspace.loaded.states import read_states
from tests.loaded.folders import TEXTS, tree

__all__ = ["tree"]


@pytest.fixture(scope="module")
def table(tree: Path) -> pd.DataFrame:
    return measure_quick(load("tiny", tree), TEXTS, tree)[0]


def test_values_are_those_of_the_states_of_ordinary_tokens(tree: Path, table: pd.DataFrame):
    states = read_states(load("tiny", tree), TEXTS, tree, {})
    ordinary = (~states.tokens["special"] & ~states.tokens["repeated"]).to_numpy()
    x = states.tensors["token"][1][ordinary]
    first = ~states.tokens["id"][ordinary].duplicated().to_numpy()
    expected = [mean_cosine(x), participation_ratio(x), float(two_nn(x[first]))]
    rows = table[(table["weights"] == TRAINED) & (table["layer"] == 1)]
    assert rows["value"].tolist() == pytest.approx(expected, nan_ok=True)
    assert rows["n"].tolist() == [len(x), len(x), first.sum()]


def test_random_weights_stand_beside_each_value(table: pd.DataFrame):
    assert set(table["weights"]) == {TRAINED, RANDOM}
    wide = shown(table)
    assert len(wide) == 3 and len(wide.columns) == 7
    # `tiny` is itself what its config gives by the seed of params.yaml.
    assert np.array_equal(wide["mean cosine"], wide["mean cosine, random weights"])


def test_the_page_holds_figure_and_table_and_asks_no_network(tree: Path):
    own = OwnTexts("mine", "texts of my.csv", ".csv", b"text\nthe cat sat\nthe dog sat on it\n")
    page, said = write_quick(Subject("tiny", ["mine"], own), "tiny", tree)
    assert page.parent.name.startswith("tiny--mine-") and page.parent.name.endswith("+quick")
    html = (tree / page).read_text()
    assert "data:image/svg+xml," in html and "http" not in html.split("<body>")[1].replace(
        "http://www.w3.org", ""
    ).replace("http://purl.org", "").replace("http://creativecommons.org", "").replace(
        "https://matplotlib.org", ""
    )
    assert "2 texts, texts of my.csv" in said and "| layer |" in said.replace("  ", "")


def test_texts_of_one_word_have_no_dimension_and_no_error(tree: Path):
    table = measure_quick(load("tiny", tree), ["cat"], tree)[0]
    assert table.loc[table["measure"] == "intrinsic dimension", "value"].isna().all()
