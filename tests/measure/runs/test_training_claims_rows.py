"""Claims on tables whose shape decides them, of a model of either kind."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from embspace.files.tables import save_table
from embspace.measure.runs.training_claims_rows import (
    BELL,
    CLAIMED_OF,
    FLAT,
    GROWTH,
    RISE_AND_FALL,
    ClaimRules,
    claim_rows,
)
from embspace.published.runs import rulings_on
from tests.measure.dynamics_tables import dynamics
from tests.measure.runs.test_training_claims import RULES, bell, flat, hill
from tests.verify.tree import put

AS_CLAIMED = {BELL: "matches", FLAT: "differs", GROWTH: "matches", RISE_AND_FALL: "matches"}
CONTRARY = {BELL: "differs", FLAT: "matches", GROWTH: "differs", RISE_AND_FALL: "differs"}


def rows(anisotropy: Any, dimension: Any, kind: str) -> Any:
    table = dynamics(anisotropy, dimension)
    first = table[table["seed"] == table["seed"].iloc[0]]
    return pd.DataFrame(claim_rows(first, kind, CLAIMED_OF, ClaimRules(**RULES)))


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_all_claims_are_asked_of_either_kind(kind: str) -> None:
    table = rows(bell, hill, kind)
    assert set(table["kind"]) == {kind}
    assert dict(zip(table["claim"], table["verdict"], strict=True)) == AS_CLAIMED
    shrinking = rows(lambda number, layer: 0.5 - number / 100, lambda n, _: 20.0 - n, kind)
    assert dict(zip(shrinking["claim"], shrinking["verdict"], strict=True)) == CONTRARY


def test_only_what_is_asked_has_rows() -> None:
    table = pd.DataFrame(claim_rows(dynamics(flat, hill), "encoder", [FLAT], ClaimRules(**RULES)))
    assert set(table["claim"]) == {FLAT} and set(table["claimed_of"]) == {"encoder"}


def test_seeds_come_in_the_order_of_the_table() -> None:
    table = dynamics(flat, hill).sort_values("seed", ascending=False, kind="stable")
    rulings = pd.DataFrame(claim_rows(table, "encoder", [FLAT], ClaimRules(**RULES)))
    assert rulings["seed"].tolist() == table["seed"].unique().tolist()


def test_of_no_checkpoints_nothing_is_claimed() -> None:
    assert not claim_rows(dynamics(bell, hill)[:0], "decoder", CLAIMED_OF, ClaimRules(**RULES))


def test_one_checkpoint_decides_nothing_on_training() -> None:
    table = dynamics(bell, hill)
    last = table[table["step"] == table["step"].max()]
    rows = claim_rows(last, "decoder", CLAIMED_OF, ClaimRules(**RULES))
    by_claim = pd.DataFrame(rows).set_index("claim")
    assert set(by_claim.loc[GROWTH, "verdict"]) == {"not checkable"}
    assert set(by_claim.loc[RISE_AND_FALL, "verdict"]) == {"differs"}
    assert set(by_claim.loc[BELL, "verdict"]) == {"matches"}


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_each_claim_of_the_paper_is_ruled_on_of_a_model_with_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path, kind: str
) -> None:
    """From made-up results to what `embspace verify` shows."""
    monkeypatch.chdir(tmp_path)
    file = "data/published/razzhigaev_shape_of_learning.yaml"
    put(file, (root / file).read_text(encoding="utf-8"))
    save_table(rows(bell, hill, kind), "results/pretraining_dynamics/claims/made_up.csv")
    (report,) = rulings_on(Path("results"), [], [], ["made_up"])
    claims = yaml.safe_load((root / file).read_text())["claims_on_runs"]
    claimed = [
        claim["claim"]
        for claim in claims
        if "{checkpointed}" in claim["file"] and claim["where"]["kind"] == kind
    ]
    assert [ruling.claim for ruling in report.rulings] == claimed
    assert len(claimed) == 4
    said = {ruling.claim: ruling.verdicts for ruling in report.rulings}
    flat_claim = next(claim for claim in said if "about the same" in claim)
    assert said.pop(flat_claim) == {"0": "differs"}
    assert list(said.values()) == [{"0": "matches"}] * 3


def test_every_number_of_the_rows() -> None:
    table = rows(lambda number, layer: (1 + number) * (1 + (layer == 3)), hill, "decoder")
    of = {row["claim"]: row for row in table.to_dict("records")}
    assert [row["section"] for row in of.values()] == ["4.1", "4.1", "4.2", "4.3"]
    assert {row["seed"] for row in of.values()} == {0}
    # Blocks 8 8 16 8 8 8, of which the mean is 28 / 3: the middle two are 12, the others 8.
    assert of[FLAT]["value"] == pytest.approx(8 / (28 / 3))
    assert of[BELL]["value"] == pytest.approx(4 / (28 / 3)) and of[BELL]["second_value"] == 8
    assert (of[BELL]["second_low"], of[BELL]["second_high"]) == (8, 8)
    # Eight checkpoints in order, of which the last two are one seventh of the range apart.
    assert of[GROWTH]["value"] == pytest.approx(1)
    assert of[GROWTH]["second_value"] == pytest.approx(1 / 7)
    # Without the last but one, and without the first, as far as any that is left out goes.
    assert (of[GROWTH]["second_low"], of[GROWTH]["second_high"]) == pytest.approx((1 / 7, 2 / 7))
    # The dimension is 7 at first, 10 at most and 6 at last, and batches do not move it.
    assert (of[RISE_AND_FALL]["value"], of[RISE_AND_FALL]["second_value"]) == pytest.approx(
        (0.3, 0.4)
    )
    ends = [of[RISE_AND_FALL][name] for name in ("low", "high", "second_low", "second_high")]
    assert ends == pytest.approx([0.3, 0.3, 0.4, 0.4])
    assert of[GROWTH]["statistic"] != of[GROWTH]["second_statistic"]
