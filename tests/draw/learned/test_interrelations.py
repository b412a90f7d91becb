import re

import pytest

from embspace.draw.learned.interrelations import draw_interrelations
from embspace.draw.page.saving import Results
from embspace.measure.learned.interrelations import INTERRELATIONS, measure_interrelations
from tests.analyses import as_drawn, settings_of
from tests.measure.vectors import random_matrices, vocabulary_of

SETTINGS = settings_of(
    measure_interrelations, n_listed=50, n_histogram_bins=40, quantiles=[0.05, 0.5, 0.95]
)


@pytest.fixture(scope="module")
def results() -> Results:
    matrices = random_matrices()
    matrices["input"][7] = matrices["positional"][3]
    interrelations = measure_interrelations(matrices, vocabulary_of(120), **SETTINGS)
    return as_drawn(INTERRELATIONS, interrelations)


@pytest.fixture(scope="module")
def drawn(results: Results):
    return draw_interrelations(results, "a model of a long name", n_listed=5, digits=3)


def test_the_finding_says_how_many_lie_outside_and_how_many_would_by_chance(results, drawn):
    scalars, (finding, _) = results["json"]["token_position"], drawn
    assert f"±0.2: {scalars['n_outside']}, about as many as by chance" in finding
    assert finding.endswith(f" {scalars['expected_outside']:.0f}")
    share = float(re.search(r", ([\d.]+) % have", finding)[1]) / 100
    assert share == pytest.approx(scalars["n_outside"] / scalars["n_pairs"], rel=0.05)


def test_the_planted_token_is_in_the_table(drawn):
    assert "| `tokh7` " in drawn[1]
    assert "1.000" in drawn[1]


def test_the_table_says_beyond_what_and_how_many_there_are(results, drawn):
    scalars = results["json"]["token_position"]
    planted, next_one = [line for line in drawn[1].splitlines() if line.startswith("| `tok")][:2]
    assert planted.split("|")[-3:-1] == [" True                   ", " True               "]
    assert next_one.split("|")[-3:-1] == [" True                   ", " False              "]
    assert f"{scalars['n_outside']} have a cosine beyond the threshold, ±0.2" in drawn[1]
    assert "1 have one beyond" in drawn[1].replace("\n", " ")


def test_a_model_whose_texts_no_token_opens_says_so(results):
    scalars = {key: value for key, value in results["json"].items() if key != "cls_position_0"}
    drawn = as_drawn(INTERRELATIONS, results.tables, json=scalars)
    _, text = draw_interrelations(drawn, "mine", n_listed=5, digits=3)
    title = "## The opening token against position 0"
    assert f"{title}\n\nNo token of mine opens every text.\n\nNone." in text


def test_a_model_without_positions_or_segments_says_so(results):
    interrelations = measure_interrelations(
        {"input": random_matrices()["input"]}, vocabulary_of(120), **SETTINGS
    )
    drawn = as_drawn(INTERRELATIONS, interrelations)
    finding, text = draw_interrelations(drawn, "tiny", n_listed=5, digits=3)
    assert finding == "tiny has no position embeddings to compare with tokens"
    for space in ("positional", "segment"):
        assert f"tiny has no learned {space} table" in text


def test_a_count_within_chance_is_said_to_be_one(results):
    scalars = results["json"]["token_position"]
    for n, is_said in ((1020, True), (2000, False), (300, False)):
        counts = scalars | {"n_outside": n, "expected_outside": 1000.0}
        facts = results["json"] | {"token_position": counts}
        changed = as_drawn(INTERRELATIONS, results.tables, json=facts)
        title = draw_interrelations(changed, "a model", n_listed=5, digits=3)[0]
        assert ("about as many as by chance 1,000" in title) == is_said
