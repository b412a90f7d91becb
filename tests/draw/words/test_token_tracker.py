"""The page of the token tracker says what its tables say."""

import numpy as np
import pytest

from embspace.app.page.nothing import says_nothing
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


@pytest.mark.parametrize(("at_random", "is_like"), [(0.35, True), (0.25, False)])
def test_the_finding_says_where_random_weights_do_not_clearly_otherwise(
    tables: Tables, at_random: float, is_like: bool
):
    layers = tables["layers"].assign(value=0.45, low=0.4, high=0.5, random_weights_value=at_random)
    finding, _ = draw({**tables, "layers": layers})
    assert finding.endswith(f"({100 * at_random:.0f} % and {100 * at_random:.0f} %)") == is_like
    assert says_nothing(finding) == is_like


def test_without_random_weights_the_finding_has_none_beside(tables: Tables):
    layers = tables["layers"].assign(random_weights_value=np.nan)
    finding, _ = draw({**tables, "layers": layers})
    assert finding.endswith("are still nearest to their own token") and not says_nothing(finding)


@pytest.mark.parametrize("group", ["content", "function"])
def test_an_unknown_interval_of_a_group_is_not_alike(tables: Tables, group: str):
    layers = tables["layers"].assign(value=0.45, low=0.4, high=0.5, random_weights_value=0.45)
    layers.loc[layers["group"] == group, ["low", "high"]] = np.nan
    finding, _ = draw({**tables, "layers": layers})
    assert finding.endswith("own token (random weights: 45 % and 45 %)")
    assert not says_nothing(finding)


def test_rows_are_those_of_one_point_a_layer(tables: Tables):
    rows = at_sum(tables["layers"])
    assert not rows.duplicated(["group", "layer", "quantity"]).any()


def test_what_has_no_text_is_said():
    finding, page = draw({name: TOKEN_TRACKER.tables[name].of() for name in NAMES})
    assert finding == "No words to follow"
    assert page.count("None.") == 4
