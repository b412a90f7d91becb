"""Lines and words over steps that are known."""

import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.runs.steps import (
    last_rows,
    log_ticks,
    moves,
    over_steps,
    rise_of,
    run_looks,
    short_step,
    show_steps,
    size_of,
    with_runs,
)


def table() -> pd.DataFrame:
    """Of two runs of two seeds; the first run's values rise, and the second's fall."""
    rows = [
        {"run": run, "seed": seed, "phase": "first", "step": step, "value": 5 + sign * step}
        for run, sign in (("rna_decoder", 1), ("mine", -1))
        for seed in (0, 1)
        for step in (0, 1, 4)
    ]
    return pd.DataFrame(rows)


def test_runs_have_their_names_in_words_and_one_alone_its_label() -> None:
    assert list(dict.fromkeys(with_runs(table(), "all")["run"])) == ["RNA decoder", "mine"]
    alone = with_runs(table().drop(columns="run"), "a model")
    assert set(alone["run"]) == {"a model"}


def test_each_seed_of_a_run_is_a_model() -> None:
    assert size_of(table()) == "2 runs, 4 models"
    assert size_of(table()[:0]) == "0 runs"
    assert size_of(pd.DataFrame()) == "0 runs"


def test_a_rise_is_counted_by_model() -> None:
    assert rise_of(table(), "value", "decoder") == "2 of 4 decoders"
    still = table().assign(value=1.0)
    assert rise_of(still, "value", "decoder") == "0 of 4 decoders"


def test_a_value_moves_by_more_than_a_twentieth_of_the_largest() -> None:
    assert moves(table(), "value", ["run"])
    assert not moves(table().assign(value=7.0), "value", ["run"])
    barely = table().assign(value=lambda rows: 100 + rows["step"])
    assert not moves(barely, "value", ["run"])


def test_lines_of_the_seeds_of_a_run_share_its_look() -> None:
    ax = Figure().subplots()
    looks = run_looks(["mine", "mine", "yours"])
    over_steps(ax, table().query("run == 'mine'"), "value", looks["mine"])
    assert [line.get_color() for line in ax.lines] == [looks["mine"].color] * 2
    assert {line.get_label() for line in ax.lines} == {"mine"}
    assert list(ax.lines[0].get_ydata()) == [5, 4, 1]
    assert looks["yours"].color != looks["mine"].color


def test_the_axis_of_steps_has_room_for_step_0() -> None:
    ax = Figure().subplots()
    show_steps(ax, pd.Series([0, 1, 300]))
    assert ax.get_xlim()[0] < 0 < 300 < ax.get_xlim()[1]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1", "10", "100"]
    show_steps(ax, pd.Series([0, 80]))  # the axis ends behind 100
    assert ax.get_xlim()[1] > 100
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1", "10", "100"]


def test_a_logarithmic_axis_has_plain_numbers() -> None:
    ax = Figure().subplots()
    ax.set(yscale="log", ylim=(0.2, 6))
    log_ticks(ax.yaxis)
    low, high = ax.get_ylim()
    ticks = [tick for tick in ax.get_yticks() if low <= tick <= high]
    assert ticks == pytest.approx([0.2, 0.5, 1, 2, 5])
    assert ax.yaxis.get_major_formatter()(0.5) == "0.5"


@pytest.mark.parametrize(
    ("step", "words"), [(0, "0"), (1000, "1000"), (20_000, "20k"), (2_000_000, "2M")]
)
def test_large_steps_are_short(step: int, words: str) -> None:
    assert short_step(step) == words


def test_the_last_checkpoint_is_that_of_each_run_and_phase() -> None:
    longer = table().assign(step=lambda rows: rows["step"].where(rows["run"] == "mine", 9))
    without_phase = longer[:1].assign(phase=None, step=None)
    last = last_rows(pd.concat([longer, without_phase]))
    assert set(last.loc[last["run"] == "mine", "step"]) == {4}
    assert last["step"].isna().sum() == 1
