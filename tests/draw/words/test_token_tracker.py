"""The page of the token tracker says what its tables say."""

import numpy as np
import pytest

from embspace.draw.words.token_tracker import at_sum, draw_token_tracker
from embspace.files.tables import Tables
from embspace.measure.words.token_tracker import TOKEN_TRACKER
from embspace.measure.words.token_tracker_tables import Halves, tables_of
from tests.analyses import as_drawn
from tests.measure.words.test_token_tracker_statistics import DRIFTING, LAYERS, N_UNITS, tracks

STILL = tracks(np.zeros((LAYERS, 4 * N_UNITS)))
NAMES = ["layers", "contrasts", "movement", "summary"]


def draw(tables: Tables) -> tuple[str, str]:
    return draw_token_tracker(as_drawn(TOKEN_TRACKER, tables), "BERT", digits=3)


@pytest.fixture(scope="module")
def tables() -> Tables:
    halves = Halves(20, 0.9, np.random.default_rng(0))
    return tables_of((DRIFTING, None), (STILL, None), halves, (), n_listed=15, apart=0.75)


def test_the_finding_says_how_many_are_near_themselves(tables: Tables):
    finding, page = draw(tables)
    assert finding == (
        "At layer 6, 0 % of content and 100 % of function words are still nearest to their own "
        "token (random weights: 100 % and 100 %)"
    )
    assert "excursion of function words" in page and "none" not in page


def test_rows_are_those_of_one_point_a_layer(tables: Tables):
    rows = at_sum(tables["layers"])
    assert not rows.duplicated(["group", "layer", "quantity"]).any()


def test_what_has_no_text_is_said():
    finding, page = draw({name: TOKEN_TRACKER.tables[name].of() for name in NAMES})
    assert finding == "No words to follow"
    assert page.count("None.") == 4
