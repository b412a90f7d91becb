import numpy as np
import pytest

from embspace.measure.positional.helix import measure_helix
from embspace.measure.positional.regimes import measure_regimes
from tests.analyses import settings_of
from tests.geometry.planted import helix, noise, planted_table
from tests.measure.positional.test_regimes import SETTINGS as REGIMES
from tests.measure.regimes import regimes_of

FEW = {"n_shuffles": 30, "n_null_tables": 20, "level": 0.9, "n_spectrum_bins": 200}
SETTINGS = settings_of(measure_helix, **FEW)


def with_noise() -> np.ndarray:
    """A helix of period 22 up to 384, another vector at 0, noise from 384 on: as in BERT."""
    table = np.concatenate([helix(blur=0.002), noise(128, 48)])
    table[0] = noise(1, 48, seed=4)[0]
    return table


@pytest.fixture(scope="module")
def outcome():
    regimes = regimes_of(512, outlying=[0], unstructured=range(384, 512))
    return measure_helix({"positional": with_noise()}, regimes, **SETTINGS)


def test_the_planted_period_is_found_by_both_of_our_definitions(outcome):
    periods = outcome["periods"].set_index("definition")
    for definition, measure in (("winding_number", "coherence"), ("spectrum", "power_share")):
        row = periods.loc[definition]
        assert row["period"] == pytest.approx(22, rel=0.01)
        assert row[measure] > 0.9
        assert row[f"null_{measure}"] < row[f"null_{measure}_high"] < 0.3
    assert abs(periods.loc["winding_number", "n_turns"]) == pytest.approx(382 / 22, abs=0.1)


def test_the_text_counts_whole_turns_over_all_positions(outcome):
    row = outcome["periods"].set_index("definition").loc["thesis_text"]
    assert row["n_turns"] == 17
    assert row["period"] == pytest.approx(384 / 17)  # 22.588, as the thesis has it


def test_the_notebook_finds_a_multiple_of_its_resolution(outcome):
    periods = outcome["periods"].set_index("definition")
    printed, coded = periods.loc["notebook"], periods.loc["notebook_as_coded"]
    assert (printed["first_position"], printed["last_position"], printed["n"]) == (1, 383, 383)
    assert (coded["first_position"], coded["last_position"], coded["n"]) == (1, 126, 126)
    # 128 and 126 samples: no period between these can come out.
    assert printed["period"] in [128 / k for k in (5, 6, 7)]
    assert coded["period"] in [126 / k for k in (5, 6, 7)]


def test_only_structured_positions_are_on_the_path(outcome):
    assert outcome["path"]["position"].tolist() == list(range(1, 384))
    assert outcome["json"]["n_structured"] == 383
    explained = [outcome["json"][f"explained_variance_{number}"] for number in (1, 2, 3)]
    assert sum(explained) == pytest.approx(1, abs=0.01)
    assert explained == sorted(explained, reverse=True)


def test_the_path_is_a_line_in_both_representations(outcome):
    lines = outcome["one_dimensionality"].set_index("representation")
    assert (lines["order_correlation"] > 0.999).all()
    assert (lines["adjacent_neighbor_share"] > 0.99).all()


def test_the_spectrum_is_of_all_the_power(outcome):
    assert outcome["spectrum"]["power"].sum() == pytest.approx(1)
    peak = outcome["spectrum"].loc[outcome["spectrum"]["power"].idxmax(), "frequency"]
    assert 1 / peak == pytest.approx(22, rel=0.05)


def test_what_is_planted_is_found_from_the_raw_table_on():
    # Cosines that swing with a period of 22 and change at 128; an outlier at 200, noise from 384.
    table = {"input": noise(9, 192), "positional": planted_table(dim=192)}
    regimes = measure_regimes(table, **REGIMES)
    assert regimes["summary"]["first_position"].tolist() == pytest.approx([0, 128, 384], abs=2)
    assert regimes["summary"]["unstructured"].tolist() == [False, False, True]
    outcome = measure_helix(table, regimes["positions"], **SETTINGS)
    assert 200 not in outcome["path"]["position"].tolist()
    periods = outcome["periods"].set_index("definition")["period"]
    assert periods["spectrum"] == pytest.approx(22, rel=0.05)
    assert periods["winding_number"] == pytest.approx(22, rel=0.1)


def test_noise_has_no_period():
    outcome = measure_helix({"positional": noise(300, 48)}, regimes_of(300), **SETTINGS)
    periods = outcome["periods"].set_index("definition")
    for definition, measure in (("winding_number", "coherence"), ("spectrum", "power_share")):
        row = periods.loc[definition]
        assert row[measure] < 3 * row[f"null_{measure}"]


def test_a_short_table_leaves_the_notebook_undefined():
    outcome = measure_helix({"positional": helix(40)[:8]}, regimes_of(8), **SETTINGS)
    periods = outcome["periods"].set_index("definition")["period"]
    assert np.isnan(periods["notebook"])
    assert np.isfinite(periods["winding_number"])
    longer = measure_helix({"positional": helix(40)[:9]}, regimes_of(9), **SETTINGS)
    assert np.isfinite(longer["periods"].set_index("definition")["period"]["notebook"])  # of 8


def test_too_few_positions_leave_all_empty():
    outcome = measure_helix({"positional": noise(7, 16)}, regimes_of(7), **SETTINGS)
    assert outcome["path"].empty
    assert outcome["json"]["n_structured"] == 7
