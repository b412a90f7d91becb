from typing import Any

import pandas as pd
import pytest

from embspace.app.page.nothing import says_nothing
from embspace.draw.words.evolution_shared import draw_evolution_shared
from tests.draw.words.evolved import tables_of
from tests.measure.words.test_evolution import module as module  # a fixture

TABLE = "evolution/shared_steps"


def draw(results: dict[str, Any]):
    return draw_evolution_shared(results, "a model of a long name", digits=3)


@pytest.fixture(scope="module")
def results(module) -> dict[str, pd.DataFrame]:
    return tables_of(module, "shared_steps", "views")


def test_the_finding_is_filled_from_the_first_text(results):
    table = results[TABLE].assign(null_shared_energy=-0.001, random_weights_shared_energy=0.5)
    first = table["tokens"] == "a"
    is_step = table["last_layer"] - table["first_layer"] == 1
    for low, high, said in (
        (-0.04, 0.6, "−4 to 60 %"),
        (-0.004, 0.6, "0 to 60 %"),
        (0.1, 0.6, "10 to 60 %"),
        (0.2, 0.2, "20 %"),
    ):
        given = table.assign(shared_energy=0.9)
        given.loc[first, "shared_energy"] = low
        given.loc[first & (given["last_layer"] == 1), "shared_energy"] = high
        title = draw(results | {TABLE: given})[0]
        is_less = given.loc[first & is_step, "shared_energy"] < 0.5
        assert f"“a” share {said} of the energy of a step, those of some 90 %" in title
        assert "random weights: 50 %" in title
        assert title.endswith("more at each step") == is_less.all() == (high < 0.5)


def test_a_range_within_that_of_random_weights_is_no_finding(results):
    table = results[TABLE].assign(shared_energy=0.5)
    table["random_weights_shared_energy"] = 0.4 + 0.3 * (table["last_layer"] > 1)
    finding = draw(results | {TABLE: table})[0]
    assert "“a” share 50 % of the energy of a step, as with random weights: 40 to 70 %" in finding
    assert says_nothing(finding)


def test_without_tokens_the_page_says_why(results):
    finding, text = draw({name: table[:0] for name, table in results.items()})
    assert finding == "No two tokens whose steps could be compared"
    assert "No tokenizer" in text
