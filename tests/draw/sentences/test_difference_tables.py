import re
from typing import Any

import pytest

from embspace.draw.sentences.difference_tables import difference_tables
from tests.draw.sentences.test_differences import measure, results_of
from tests.measure.planted_sentences import planted
from tests.measure.sentences.test_differences import AXES, OFFSETS


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[str, Any]:
    return results_of(measure(planted(OFFSETS, 8)), tmp_path_factory.mktemp("results"))


def text_of(results: dict[str, Any], n_listed: int = 3) -> str:
    return difference_tables(results, "a model of a long name", n_listed, 2)


def test_tables(results):
    text = text_of(results)
    assert text.startswith("# Differences of sentence pairs in a model of a long name\n")
    assert "so that nurse lies with female." in text
    assert re.search(r"\| female-male +\| doctor-nurse +\| +-0\.\d\d \[-0\.\d\d, ", text)
    assert "female-male 0 first" in text
    assert "nan" not in text


def test_cosines_are_listed_by_size(results):
    text = text_of(results)
    assert "The 3 of the largest size, of 10." in text
    cosines = text.partition("## Cosines")[2].partition("## Bias")[0]
    rows = [line.split("|") for line in cosines.splitlines() if line.startswith("| ")][1:]
    sizes = [abs(float(row[3].split()[0])) for row in rows]
    assert len(sizes) == 3
    assert sizes == sorted(sizes, reverse=True)
    assert "All 10, by size." in text_of(results, 10)


def test_the_bias_stands_at_every_layer_and_pooling(results):
    bias = text_of(results).partition("## Bias")[2].partition("## Consistency")[0]
    assert [pooling in bias for pooling in ("| cls ", "| mean ", "| max ")] == [True] * 3


def test_values_that_are_not_defined_are_dashes(tmp_path):
    given = planted(OFFSETS, 8)
    given.states["cls"][:] = 1.0
    text = text_of(results_of(measure(given), tmp_path))
    assert "nan" not in text
    assert "–" in text


def test_a_set_without_the_categories_of_the_bias(tmp_path):
    found = measure(planted({"a-b": AXES[0], "c-d": AXES[1]}, 6))
    text = text_of(results_of(found, tmp_path))
    assert "lacks one of the categories" in text
    assert "None." in text


def test_names_without_a_dash_need_no_reading(tmp_path):
    offsets = {"tense": AXES[0], "number": AXES[1]}
    found = measure(planted(offsets, 6), bias_categories=["tense", "number"])
    assert "Cosine of tense with number" in text_of(results_of(found, tmp_path))
