from typing import Any

import numpy as np
import pytest

from embspace.draw.page.saving import Results
from embspace.draw.positional.regimes import draw_regimes
from embspace.measure.positional.regimes import REGIMES, measure_regimes
from tests.analyses import as_drawn
from tests.geometry.planted import noise, planted_table, smooth_table
from tests.measure.positional.test_regimes import SETTINGS


def measured(x: np.ndarray, **changed: Any) -> Results:
    matrices = {"input": noise(70, x.shape[1], seed=9), "positional": x}
    return as_drawn(REGIMES, measure_regimes(matrices, **{**SETTINGS, **changed}))


@pytest.fixture(scope="module")
def planted() -> Results:
    return measured(planted_table())


def test_the_finding_names_what_lies_apart(planted):
    finding, _ = draw_regimes(planted, "tiny", digits=3)
    said = "1 position of 512 lies apart (200); 2 changes of regime along the others"
    assert finding == said


def test_of_positions_that_are_all_alike_nothing_is_counted():
    finding, _ = draw_regimes(measured(noise(512, 16, seed=3)), "tiny", digits=3)
    assert finding == "No position lies apart, and nothing changes along them"


def test_the_tables_name_the_outlier_and_the_false_alarms(planted):
    _, text = draw_regimes(planted, "tiny", digits=3)
    assert "|        200 |" in text
    rate = planted["json"]["false_alarm_rate"]
    assert f"{100 * rate:.1f} % had a change" in text
    assert text.count("| True ") == 1


def test_named_positions_are_left_out_of_the_distributions():
    results = measured(smooth_table(seed=5), unstructured_positions=[384, 511])
    _, text = draw_regimes(results, "tiny", digits=3)
    assert text.count("| without_unstructured |") == 4 + 3


def test_a_model_without_positions_says_so():
    regimes = as_drawn(REGIMES, measure_regimes({"input": noise(70, 8, seed=9)}, **SETTINGS))
    finding, text = draw_regimes(regimes, "tiny", digits=3)
    assert finding == "There are no position embeddings to look at"
    assert "tiny has no learned positional table" in text
