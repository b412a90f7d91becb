from typing import Any

import pytest

from embspace.analysis import Outcome
from embspace.measure.open_questions.rounding import measure_rounding
from tests.analyses import settings_of
from tests.measure.open_questions.reading import articles, text_reader

FEW = {"bits": [16, 2], "n_tokens": 100, "n_half_samples": 8, "n_neighbors": 5}
DECIDED_BY_SEED = ("verdict",)  # of intervals


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"texts": articles(), "reader": None if is_empty else text_reader()}


def measured(**change: Any) -> Outcome:
    settings = settings_of(measure_rounding, **FEW | change)
    return measure_rounding(**inputs(is_empty=False), **settings)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measured()


def test_sixteen_bits_keep_everything_and_two_do_not(outcome: Outcome):
    likeness = outcome["likeness"].set_index(["bits", "scales", "layer"])
    assert (likeness.loc[16, "cosine"] > 0.9999).all()
    assert (likeness.loc[2, "cosine"] < 0.98).all()
    assert (likeness.loc[16, "neighbors_kept"] > likeness.loc[2, "neighbors_kept"]).all()
    kept = outcome["csv"].query("bits == 16 and measure == 'mean_cosine'")
    assert set(kept["verdict"]) == {"keeps"}


def test_scales_of_blocks_err_less_than_those_of_rows(outcome: Outcome):
    errors = outcome["errors"].set_index(["bits", "scales"])["relative_error"]
    assert errors[2, "block"] < errors[2, "row"] < 1
    assert errors[16, "row"] < 1e-4


def test_three_documents_are_too_few():
    settings = settings_of(measure_rounding, **FEW)
    assert measure_rounding(articles(3), text_reader(), **settings)["csv"].empty
