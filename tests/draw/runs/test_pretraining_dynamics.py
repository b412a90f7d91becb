"""Holds the figure of the geometry over a published training to its table."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from embspace.draw.page.canvas import stage_of
from embspace.draw.runs.pretraining_dynamics import draw_pretraining_dynamics, main
from embspace.files.tables import save_table
from embspace.measure.runs.pretraining_dynamics import PRETRAINING_DYNAMICS
from embspace.measure.runs.training_claims_rows import CLAIMED_OF, ClaimRules, claim_rows
from embspace.settings.stage import StageConfig
from tests.draw.fits import assert_words_fit
from tests.draw.layer_tables import settings_of, squeezed
from tests.draw.runs.test_dynamics import SHOWN, value
from tests.draw.runs.test_dynamics import table as table_of_run
from tests.drawn import figure_files
from tests.measure.runs.test_training_claims import RULES

SETTINGS: dict[str, Any] = {"shown": SHOWN, "height_mm": 80.0, "digits": 3}
STEPS = {0: 0, 1: 1, 10: 20_000, 100: 2_000_000}


def table() -> pd.DataFrame:
    """Of one model, at the steps of MultiBERTs."""
    rows = table_of_run("pretraining").query("seed == 0").drop(columns="run")
    return rows.assign(step=rows["step"].map(STEPS)).reset_index(drop=True)


def draw(rows: pd.DataFrame, **given: Any) -> Any:
    results = {"csv": rows, "claims": claims_on(rows)}
    return draw_pretraining_dynamics(results, "a model of a long name", **SETTINGS | given)


def claims_on(rows: pd.DataFrame) -> pd.DataFrame:
    """All that is claimed, of a decoder."""
    claims = claim_rows(rows, "decoder", CLAIMED_OF, ClaimRules(**RULES))
    return PRETRAINING_DYNAMICS.tables["claims"].of(claims)


def test_each_layer_is_a_line_over_the_steps() -> None:
    figure, _ = draw(table())
    assert_words_fit(figure)
    ax = figure.axes[0]
    assert ax.get_title("left") or ax.get_title() == "Top variance share"
    for layer, line in enumerate(ax.lines):
        assert list(line.get_xdata()) == list(STEPS.values())
        assert list(line.get_ydata()) == pytest.approx([value(0, step, layer) for step in STEPS])
    assert len({line.get_color() for line in ax.lines}) == 3
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    assert ticks == ["0", "1", "10", "100", "1000", "10k", "100k", "1M"]
    assert stage_of(figure) == "measure_pretraining_dynamics"
    assert "4 checkpoints" in "".join(text.get_text() for text in figure.texts)


def test_the_title_says_from_where_to_where_the_mean_of_the_blocks_goes() -> None:
    given = table()
    twice = 2 * given["value"]
    falls = twice.where(given["measure"] != "two_nn", 9 - twice)
    figure, _ = draw(given.assign(value=falls))
    assert " ".join(figure.get_suptitle().split()) == (
        "In the blocks, over pretraining, top variance share rises from 3 to 5 "
        "and TwoNN dimension falls from 6 to 4"
    )
    figure, _ = draw(given.assign(value=5.85))
    assert "stays near 5.8" in " ".join(figure.get_suptitle().split())


def test_the_text_has_the_last_checkpoint() -> None:
    _, text = draw(table())
    start = "# Pretraining dynamics of a model of a long name\n\nStage `measure_pretraining_dyn"
    assert text.startswith(start)
    ends, layers = [line for line in squeezed(text).splitlines() if "| TwoNN dimension |" in line]
    assert ends.endswith("| 1.500 | 2.500 |")
    assert layers.endswith("| 1 | 2 | 3 |")


def test_the_text_has_the_verdict_on_each_claim() -> None:
    _, text = draw(table())
    verdicts = text.partition("## Claims on layers and training")[2]
    assert all(claim in verdicts for claim in CLAIMED_OF)


def test_too_few_documents_say_so() -> None:
    figure, text = draw(table()[:0])
    assert "too few documents" in figure.axes[0].texts[0].get_text()
    assert "\nNone.\n" in text


def test_the_settings_of_the_project_are_drawn(root: Path) -> None:
    figure, _ = draw(table(), **settings_of(root, "pretraining_dynamics"))
    assert_words_fit(figure)


@pytest.mark.parametrize("is_empty", [False, True])
def test_a_training_is_drawn_under_the_name_of_the_model(
    is_empty: bool, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"pretraining_dynamics": settings_of(root, "pretraining_dynamics")}
    monkeypatch.chdir(tmp_path)
    rows = table()[: 0 if is_empty else None]
    save_table(rows, "results/pretraining_dynamics/mine.csv")
    save_table(claims_on(rows), "results/pretraining_dynamics/claims/mine.csv")
    main(StageConfig("mine", {"label": "my own model"}, "", {}, [], [], settings))
    drawn = {str(file) for top in ("figures", "data/drawn") for file in Path(top).rglob("*.*")}
    assert drawn == set(figure_files("pretraining_dynamics", "mine"))
    assert all(Path(file).stat().st_size < 800_000 for file in drawn)
    assert "my own model" in Path("figures/pretraining_dynamics/mine.md").read_text()
