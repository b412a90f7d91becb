import re
from typing import Any

import pandas as pd
import pytest

from embspace.draw.page.looks import POOLINGS
from embspace.draw.sentences.difference_tables import cosine_matrix, difference_tables
from embspace.measure.sentences.differences import DIFFERENCES
from tests.analyses import as_drawn
from tests.draw.sentences.test_differences import measure, results_of
from tests.measure.planted_sentences import planted
from tests.measure.sentences.test_differences import AXES, OFFSETS


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[str, Any]:
    return results_of(measure(planted(OFFSETS, 8)), tmp_path_factory.mktemp("results"))


def text_of(results: dict[str, Any], n_listed: int = 3) -> str:
    return difference_tables(as_drawn(DIFFERENCES, results), "a model of a long name", n_listed, 2)


def test_tables(results):
    text = text_of(results)
    assert text.startswith("# Differences of sentence pairs in a model of a long name\n")
    assert "so that nurse lies with female." in text
    assert re.search(r"\| female-male +\| doctor-nurse +\| +-0\.\d{2,3} \[-0\.\d{2,3}, ", text)
    assert "female-male 0 first" in text
    assert "nan" not in text


def test_cosines_are_listed_by_size(results):
    text = text_of(results)
    assert "The 3 of the largest size, of 10." in text
    cosines = text.partition("## Cosines with")[2].partition("## Bias")[0]
    rows = [line.split("|") for line in cosines.splitlines() if line.startswith("| ")][1:]
    sizes = [abs(float(row[3].split()[0])) for row in rows]
    assert len(sizes) == 3
    assert sizes == sorted(sizes, reverse=True)
    assert "All 10, by size." in text_of(results, 10)


def test_the_bias_stands_at_every_layer_and_pooling(results):
    bias = text_of(results).partition("## Bias")[2]
    assert [f"| {look.name} " in bias for look in POOLINGS.values()] == [True] * 3


def test_values_that_are_not_defined_are_dashes(tmp_path):
    given = planted(OFFSETS, 8)
    given.states["cls"][:] = 1.0
    text = text_of(results_of(measure(given), tmp_path))
    assert "nan" not in text
    assert "–" in text


def test_a_set_without_the_categories_of_the_bias(tmp_path):
    differences = measure(planted({"a-b": AXES[0], "c-d": AXES[1]}, 6))
    text = text_of(results_of(differences, tmp_path))
    assert "lacks one of the categories" in text
    assert "None." in text


def test_names_without_a_dash_need_no_reading(tmp_path):
    offsets = {"tense": AXES[0], "number": AXES[1]}
    differences = measure(planted(offsets, 6), bias_categories=["tense", "number"])
    assert "Cosine of tense with number" in text_of(results_of(differences, tmp_path))


def test_table_7_is_a_matrix_of_raw_cosines(results):
    table = text_of(results).partition("## Cosines of")[2].partition("## Example")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ")]
    cells = {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows[1:]}
    names = [cell.strip() for cell in rows[0][1:]]
    assert [*cells] == names
    row = results["cosines"].query("layer == 0 and pooling == 'cls'").iloc[0]
    written = f"{row['cosine']:z.2f}"
    assert cells[row["category_1"]][names.index(row["category_2"])] == written
    assert cells[row["category_2"]][names.index(row["category_1"])] == written
    assert [cells[name][number] for number, name in enumerate(names)] == ["–"] * len(names)


def test_the_matrix_puts_opposite_directions_beside_each_other():
    pairs = [("a", "b", 0.1), ("a", "c", -0.9), ("a", "d", 0.0), ("b", "c", 0.1)]
    pairs += [("b", "d", 0.8), ("c", "d", 0.1)]
    cosines = pd.DataFrame(pairs, columns=["category_1", "category_2", "cosine"])
    names = [*cosine_matrix(cosines, "cosine")]
    assert abs(names.index("a") - names.index("c")) == 1
    assert abs(names.index("b") - names.index("d")) == 1
