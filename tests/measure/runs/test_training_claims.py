"""Claims on tables whose shape decides them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from embspace.measure.runs.training_claims import measure_training_claims
from embspace.settings.run import Run
from tests.analyses import settings_of
from tests.measure.dynamics_tables import STEPS, dynamics
from tests.train.runs import CAUSAL, CLASSIFIED, MASKED, small_run

FEW = {"bell_height": 0.05}
RULES = settings_of(measure_training_claims, **FEW)
LAST = len(STEPS) - 1
BELL, GROWTH, FALL = (
    "bell-shaped over layers",
    "anisotropy grows, then settles",
    "dimension rises, then falls",
)


def bell(number: int, layer: int) -> float:
    """Grows to its full height by the fifth checkpoint."""
    height = {3: 0.5, 4: 0.5, 2: 0.2, 5: 0.2}.get(layer, 0.0)
    return 0.1 + min(number, 5) / 5 * height + 0.001 * number


def hill(number: int, layer: int) -> float:
    return 10.0 - abs(number - 3)


def flat(number: int, layer: int) -> float:
    return 0.3


def claims(anisotropy: Any = bell, dimension: Any = hill, phase: Any = CAUSAL) -> pd.DataFrame:
    run = small_run({"first": phase, "second": phase})
    return measure_training_claims(dynamics(anisotropy, dimension), run, **RULES)["csv"]


def inputs(*, is_empty: bool) -> dict[str, Any]:
    phase = CLASSIFIED if is_empty else CAUSAL
    run = small_run({"first": CAUSAL, "second": phase})
    return {"dynamics": dynamics(bell, hill), "run": only_classifying(run) if is_empty else run}


def only_classifying(run: Run) -> Run:
    return run.model_copy(update={"phases": {"first": run.phases["second"]}})


def verdicts(table: pd.DataFrame) -> dict[str, str]:
    (by_claim, again) = (rows.set_index("claim")["verdict"] for _, rows in table.groupby("seed"))
    assert by_claim.equals(again)
    return {str(key): str(value) for key, value in by_claim.items()}


def test_a_decoder_as_described_fits_every_claim() -> None:
    table = claims()
    assert verdicts(table) == dict.fromkeys((BELL, GROWTH, FALL), "matches")
    row = table[table["claim"] == BELL].iloc[0]
    # Blocks 3 and 4 are higher by .5 than 1 and 6, which have .1 + .007, 2 and 5 by .2.
    assert row["value"] == pytest.approx(0.4 / (0.107 + 1.4 / 6))
    assert row["second_value"] == pytest.approx(0.5)
    assert row["holds_if"] == "value > 0.05 and second_value > 0 and walk_p_value <= 0.05"


def test_a_verdict_that_layer_0_turns_depends_on_the_rule() -> None:
    """Whether the embeddings are a layer, the paper does not say."""
    table = claims(dimension=lambda n, layer: 100.0 * n if layer == 0 else hill(n, layer))
    row = table[table["claim"] == FALL].iloc[0]
    assert (row["verdict_with_embeddings"], row["verdict"]) == ("differs", "depends on the rule")


def test_values_are_those_of_the_blocks_alone() -> None:
    table = claims(
        lambda number, layer: 50.0 - number if layer == 0 else bell(number, layer),
        lambda number, layer: 100.0 * number if layer == 0 else hill(number, layer),
    )
    growth, fall = (table[table["claim"] == claim].iloc[0] for claim in (GROWTH, FALL))
    assert growth["value"] == pytest.approx(1.0)
    # From 7 to 10 and to 6, of the blocks alone.
    assert (fall["value"], fall["second_value"]) == pytest.approx((0.3, 0.4))


def test_a_profile_that_only_falls_is_no_bell() -> None:
    assert verdicts(claims(lambda number, layer: 1 - layer / 10))[BELL] == "differs"


def test_a_top_at_the_end_is_no_bell_however_high_the_middle() -> None:
    at_end = [0.0, 0.1, 0.1, 0.8, 0.8, 0.1, 0.9]
    table = claims(lambda number, layer: at_end[layer])
    assert table[table["claim"] == BELL]["value"].iloc[0] > RULES["bell_height"]
    assert table[table["claim"] == BELL]["second_value"].iloc[0] == pytest.approx(-0.1)
    assert verdicts(table)[BELL] == "differs"


def test_growth_that_goes_on_has_not_settled() -> None:
    assert verdicts(claims(lambda number, layer: number / 10))[GROWTH] == "differs"


def test_what_shrinks_does_not_grow() -> None:
    assert verdicts(claims(lambda number, layer: 1 / (1 + number)))[GROWTH] == "differs"


@pytest.mark.parametrize("shape", [lambda n, _: 5.0 + n, lambda n, _: 20.0 - n, flat])
def test_a_dimension_that_goes_one_way_does_not_rise_and_fall(shape: Any) -> None:
    assert verdicts(claims(dimension=shape))[FALL] == "differs"


def test_an_encoder_is_held_to_be_flat_and_asked_what_is_said_of_the_training_of_decoders() -> None:
    contrast = claims(flat, flat, phase=MASKED)
    assert verdicts(contrast) == {
        "flat over layers": "matches",
        GROWTH: "not checkable",  # what never moves has no rank correlation
        FALL: "differs",
    }
    assert list(contrast["claimed_of"]) == ["encoder", "decoder", "decoder"] * 2
    alike = claims(bell, hill, phase=MASKED)
    assert verdicts(alike) == {"flat over layers": "differs", GROWTH: "matches", FALL: "matches"}
    assert set(alike["kind"]) == {"encoder"}


def test_values_that_are_missing_decide_nothing() -> None:
    table = claims(lambda number, layer: float("nan"))
    assert verdicts(table)[GROWTH] == "not checkable"
    assert np.isnan(table[table["claim"] == GROWTH]["value"]).all()


def test_a_measure_that_was_left_out_decides_nothing() -> None:
    given = dynamics(bell, hill).query("measure == 'top_variance_share'")
    table = measure_training_claims(given, small_run({"first": CAUSAL}), **RULES)["csv"]
    assert verdicts(table) == {BELL: "matches", GROWTH: "matches", FALL: "not checkable"}


def test_of_a_run_that_only_classifies_nothing_is_claimed() -> None:
    assert measure_training_claims(**inputs(is_empty=True), **RULES)["csv"].empty


def test_of_no_checkpoints_nothing_is_claimed() -> None:
    run = small_run({"first": CAUSAL})
    assert measure_training_claims(dynamics(bell, hill)[:0], run, **RULES)["csv"].empty


def test_claims_of_the_published_source_are_those_that_are_decided(root: Path) -> None:
    file = root / "data/published/razzhigaev_shape_of_learning.yaml"
    entries = yaml.safe_load(file.read_text())["claims_on_runs"]
    published = {
        claim["where"]["claim"] for claim in entries if "training_claims/{run}" in claim["file"]
    }
    runs = (small_run({"first": phase, "second": phase}) for phase in (MASKED, CAUSAL))
    tables = [measure_training_claims(dynamics(bell, hill), run, **RULES)["csv"] for run in runs]
    assert published == set(pd.concat(tables)["claim"])


def test_published_trainings_are_asked_by_the_same_rules(root: Path) -> None:
    rules, others = (
        yaml.safe_load((root / f"conf/measure/runs/{noun}.yaml").read_text())
        for noun in ("training_claims", "pretraining_dynamics")
    )
    assert others["rules"] == rules
