from dataclasses import replace

import pytest

from embspace.draw.learned.mean_embedding import FURTHER_RESULTS, draw_mean_embedding
from embspace.measure.learned.mean_embedding import MEAN_EMBEDDING, measure_mean_embedding
from tests.analyses import as_drawn, settings_of
from tests.measure.vectors import random_matrices, vocabulary_of

(EXTRACTED,) = FURTHER_RESULTS


@pytest.fixture(scope="module")
def results():
    few = {"n_histogram_bins": 20, "n_tokens": 3, "quantiles": [0.5]}
    settings = settings_of(measure_mean_embedding, **few)
    mean_embedding = measure_mean_embedding(random_matrices(), vocabulary_of(120), None, **settings)
    return as_drawn(MEAN_EMBEDDING, mean_embedding | {EXTRACTED: vocabulary_of(120)})


@pytest.fixture(scope="module")
def drawn(results):
    return draw_mean_embedding(results, "a model of a long name", n_tokens=1, fewest=5, digits=3)


def test_the_finding_compares_the_kind_that_differs_with_words(results, drawn):
    assert drawn[0].startswith("Median cosine with the mean: numbers ")
    finding, _ = draw_mean_embedding(results, "tiny", fewest=1000, n_tokens=1, digits=3)
    assert finding.startswith("The median cosine of a token with the mean is ")


def test_kinds_that_point_nowhere_near_the_mean_are_said_not_to(results):
    tokens = results["data/measured/mean_embedding.parquet"]
    said = "No kind of token points where the mean points: median cosines 0.01 to 0.01"
    for cosine, is_said in ((0.01, True), (0.06, False)):
        file = {"data/measured/mean_embedding.parquet": tokens.assign(cosine=cosine)}
        changed = replace(results, tables={**results.tables, **file})
        finding, _ = draw_mean_embedding(changed, "tiny", fewest=5, n_tokens=1, digits=3)
        assert (finding == said) == is_said


def test_one_token_an_extreme_is_listed(results, drawn):
    _, text = drawn
    assert text.count("`tok") == 12
    assert f"`{results['tokens']['token'][0]}`" in text
