"""Says verdicts that are known."""

import pandas as pd
import pytest

from embspace.draw.runs.training_claims import draw_training_claims
from tests.draw.layer_tables import squeezed
from tests.measure.runs.test_training_claims import claims, flat
from tests.train.runs import MASKED


def tables() -> pd.DataFrame:
    """Of a decoder of which every claim holds and an encoder that is flat; two seeds each."""
    decoder, encoder = claims(), claims(flat, phase=MASKED)
    return pd.concat([decoder.assign(run="a_decoder"), encoder.assign(run="an_encoder")])


def draw(table: pd.DataFrame) -> tuple[str, str]:
    return draw_training_claims({"csv": table}, "all runs", digits=3)


def test_the_finding_counts_the_models_that_a_claim_speaks_of() -> None:
    table = tables()
    assert draw(table)[0] == (
        "4 of 4 published claims hold in every model (“anisotropy is a bell over layers” and "
        "“anisotropy grows, then settles” and “dimension rises, then falls” in 2 of 2 "
        "decoders; “anisotropy is flat over layers” in 2 of 2 encoders)"
    )
    is_one = (table["claim"] == "dimension rises, then falls") & (table["seed"] == 0)
    finding, _ = draw(table.assign(verdict=table["verdict"].mask(is_one, "differs")))
    assert finding.startswith("3 of 4 published claims hold in every model (")
    assert "“dimension rises, then falls” in 1 of 2 decoders" in finding


def test_the_text_has_verdicts_by_run_first_and_all_statistics_behind_a_fold() -> None:
    first, _, rest = squeezed(draw(tables())[1]).partition("<details>")
    row = next(line for line in first.splitlines() if "| flat over layers |" in line)
    assert row.endswith("| not asked | matches (2) |")
    assert "value <= 0.05" in rest


def test_what_cannot_be_had_is_said() -> None:
    finding, text = draw(claims(lambda number, layer: float("nan")))
    assert finding.startswith("1 of 3 published claims holds in every model")
    assert "not checkable" in text


@pytest.mark.parametrize("table", [claims()[:0], pd.DataFrame()])
def test_runs_that_model_no_language_say_so(table: pd.DataFrame) -> None:
    finding, text = draw(table)
    assert "no run models language" in finding
    assert "None." in text
